// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/little_endian.h"
#include "core/format/tensor_view.h"
#include "core/format/zip.h"
#include "core/format/zip_layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace unroll::format {
namespace {

constexpr std::uint64_t mostEntries = 100'000;

std::uint16_t load16(std::string_view record, std::size_t at)
{
    return loadLittleEndian<std::uint16_t>(record.data() + at);
}

std::uint32_t load32(std::string_view record, std::size_t at)
{
    return loadLittleEndian<std::uint32_t>(record.data() + at);
}

std::uint64_t load64(std::string_view record, std::size_t at)
{
    return loadLittleEndian<std::uint64_t>(record.data() + at);
}

Result<std::string> readText(const InputFile& file, std::uint64_t offset, std::uint64_t bytes)
{
    std::string text(static_cast<std::size_t>(bytes), '\0');
    if (auto read = file.readAt(offset, std::as_writable_bytes(std::span(text))); !read)
        return tl::unexpected(read.error());
    return text;
}

struct Directory {
    std::uint64_t at = 0;
    std::uint64_t bytes = 0;
    std::uint64_t entries = 0;
};

// The end record lies at the very end, but for a comment whose length it tells.
Result<std::uint64_t> findEnd(const InputFile& file)
{
    constexpr std::uint64_t longestComment = 0xffff;
    if (file.size() < zip::endBytes)
        return fail(fmt::format("is {} bytes long, too short for a zip archive", file.size()), file.place(0));
    const std::uint64_t from = file.size() - std::min(file.size(), longestComment + zip::endBytes);
    const auto tail = readText(file, from, file.size() - from);
    if (!tail)
        return tl::unexpected(tail.error());
    for (std::size_t at = tail->size() - zip::endBytes + 1; at-- > 0;)
        if (load32(*tail, at) == zip::endSignature && at + zip::endBytes + load16(*tail, at + 20) == tail->size())
            return from + at;
    return fail("has no zip directory at its end: it is truncated or not a zip archive", file.place(file.size()));
}

// The zip64 end record, when its locator lies before the end record. `end` becomes where the directory must end.
Result<std::optional<Directory>> readEnd64(const InputFile& file, std::uint64_t& end)
{
    if (end < zip::locatorBytes + zip::end64Bytes)
        return std::optional<Directory>();
    const auto locator = readText(file, end - zip::locatorBytes, zip::locatorBytes);
    if (!locator)
        return tl::unexpected(locator.error());
    if (load32(*locator, 0) != zip::locatorSignature)
        return std::optional<Directory>();
    const std::uint64_t at = load64(*locator, 8);
    if (at != end - zip::locatorBytes - zip::end64Bytes)
        return fail("the zip64 locator points elsewhere than to the record before it",
                    file.place(end - zip::locatorBytes));
    const auto record = readText(file, at, zip::end64Bytes);
    if (!record)
        return tl::unexpected(record.error());
    if (load32(*record, 0) != zip::end64Signature || load64(*record, 4) != zip::end64Bytes - 12 ||
        load64(*record, 16) != 0 || load64(*record, 24) != load64(*record, 32))
        return fail("the zip64 end record is damaged", file.place(at));
    end = at;
    return std::optional<Directory>({load64(*record, 48), load64(*record, 40), load64(*record, 32)});
}

Result<Directory> findDirectory(const InputFile& file)
{
    const auto endAt = findEnd(file);
    if (!endAt)
        return tl::unexpected(endAt.error());
    const auto record = readText(file, *endAt, zip::endBytes);
    if (!record)
        return tl::unexpected(record.error());
    if (load32(*record, 4) != 0 || load16(*record, 8) != load16(*record, 10))
        return fail("is one part of an archive of several", file.place(*endAt));
    Directory directory{load32(*record, 16), load32(*record, 12), load16(*record, 10)};
    std::uint64_t directoryEnd = *endAt;
    const auto wide = readEnd64(file, directoryEnd);
    if (!wide)
        return tl::unexpected(wide.error());
    if (*wide)
        directory = **wide;
    if (directory.bytes > directoryEnd || directory.at != directoryEnd - directory.bytes)
        return fail("the zip directory does not lie where its end record says", file.place(*endAt));
    if (directory.entries > mostEntries || directory.entries > directory.bytes / zip::directoryBytes)
        return fail(fmt::format("claims {} entries in a directory of {} bytes", directory.entries, directory.bytes),
                    file.place(*endAt));
    return directory;
}

// Sizes and offset that the plain record leaves to the zip64 field come there in this order, and only those.
bool widen(std::string_view extra, std::uint64_t& bytes, std::uint64_t& packed, std::uint64_t& headerAt)
{
    while (extra.size() >= 4) {
        const std::size_t length = load16(extra, 2);
        if (length > extra.size() - 4)
            return false;
        std::string_view field = extra.substr(4, length);
        if (load16(extra, 0) == zip::zip64Extra)
            for (std::uint64_t* number : {&bytes, &packed, &headerAt}) {
                if (*number != zip::seeZip64)
                    continue;
                if (field.size() < 8)
                    return false;
                *number = load64(field, 0);
                field.remove_prefix(8);
            }
        extra.remove_prefix(4 + length);
    }
    return extra.empty();
}

class DirectoryReader {
public:
    DirectoryReader(const InputFile& file, const Directory& directory) : m_file(file), m_directory(directory) {}

