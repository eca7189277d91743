// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

/// Lists of numbers one behind another as raw little-endian bytes, beside a JSON document that says where each lies:
/// ["f32", offset, count], offset in bytes. Numbers come back bit for bit, NaN too.
class BlockWriter {
public:
    Json put(std::span<const float> values);
    Json put(std::span<const double> values);
    Json put(std::span<const std::int64_t> values);
    Json put(std::string_view bytes);

    const std::string& bytes() const { return m_bytes; }
    std::string take() { return std::move(m_bytes); }

private:
    Json add(const char* type, const void* data, std::size_t count, std::size_t width);

    std::string m_bytes;
};

/// The same lists again. Nothing: the place is of another type, or does not lie in the bytes. The bytes must outlive
/// the reader.
class BlockReader {
public:
    explicit BlockReader(std::string_view bytes) : m_bytes(bytes) {}

    std::optional<std::vector<float>> floats(const Json& place) const;
    std::optional<std::vector<double>> doubles(const Json& place) const;
    std::optional<std::vector<std::int64_t>> wholes(const Json& place) const;
    std::optional<std::string_view> raw(const Json& place) const;

private:
    std::string_view m_bytes;
};

} // namespace unroll
