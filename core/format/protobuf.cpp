// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/protobuf.h"

#include "core/format/little_endian.h"

namespace unroll::format {
namespace {

enum WireType : std::uint32_t { Varint = 0, Fixed64 = 1, LengthDelimited = 2, Fixed32 = 5 };

} // namespace

ProtobufMessage& ProtobufMessage::varint(std::uint32_t field, std::uint64_t value)
{
    key(field, Varint);
    appendVarint(value);
    return *this;
}

ProtobufMessage& ProtobufMessage::float32(std::uint32_t field, float value)
{
    key(field, Fixed32);
    appendLittleEndian(m_bytes, value);
    return *this;
}

ProtobufMessage& ProtobufMessage::float64(std::uint32_t field, double value)
{
    key(field, Fixed64);
    appendLittleEndian(m_bytes, value);
    return *this;
}

ProtobufMessage& ProtobufMessage::bytes(std::uint32_t field, std::string_view value)
{
    key(field, LengthDelimited);
    appendVarint(value.size());
    m_bytes += value;
    return *this;
}

void ProtobufMessage::key(std::uint32_t field, std::uint32_t wireType)
{
    appendVarint(std::uint64_t(field) << 3 | wireType);
}

void ProtobufMessage::appendVarint(std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        m_bytes += static_cast<char>(value | 0x80);
    m_bytes += static_cast<char>(value);
}

} // namespace unroll::format
