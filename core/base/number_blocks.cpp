// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_blocks.h"

#include <bit>
#include <cstring>

namespace unroll {

namespace {

static_assert(std::endian::native == std::endian::little); // numbers go as they lie in memory

constexpr const char* kSingle = "f32";
constexpr const char* kDouble = "f64";
constexpr const char* kWhole = "i64";
constexpr const char* kRaw = "u8";

/// The bytes of a list of that type, each number `width` bytes wide.
std::optional<std::string_view> blockAt(std::string_view bytes, const Json& place, const char* type, std::size_t width)
{
    const JsonArray* parts = place.asArray();
    if (parts == nullptr || parts->size() != 3)
        return {};
    const std::string* word = (*parts)[0].asString();
    const auto offset = (*parts)[1].asUnsigned(), count = (*parts)[2].asUnsigned();
    if (word == nullptr || *word != type || !offset || !count || *offset > bytes.size() ||
        *count > (bytes.size() - *offset) / width)
        return {};
    return bytes.substr(*offset, *count * width);
}

template <class Value>
std::optional<std::vector<Value>> listAt(std::string_view bytes, const Json& place, const char* type)
{
    const auto block = blockAt(bytes, place, type, sizeof(Value));
    if (!block)
        return {};
    std::vector<Value> values(block->size() / sizeof(Value));
    if (!values.empty())
        std::memcpy(values.data(), block->data(), block->size());
    return values;
}

} // namespace

Json BlockWriter::add(const char* type, const void* data, std::size_t count, std::size_t width)
{
    Json place{JsonArray{}};
    place.push(type);
    place.push(std::uint64_t{m_bytes.size()});
    place.push(std::uint64_t{count});
    if (count > 0)
        m_bytes.append(static_cast<const char*>(data), count * width);
    return place;
}

Json BlockWriter::put(std::span<const float> values)
{
    return add(kSingle, values.data(), values.size(), sizeof(float));
}

Json BlockWriter::put(std::span<const double> values)
{
    return add(kDouble, values.data(), values.size(), sizeof(double));
}

Json BlockWriter::put(std::span<const std::int64_t> values)
{
    return add(kWhole, values.data(), values.size(), sizeof(std::int64_t));
}

Json BlockWriter::put(std::string_view bytes)
{
    return add(kRaw, bytes.data(), bytes.size(), 1);
}

std::optional<std::vector<float>> BlockReader::floats(const Json& place) const
{
    return listAt<float>(m_bytes, place, kSingle);
}

std::optional<std::vector<double>> BlockReader::doubles(const Json& place) const
{
    return listAt<double>(m_bytes, place, kDouble);
}

std::optional<std::vector<std::int64_t>> BlockReader::wholes(const Json& place) const
{
    return listAt<std::int64_t>(m_bytes, place, kWhole);
}

std::optional<std::string_view> BlockReader::raw(const Json& place) const
{
    return blockAt(m_bytes, place, kRaw, 1);
}

} // namespace unroll
