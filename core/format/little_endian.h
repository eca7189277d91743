// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace unroll::format {

// Tensors go to files as they lie in memory; a big-endian machine would need a swap that nobody could test.
static_assert(std::endian::native == std::endian::little);

template <class T>
T loadLittleEndian(const void* from)
{
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
void appendLittleEndian(std::string& out, T value)
{
    static_assert(std::is_trivially_copyable_v<T>);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof value);
}

} // namespace unroll::format
