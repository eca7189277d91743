// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/zip_archive.h"

#include "core/base/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <zlib.h>

namespace unroll {

namespace {

// Records of a zip archive: PKWARE's APPNOTE 6.3.10, sections 4.3.7 to 4.5.3.
constexpr std::string_view kZipEnd{"PK\x05\x06"}, kZip64Locator{"PK\x06\x07"}, kZip64End{"PK\x06\x06"},
    kZipDirectory{"PK\x01\x02"}, kZipLocal{"PK\x03\x04"};
constexpr size_t kZipEndBytes = 22, kZipMostComment = 65'535, kZip64LocatorBytes = 20, kZip64EndBytes = 56,
                 kZipDirectoryBytes = 46, kZipLocalBytes = 30;
constexpr uint64_t kZipWide = 0xffffffff; // the number stands in the zip64 record
constexpr uint64_t kZipMostDirectory = uint64_t{64} << 20;
constexpr uint16_t kZip64Extra = 1, kStored = 0, kDeflated = 8, kEncrypted = 1;
constexpr size_t kZipPiece = 1 << 18; // of packed bytes

uint64_t zipNumber(std::string_view bytes, size_t at, size_t width)
{
    uint64_t number = 0;
    for (size_t i = 0; i < width; ++i)
        number |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return number;
}

Result<std::string> bytesAt(const InputFile& file, uint64_t at, uint64_t count)
{
    if (at > file.size() || count > file.size() - at)
        return fail("is truncated: it may not have been downloaded completely", file.path().string());
    std::string bytes(static_cast<size_t>(count), '\0');
    if (auto read = file.readAt(at, std::as_writable_bytes(std::span(bytes))); !read)
        return tl::unexpected(read.error());
    return bytes;
}

struct Directory {
    uint64_t at = 0, bytes = 0, entries = 0;
};

Result<Directory> wideDirectory(const InputFile& file, uint64_t end, Directory found)
{
    if (end < kZip64LocatorBytes)
        return found;
    const auto locator = bytesAt(file, end - kZip64LocatorBytes, kZip64LocatorBytes);
    if (!locator || !locator->starts_with(kZip64Locator))
        return found;
    const auto record = bytesAt(file, zipNumber(*locator, 8, 8), kZip64EndBytes);
    if (!record)
        return tl::unexpected(record.error());
    if (!record->starts_with(kZip64End))
        return fail("is not a readable zip archive: its zip64 directory is not where it should be",
                    file.path().string());
    return Directory{zipNumber(*record, 48, 8), zipNumber(*record, 40, 8), zipNumber(*record, 32, 8)};
}

Result<Directory> directoryOf(const InputFile& file)
{
    const uint64_t looked = std::min<uint64_t>(file.size(), kZipEndBytes + kZipMostComment);
    const auto tail = bytesAt(file, file.size() - looked, looked);
    if (!tail)
        return tl::unexpected(tail.error());
    const size_t place = tail->rfind(kZipEnd);
    if (place == std::string::npos || tail->size() - place < kZipEndBytes)
        return fail("is a zip archive without its end: it may not have been downloaded completely",
                    file.path().string());
    if (zipNumber(*tail, place + 4, 2) != 0 && zipNumber(*tail, place + 4, 2) != 0xffff)
        return fail("is one of several parts of a zip archive", file.path().string());
    const Directory found{zipNumber(*tail, place + 16, 4), zipNumber(*tail, place + 12, 4),
                          zipNumber(*tail, place + 10, 2)};
    return wideDirectory(file, file.size() - looked + place, found);
}

/// Numbers of 64 bits stand in a field of their own, in this order, where the ordinary one has all bits set.
void takeWide(std::string_view extra, ZipArchive::Entry& entry)
{
    while (extra.size() >= 4) {
        const uint64_t kind = zipNumber(extra, 0, 2), size = zipNumber(extra, 2, 2);
        if (size > extra.size() - 4)
            return;
        std::string_view field = extra.substr(4, static_cast<size_t>(size));
        for (uint64_t* number : {&entry.bytes, &entry.packed, &entry.at})
            if (kind == kZip64Extra && *number == kZipWide && field.size() >= 8) {
                *number = zipNumber(field, 0, 8);
                field.remove_prefix(8);
            }
        extra.remove_prefix(4 + static_cast<size_t>(size));
    }
}

Result<std::vector<ZipArchive::Entry>> entriesOf(const InputFile& file)
{
    const auto place = directoryOf(file);
    if (!place)
        return tl::unexpected(place.error());
    if (place->bytes > kZipMostDirectory)
        return fail(
            fmt::format("has a directory of {}; the limit is {}", sizeText(place->bytes), sizeText(kZipMostDirectory)),
            file.path().string());
    const auto bytes = bytesAt(file, place->at, place->bytes);
    if (!bytes)
        return tl::unexpected(bytes.error());
    std::vector<ZipArchive::Entry> entries;
    std::string_view left = *bytes;
    while (left.size() >= kZipDirectoryBytes && left.starts_with(kZipDirectory)) {
        const size_t name = zipNumber(left, 28, 2), extra = zipNumber(left, 30, 2), comment = zipNumber(left, 32, 2);
        if (left.size() < kZipDirectoryBytes + name + extra + comment)
            break;
        ZipArchive::Entry entry{std::string(left.substr(kZipDirectoryBytes, name)),
                                zipNumber(left, 42, 4),
                                zipNumber(left, 20, 4),
                                zipNumber(left, 24, 4),
                                static_cast<uint32_t>(zipNumber(left, 16, 4)),
                                static_cast<uint16_t>(zipNumber(left, 10, 2)),
                                static_cast<uint16_t>(zipNumber(left, 8, 2))};
        takeWide(left.substr(kZipDirectoryBytes + name, extra), entry);
        entries.push_back(std::move(entry));
        left.remove_prefix(kZipDirectoryBytes + name + extra + comment);
    }
    if (entries.size() != place->entries)
        return fail(fmt::format("is damaged: its directory has {} of {} entries", entries.size(), place->entries),
                    file.path().string());
    return entries;
}

/// One entry as a text.
class TextOfEntry final : public TextStream {
public:
    TextOfEntry(std::shared_ptr<const InputFile> file, ZipArchive::Entry entry)
        : m_file(std::move(file)), m_entry(std::move(entry)), m_name(m_file->path().string() + "/" + m_entry.name)
    {}
    std::optional<uint64_t> size() const override { return m_entry.bytes; }
    Result<void> read(const Take& take) const override;

private:
    struct Sums {
        uint64_t bytes = 0;
        uLong crc = crc32(0, nullptr, 0);
    };
    Result<void> unpack(uint64_t at, const Take& take) const;
    Result<void> inflated(z_stream& stream, std::string_view packed, std::string& room, const Take& take) const;
    Result<uint64_t> beginning() const;