    Result<std::vector<ZipEntry>> read()
    {
        const auto records = readText(m_file, m_directory.at, m_directory.bytes);
        if (!records)
            return tl::unexpected(records.error());
        m_entries.reserve(static_cast<std::size_t>(m_directory.entries));
        std::string_view rest = *records;
        for (std::uint64_t i = 0; i < m_directory.entries; ++i)
            if (auto taken = takeRecord(rest); !taken)
                return tl::unexpected(taken.error());
        if (!rest.empty())
            return refuse(rest, "bytes after the last entry of the zip directory");
        if (auto apart = checkApart(); !apart)
            return tl::unexpected(apart.error());
        return std::move(m_entries);
    }

private:
    tl::unexpected<Error> refuse(std::string_view rest, std::string message) const
    {
        return fail(std::move(message), m_file.place(m_directory.at + m_directory.bytes - rest.size()));
    }

    Result<void> takeRecord(std::string_view& rest)
    {
        if (rest.size() < zip::directoryBytes || load32(rest, 0) != zip::directorySignature)
            return refuse(rest, "no entry of the zip directory, where one was expected");
        const std::size_t nameBytes = load16(rest, 28);
        const std::size_t extraBytes = load16(rest, 30);
        const std::size_t length = zip::directoryBytes + nameBytes + extraBytes + load16(rest, 32);
        if (length > rest.size())
            return refuse(rest, "an entry of the zip directory reaches beyond its end");
        ZipEntry entry{std::string(rest.substr(zip::directoryBytes, nameBytes)), load32(rest, 42), 0, load32(rest, 24),
                       load32(rest, 16)};
        std::uint64_t packed = load32(rest, 20);
        const std::string name = quotedName(entry.name);
        if (!widen(rest.substr(zip::directoryBytes + nameBytes, extraBytes), entry.bytes, packed, entry.headerAt))
            return refuse(rest, fmt::format("the extra fields of {} are damaged", name));
        if ((load16(rest, 8) & zip::encryptedFlag) != 0)
            return refuse(rest, fmt::format("{} is encrypted", name));
        if (load16(rest, 10) != zip::stored)
            return refuse(rest,
                          fmt::format("{} is compressed; only uncompressed archives are read (numpy.savez)", name));
        if (packed != entry.bytes)
            return refuse(rest, fmt::format("{} is stored, yet has two sizes: {} and {}", name, packed, entry.bytes));
        if (auto located = locate(entry); !located)
            return located;
        m_entries.push_back(std::move(entry));
        rest.remove_prefix(length);
        return {};
    }

    // Finds the data behind the entry's local header, which must tell the same name and method.
    Result<void> locate(ZipEntry& entry) const
    {
        const auto damaged = [&](std::string_view fault) {
            return fail(fmt::format("{} {}", quotedName(entry.name), fault), m_file.place(entry.headerAt));
        };
        const std::uint64_t least = zip::localBytes + entry.name.size();
        if (entry.headerAt > m_directory.at || m_directory.at - entry.headerAt < least)
            return damaged("begins beyond the data of the archive");
        const auto header = readText(m_file, entry.headerAt, least);
        if (!header)
            return tl::unexpected(header.error());
        if (load32(*header, 0) != zip::localSignature)
            return damaged("has no entry where the directory says");
        if (load16(*header, 8) != zip::stored || (load16(*header, 6) & zip::encryptedFlag) != 0 ||
            load16(*header, 26) != entry.name.size() || std::string_view(*header).substr(zip::localBytes) != entry.name)
            return damaged("is another entry than the directory says");
        const std::uint64_t before = least + load16(*header, 28);
        const std::uint64_t room = m_directory.at - entry.headerAt;
        if (before > room || entry.bytes > room - before)
            return damaged(fmt::format("takes {} bytes, more than the archive holds", entry.bytes));
        entry.dataAt = entry.headerAt + before;
        return {};
    }

    // Entries that share bytes are how a small archive becomes a huge one; two of one name are read differently by
    // different programs.
    Result<void> checkApart()
    {
        std::sort(m_entries.begin(), m_entries.end(),
                  [](const ZipEntry& a, const ZipEntry& b) { return a.headerAt < b.headerAt; });
        if ((m_entries.empty() ? m_directory.at : m_entries.front().headerAt) != 0)
            return fail("bytes before the first entry of the archive", m_file.place(0));
        std::uint64_t end = 0;
        for (const ZipEntry& entry : m_entries) {
            if (entry.headerAt < end)
                return fail(fmt::format("{} overlaps another entry", quotedName(entry.name)),
                            m_file.place(entry.headerAt));
            end = entry.dataAt + entry.bytes;
        }
        return checkUnique();
    }

    Result<void> checkUnique() const
    {
        std::vector<std::string_view> names(m_entries.size());
        std::transform(m_entries.begin(), m_entries.end(), names.begin(),
                       [](const ZipEntry& entry) { return std::string_view(entry.name); });
        std::sort(names.begin(), names.end());
        if (const auto same = std::adjacent_find(names.begin(), names.end()); same != names.end())
            return fail(fmt::format("{} occurs twice", quotedName(*same)), m_file.place(m_directory.at));
        return {};
    }

    const InputFile& m_file;
    Directory m_directory;
    std::vector<ZipEntry> m_entries;
};

} // namespace

Result<std::vector<ZipEntry>> readZipDirectory(const InputFile& file)
{
    const auto directory = findDirectory(file);
    if (!directory)
        return tl::unexpected(directory.error());
    return DirectoryReader(file, *directory).read();
}

} // namespace unroll::format
