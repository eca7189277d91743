// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace unroll::format {

/// One protobuf message under construction, in the wire format of protobuf.dev/programming-guides/encoding. Fields
/// appear in the order of the calls; a nested message is built first and added with `message`. Written by hand because
/// torch brings a protobuf of its own.
class ProtobufMessage {
public:
    ProtobufMessage& varint(std::uint32_t field, std::uint64_t value);
    /// int32, int64 (negative numbers take ten bytes) and enums.
    ProtobufMessage& integer(std::uint32_t field, std::int64_t value)
    {
        return varint(field, static_cast<std::uint64_t>(value));
    }
    ProtobufMessage& float32(std::uint32_t field, float value);
    ProtobufMessage& float64(std::uint32_t field, double value);
    /// string and bytes.
    ProtobufMessage& bytes(std::uint32_t field, std::string_view value);
    ProtobufMessage& message(std::uint32_t field, const ProtobufMessage& value) { return bytes(field, value.m_bytes); }

    const std::string& encoded() const { return m_bytes; }

private:
    void key(std::uint32_t field, std::uint32_t wireType);
    void appendVarint(std::uint64_t value);

    std::string m_bytes;
};

} // namespace unroll::format
