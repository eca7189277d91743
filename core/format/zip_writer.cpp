// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/zip_writer.h"

#include "core/format/little_endian.h"
#include "core/format/own_mark.h"

#include <algorithm>
#include <fmt/format.h>
#include <zlib.h>

namespace unroll::format {
namespace {

// Signatures and fixed numbers of zip records (PKWARE's APPNOTE 6.3.10, sections 4.3.7 to 4.5.3).
constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kDirectorySignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocatorSignature = 0x07064b50;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::uint16_t kZip64Extra = 0x0001;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kUtf8Flag = 0x0800;
constexpr std::uint16_t kSeeZip64Short = 0xffff;
constexpr std::uint16_t kPlainVersion = 20;
constexpr std::uint16_t kZip64Version = 45;
constexpr std::uint16_t kUnixHost = 3 << 8;
constexpr std::uint16_t kFirstOfJanuary1980 = 1 << 5 | 1;
constexpr std::uint32_t kOrdinaryFile = 0100644U << 16;
constexpr std::size_t kLongestEntryName = 0xffff;

std::uint16_t flagsFor(std::string_view name)
{
    const bool ascii =
        std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    return ascii ? 0 : kUtf8Flag;
}

void append16(std::string& out, std::size_t value)
{
    appendLittleEndian(out, static_cast<std::uint16_t>(value));
}

void append32(std::string& out, std::uint32_t value)
{
    appendLittleEndian(out, value);
}

void append64(std::string& out, std::uint64_t value)
{
    appendLittleEndian(out, value);
}

// What both headers of an entry have in common: flags, method, date, checksum, both sizes, length of the name.
void appendCommon(std::string& out, std::string_view name, std::uint32_t crc, std::uint32_t bytes)
{
    append16(out, flagsFor(name));
    append16(out, kStored);
    append16(out, 0); // midnight
    append16(out, kFirstOfJanuary1980);
    append32(out, crc);
    append32(out, bytes);
    append32(out, bytes);
    append16(out, name.size());
}

std::string zip64Field(std::string_view numbers)
{
    std::string field;
    if (numbers.empty())
        return field;
    append16(field, kZip64Extra);
    append16(field, numbers.size());
    return field.append(numbers);
}

/// CRC-32 over that of a first part, 0 to begin.
std::uint32_t crcOf(std::uint32_t before, std::string_view bytes)
{
    // crc32_z starts again, instead of going on, when the pointer is null.
    if (bytes.empty())
        return before;
    return static_cast<std::uint32_t>(::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

} // namespace

ZipWriter::ZipWriter(AtomicFile& file, std::uint64_t zip64From) : m_file(file), m_zip64From(zip64From) {}

Result<void> ZipWriter::add(std::string_view name, std::initializer_list<std::string_view> parts)
{
    if (name.size() > kLongestEntryName)
        return fail(fmt::format("the name of an entry is {} bytes long; a zip archive takes {}", name.size(),
                                kLongestEntryName));
    Entry entry{std::string(name), m_file.size(), 0, 0};
    for (const std::string_view part : parts) {
        entry.crc = crcOf(entry.crc, part);
        entry.bytes += part.size();
    }
    Result<void> written = write(localHeader(entry));
    for (const std::string_view part : parts)
        if (written)
            written = write(part);
    m_entries.push_back(std::move(entry));
    return written;
}

std::string ZipWriter::localHeader(const Entry& entry) const
{
    std::string numbers;
    if (wide(entry.bytes)) {
        append64(numbers, entry.bytes);
        append64(numbers, entry.bytes);
    }
    const std::string extra = zip64Field(numbers);
    std::string header;
    append32(header, kLocalSignature);
    append16(header, extra.empty() ? kPlainVersion : kZip64Version);
    appendCommon(header, entry.name, entry.crc, narrow(entry.bytes));
    append16(header, extra.size());
    return header + entry.name + extra;
}

std::string ZipWriter::directoryRecord(const Entry& entry) const
{
    std::string numbers;
    if (wide(entry.bytes)) {
        append64(numbers, entry.bytes);
        append64(numbers, entry.bytes);
    }
    if (wide(entry.headerAt))
        append64(numbers, entry.headerAt);
    const std::string extra = zip64Field(numbers);
    const std::uint16_t version = extra.empty() ? kPlainVersion : kZip64Version;
    std::string record;
    append32(record, kDirectorySignature);
    append16(record, kUnixHost | version);
    append16(record, version);
    appendCommon(record, entry.name, entry.crc, narrow(entry.bytes));
    append16(record, extra.size());
    append16(record, 0); // no comment
    append16(record, 0); // first disk
    append16(record, 0); // no internal attributes
    append32(record, kOrdinaryFile);
    append32(record, narrow(entry.headerAt));
    return record + entry.name + extra;
}

std::string ZipWriter::endRecords(std::uint64_t directoryAt, std::uint64_t directoryBytes) const
{
    const std::uint64_t count = m_entries.size();
    const bool manyEntries = count >= kSeeZip64Short || wide(count);
    std::string records;
    if (manyEntries || wide(directoryAt) || wide(directoryBytes)) {
        append32(records, kEnd64Signature);
        append64(records, kEnd64Bytes - 12); // what follows this number
        append16(records, kUnixHost | kZip64Version);
        append16(records, kZip64Version);
        append64(records, 0); // this disk and the directory's: the first
        append64(records, count);
        append64(records, count);
        append64(records, directoryBytes);
        append64(records, directoryAt);
        append32(records, kLocatorSignature);
        append32(records, 0);
        append64(records, directoryAt + directoryBytes);
        append32(records, 1); // one disk
    }
    append32(records, kEndSignature);
    append32(records, 0); // this disk and the directory's: the first
    append16(records, manyEntries ? kSeeZip64Short : count);
    append16(records, manyEntries ? kSeeZip64Short : count);
    append32(records, narrow(directoryBytes));
    append32(records, narrow(directoryAt));
    append16(records, m_kind.empty() ? 0 : blankMark(m_kind).size()); // of the comment
    return records;
}

Result<void> ZipWriter::finish()
{
    const std::uint64_t directoryAt = m_file.size();
    for (const Entry& entry : m_entries)
        if (auto written = write(directoryRecord(entry)); !written)
            return written;
    if (auto written = write(endRecords(directoryAt, m_file.size() - directoryAt)); !written)
        return written;
    return m_kind.empty() ? Result<void>() : m_file.write(ownMark(m_kind, m_sum.hex()));
}

Result<void> ZipWriter::write(std::string_view text)
{
    if (!m_kind.empty())
        m_sum.add(text);
    return m_file.write(text);
}

} // namespace unroll::format
