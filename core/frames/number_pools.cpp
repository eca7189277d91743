// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frames/number_pools.h"

#include "core/format/half.h"
#include "core/format/little_endian.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace unroll {

namespace {

using format::DType;

struct PoolKind {
    const char* name;
    DType dtype;
    std::size_t width; ///< bytes
};
constexpr std::array<PoolKind, 3> kPools = {
    {{"half", DType::F16, 2}, {"single", DType::F32, 4}, {"double", DType::F64, 8}}};
constexpr std::int64_t kMostExponent = 1100; ///< in size: of what a double holds

double largestOf(const std::vector<double>& values)
{
    double largest = 0;
    for (const double value : values)
        if (std::isfinite(value))
            largest = std::max(largest, std::fabs(value));
    return largest;
}

/// By which the largest comes to lie between 2^14 and 2^15; 0: it is 0.
int exponentFor(double largest)
{
    return largest > 0 ? std::ilogb(largest) - 14 : 0;
}

double throughHalf(double value, int exponent)
{
    return std::ldexp(
        static_cast<double>(format::fromHalf(format::halfOf(static_cast<float>(std::ldexp(value, -exponent))))),
        exponent);
}

double throughSingle(double value)
{
    return std::fabs(value) > 3.4e38 && std::isfinite(value) ? 0 : static_cast<double>(static_cast<float>(value));
}

bool isNear(double value, double back, double largest, Nearness nearness)
{
    if (!std::isfinite(value))
        return true; // every pool has them
    const double off = std::fabs(back - value), own = std::ldexp(std::fabs(value), -11);
    switch (nearness) {
    case Nearness::Exact: return off == 0;
    case Nearness::Largest: return off <= std::max(own, std::ldexp(largest, -38));
    case Nearness::Relative: break;
    }
    return off <= own;
}

template <class Through>
bool areNear(const std::vector<double>& values, double largest, Nearness nearness, const Through& through)
{
    return std::all_of(values.begin(), values.end(),
                       [&](double value) { return isNear(value, through(value), largest, nearness); });
}

Json placeOf(std::size_t pool, std::size_t offset, std::size_t count, int exponent)
{
    Json place{JsonArray{}};
    for (const std::int64_t part : {static_cast<std::int64_t>(pool), static_cast<std::int64_t>(offset),
                                    static_cast<std::int64_t>(count), static_cast<std::int64_t>(exponent)})
        place.push(part);
    return place;
}

template <class Value>
format::OwnedTensor tensorOf(const PoolKind& kind, const std::vector<Value>& values)
{
    const std::size_t bytes = values.size() * sizeof(Value);
    format::OwnedTensor tensor{
        kind.name, kind.dtype, {std::ssize(values)}, std::make_unique<std::byte[]>(bytes), bytes};
    std::memcpy(tensor.data.get(), values.data(), bytes);
    return tensor;
}

double valueIn(const format::OwnedTensor& pool, std::size_t index)
{
    const std::byte* at = pool.data.get();
    switch (pool.dtype) {
    case DType::F16: return format::fromHalf(format::loadLittleEndian<std::uint16_t>(at + 2 * index));
    case DType::F32: return format::loadLittleEndian<float>(at + 4 * index);
    default: break;
    }
    return format::loadLittleEndian<double>(at + 8 * index);
}

} // namespace

Json NumberPools::put(const std::vector<double>& values, Nearness nearness)
{
    if (m_exact)
        nearness = Nearness::Exact;
    const double largest = largestOf(values);
    const int exponent = nearness == Nearness::Exact ? 0 : exponentFor(largest);
    if (areNear(values, largest, nearness, [&](double value) { return throughHalf(value, exponent); })) {
        const std::size_t offset = m_half.size();
        for (const double value : values)
            m_half.push_back(format::halfOf(static_cast<float>(std::ldexp(value, -exponent))));
        return placeOf(0, offset, values.size(), exponent);
    }
    if (areNear(values, largest, nearness, throughSingle)) {
        const std::size_t offset = m_single.size();
        for (const double value : values)
            m_single.push_back(static_cast<float>(value));
        return placeOf(1, offset, values.size(), 0);
    }
    if (nearness == Nearness::Exact && !m_exact)
        return put(values, Nearness::Relative);
    const std::size_t offset = m_double.size();
    m_double.insert(m_double.end(), values.begin(), values.end());
    return placeOf(2, offset, values.size(), 0);
}

std::vector<format::OwnedTensor> NumberPools::tensors() const
{
    std::vector<format::OwnedTensor> tensors;
    if (!m_half.empty())
        tensors.push_back(tensorOf(kPools[0], m_half));
    if (!m_single.empty())
        tensors.push_back(tensorOf(kPools[1], m_single));
    if (!m_double.empty())
        tensors.push_back(tensorOf(kPools[2], m_double));
    return tensors;
}

Result<ReadPools> ReadPools::of(std::vector<format::OwnedTensor> tensors)
{
    ReadPools read;
    for (format::OwnedTensor& tensor : tensors)
        for (std::size_t pool = 0; pool < kPools.size(); ++pool) {
            if (tensor.name != kPools[pool].name)
                continue;
            if (tensor.dtype != kPools[pool].dtype || tensor.shape.size() != 1)
                return fail(fmt::format("the tensor {} is not a list of its type", tensor.name));
            read.m_pools[pool] = std::move(tensor);
            break;
        }
    return read;
}

std::optional<std::vector<double>> ReadPools::take(const Json& place) const
{
    const JsonArray* parts = place.asArray();
    if (parts == nullptr || parts->size() != 4)
        return {};
    std::array<std::int64_t, 4> numbers{};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto number = (*parts)[i].asInt();
        if (!number)
            return {};
        numbers[i] = *number;
    }
    const auto [pool, offset, count, exponent] = numbers;
    if (pool < 0 || pool > 2 || offset < 0 || count < 0 || exponent < -kMostExponent || exponent > kMostExponent)
        return {};
    const format::OwnedTensor& from = m_pools[static_cast<std::size_t>(pool)];
    const auto size = static_cast<std::int64_t>(from.bytes / kPools[static_cast<std::size_t>(pool)].width);
    if (offset > size || count > size - offset)
        return {};
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(std::ldexp(valueIn(from, static_cast<std::size_t>(offset + i)), static_cast<int>(exponent)));
    return values;
}

} // namespace unroll