    std::shared_ptr<const InputFile> m_file;
    ZipArchive::Entry m_entry;
    std::string m_name;
};

Result<uint64_t> TextOfEntry::beginning() const
{
    if ((m_entry.flags & kEncrypted) != 0)
        return fail("is encrypted: unpack it first", m_name);
    if (m_entry.method != kStored && m_entry.method != kDeflated)
        return fail(
            fmt::format("is compressed by method {}, and only deflate is supported: unpack it first", m_entry.method),
            m_name);
    const auto header = bytesAt(*m_file, m_entry.at, kZipLocalBytes);
    if (!header)
        return tl::unexpected(header.error());
    if (!header->starts_with(kZipLocal))
        return fail("is damaged: it does not begin where the directory says", m_name);
    return m_entry.at + kZipLocalBytes + zipNumber(*header, 26, 2) + zipNumber(*header, 28, 2);
}

Result<void> TextOfEntry::read(const Take& take) const
{
    const auto at = beginning();
    if (!at)
        return tl::unexpected(at.error());
    Sums sums;
    auto read = unpack(*at, [&](std::string_view piece) -> Result<void> {
        sums.bytes += piece.size();
        if (sums.bytes > m_entry.bytes) // before it fills a disk
            return fail(
                fmt::format("is damaged: it unpacks to more than the {} bytes that the archive says", m_entry.bytes),
                m_name);
        sums.crc = crc32_z(sums.crc, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
        return take(piece);
    });
    if (!read)
        return read;
    if (sums.bytes != m_entry.bytes)
        return fail(fmt::format("is damaged: it unpacks to {} bytes; the archive says {}", sums.bytes, m_entry.bytes),
                    m_name);
    if (sums.crc != m_entry.crc)
        return fail(fmt::format("is damaged: its checksum is {:08x}; the archive says {:08x}", sums.crc, m_entry.crc),
                    m_name);
    return {};
}

Result<void> TextOfEntry::unpack(uint64_t at, const Take& take) const
{
    z_stream stream = {};
    constexpr int kRawDeflate = -15;
    if (inflateInit2(&stream, kRawDeflate) != Z_OK)
        return fail("cannot be unpacked: not enough memory", m_name);
    std::string room(4 * kZipPiece, '\0');
    Result<void> done;
    for (uint64_t left = m_entry.packed; left > 0 && done;) {
        const auto packed = bytesAt(*m_file, at, std::min<uint64_t>(left, kZipPiece));
        done = !packed                     ? Result<void>(tl::unexpected(packed.error()))
               : m_entry.method == kStored ? take(*packed)
                                           : inflated(stream, *packed, room, take);
        at += packed ? packed->size() : 0;
        left -= packed ? packed->size() : 0;
    }
    inflateEnd(&stream);
    return done;
}

Result<void> TextOfEntry::inflated(z_stream& stream, std::string_view packed, std::string& room, const Take& take) const
{
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data())); // zlib does not write there
    stream.avail_in = static_cast<uInt>(packed.size());
    do {
        stream.next_out = reinterpret_cast<Bytef*>(room.data());
        stream.avail_out = static_cast<uInt>(room.size());
        const int state = inflate(&stream, Z_NO_FLUSH);
        if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
            return fail("is damaged: it cannot be unpacked", m_name);
        const size_t got = room.size() - stream.avail_out;
        if (got > 0)
            if (auto taken = take(std::string_view(room).substr(0, got)); !taken)
                return taken;
        if (state == Z_STREAM_END)
            return {};
    } while (stream.avail_out == 0);
    return {};
}

} // namespace

Result<ZipArchive> ZipArchive::open(const std::filesystem::path& file)
{
    auto open = InputFile::open(file);
    if (!open)
        return tl::unexpected(open.error());
    ZipArchive archive(std::move(*open));
    auto entries = entriesOf(*archive.m_file);
    if (!entries)
        return tl::unexpected(entries.error());
    for (Entry& entry : *entries)
        if (!entry.name.ends_with('/') && !entry.name.starts_with("__MACOSX/"))
            archive.m_entries.push_back(std::move(entry));
    return archive;
}

std::vector<std::string> ZipArchive::names() const
{
    std::vector<std::string> names;
    for (const Entry& entry : m_entries)
        names.push_back(entry.name);
    return names;
}

std::shared_ptr<const TextStream> ZipArchive::entry(size_t i) const
{
    return std::make_shared<const TextOfEntry>(m_file, m_entries.at(i));
}

bool looksLikeZip(std::string_view bytes)
{
    return bytes.starts_with(kZipLocal) || bytes.starts_with(kZipEnd);
}

} // namespace unroll
