// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/tensor_view.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll::format {
namespace {

struct DTypeRow {
    std::string_view name;
    unsigned bits;
};

constexpr std::array<DTypeRow, kDtypeCount> kDtypeRows = {{
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
    {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
    {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64},
}};

constexpr std::size_t kLongestName = 4096;

std::optional<std::string> faultOf(const TensorView& tensor)
{
    if (const auto fault = tensorNameFault(tensor.name))
        return fmt::format("the tensor name {} {}", quotedName(tensor.name), *fault);
    const auto bytes = tensorBytes(tensor.dtype, tensor.shape);
    const std::string what = fmt::format("tensor {} of {} [{}]", quotedName(tensor.name), dtypeName(tensor.dtype),
                                         fmt::join(tensor.shape, ", "));
    if (!bytes)
        return what + " has no size in whole bytes";
    if (*bytes != tensor.bytes)
        return fmt::format("{} takes {} bytes, {} were given", what, *bytes, tensor.bytes);
    return std::nullopt;
}

} // namespace

std::string_view dtypeName(DType dtype)
{
    return kDtypeRows[static_cast<std::size_t>(dtype)].name;
}

unsigned dtypeBits(DType dtype)
{
    return kDtypeRows[static_cast<std::size_t>(dtype)].bits;
}

std::optional<DType> dtypeFromName(std::string_view name)
{
    for (std::size_t i = 0; i < kDtypeRows.size(); ++i)
        if (kDtypeRows[i].name == name)
            return static_cast<DType>(i);
    return std::nullopt;
}

std::optional<std::uint64_t> tensorBytes(DType dtype, std::span<const std::int64_t> shape)
{
    std::uint64_t bits = dtypeBits(dtype);
    bool empty = false;
    for (const std::int64_t extent : shape) {
        if (extent < 0)
            return std::nullopt;
        empty = empty || extent == 0;
        if (extent != 0 && __builtin_mul_overflow(bits, static_cast<std::uint64_t>(extent), &bits))
            return std::nullopt;
    }
    if (empty)
        return 0;
    return bits % 8 == 0 ? std::optional(bits / 8) : std::nullopt;
}

std::optional<std::string> tensorNameFault(std::string_view name)
{
    if (name.size() > kLongestName)
        return fmt::format("is {} bytes long; at most {} are taken", name.size(), kLongestName);
    if (name.find('\0') != std::string_view::npos)
        return "contains a NUL character";
    if (name.find('/') != std::string_view::npos)
        return "contains '/'";
    if (name.find("..") != std::string_view::npos)
        return "contains '..'";
    if (!isUtf8(name))
        return "is not UTF-8";
    return std::nullopt;
}

std::optional<std::string> tensorsFault(std::span<const TensorView> tensors)
{
    std::vector<std::string_view> names;
    for (const TensorView& tensor : tensors) {
        if (auto fault = faultOf(tensor))
            return fault;
        names.push_back(tensor.name);
    }
    std::sort(names.begin(), names.end());
    const auto same = std::adjacent_find(names.begin(), names.end());
    return same == names.end() ? std::nullopt
                               : std::optional(fmt::format("the tensor {} occurs twice", quotedName(*same)));
}

std::string quotedName(std::string_view name)
{
    constexpr std::size_t shown = 64;
    std::string text = "'";
    for (const char c : name.substr(0, shown)) {
        if (c >= 0x20 && c < 0x7f)
            text += c;
        else
            text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return text + (name.size() > shown ? "...'" : "'");
}

} // namespace unroll::format
