// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace unroll::format {

/// Element types that safetensors knows, in its alignment order (smallest first): writers lay tensors out in the
/// reverse of it.
enum class DType : std::uint8_t {
    Bool,
    F4,
    F6E2M3,
    F6E3M2,
    U8,
    I8,
    F8E5M2,
    F8E4M3,
    F8E8M0,
    F8E4M3Fnuz,
    F8E5M2Fnuz,
    I16,
    U16,
    F16,
    BF16,
    I32,
    U32,
    F32,
    C64,
    F64,
    I64,
    U64,
};

inline constexpr std::size_t kDtypeCount = 22;

/// Name as safetensors spells it, e.g. "BF16".
std::string_view dtypeName(DType dtype);

/// Width of one element in bits; 4 and 6 occur.
unsigned dtypeBits(DType dtype);

std::optional<DType> dtypeFromName(std::string_view name);

/// Bytes that a row-major tensor takes. Nothing when a dimension is negative, the size overflows 64 bits (zero-size
/// dimensions do not hide an overflow of the others), or the bits do not fill whole bytes.
std::optional<std::uint64_t> tensorBytes(DType dtype, std::span<const std::int64_t> shape);

/// A tensor in someone else's memory, row-major and contiguous, little endian. `data` may be null when `bytes` is 0.
struct TensorView {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
};

/// A tensor with its own memory, laid out as in TensorView.
struct OwnedTensor {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    std::unique_ptr<std::byte[]> data;
    std::size_t bytes = 0;

    TensorView view() const { return {name, dtype, shape, data.get(), bytes}; }
};

/// Why a name may not be a tensor's, or nothing. Names are keys that people and other programs turn into paths and C
/// strings, so NUL, '/', ".." and more than 4096 bytes are refused, on writing and on reading alike; so is text that is
/// not UTF-8.
std::optional<std::string> tensorNameFault(std::string_view name);

/// Why these tensors may not go into one file together, or nothing: a bad name or one that comes twice, or data whose
/// length does not follow from dtype and shape.
std::optional<std::string> tensorsFault(std::span<const TensorView> tensors);

/// The name in quotes for a message: cut to 64 bytes, control characters and bytes outside ASCII shown as \xNN.
std::string quotedName(std::string_view name);

} // namespace unroll::format
