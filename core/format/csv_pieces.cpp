// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/csv_pieces.h"

#include "core/base/input_file.h"

#include <algorithm>

namespace unroll::format {
namespace {

constexpr std::uint64_t kPiece = 1 << 20;
constexpr std::uint64_t kLongestHeader = 1 << 16;

Result<std::string> readBytes(const InputFile& file, std::uint64_t from, std::uint64_t to)
{
    std::string bytes(to - from, '\0');
    if (auto read = file.readAt(from, std::as_writable_bytes(std::span(bytes))); !read)
        return tl::unexpected(read.error());
    return bytes;
}

struct Header {
    std::vector<std::string> columns;
    std::uint64_t end = 0; ///< where the rows begin
};

/// An empty one for a file that a writer has made and not yet started.
Result<Header> readHeader(const InputFile& file)
{
    auto start = readBytes(file, 0, std::min(file.size(), kLongestHeader));
    if (!start)
        return tl::unexpected(start.error());
    const auto endOfLine = start->find('\n');
    if (endOfLine == std::string::npos && start->size() < kLongestHeader)
        return Header{};
    auto records = parseCsv(std::string_view(*start).substr(0, endOfLine + 1));
    if (records.empty())
        return fail("has no line of column names", file.path().string());
    auto columns = logColumns(records[0]);
    if (!columns)
        return fail(columns.error().message, file.path().string());
    return Header{std::move(*columns), endOfLine + 1};
}

/// All whole lines of `text` as rows.
Result<void> takeRows(std::string_view text, const Header& header, const InputFile& file,
                      const std::function<void(LogRow row)>& take)
{
    for (const auto& record : parseCsv(text)) {
        auto row = logRow(record, header.columns);
        if (!row)
            return fail(row.error().message, file.path().string());
        take(std::move(*row));
    }
    return {};
}

} // namespace

Result<void> readCsvRows(const std::filesystem::path& path, const std::function<void(LogRow row)>& take)
{
    const auto file = InputFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    const auto header = readHeader(*file);
    if (!header)
        return tl::unexpected(header.error());
    std::string text; // begins at the beginning of a line
    for (std::uint64_t at = header->end; at < file->size(); at += kPiece) {
        const auto piece = readBytes(*file, at, std::min(at + kPiece, file->size()));
        if (!piece)
            return tl::unexpected(piece.error());
        text += *piece;
        const auto whole = text.rfind('\n') + 1; // 0 where no line ends here
        if (auto taken = takeRows(std::string_view(text).substr(0, whole), *header, *file, take); !taken)
            return taken;
        text.erase(0, whole);
        if (text.size() > kPiece)
            return fail("has a line of more than a MiB", file->path().string());
    }
    return {};
}

Result<LogTable> readCsvTail(const std::filesystem::path& path, std::uint64_t bytes)
{
    const auto file = InputFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    const auto header = readHeader(*file);
    if (!header)
        return tl::unexpected(header.error());
    const std::uint64_t from = std::max(header->end, file->size() - std::min(bytes, file->size()));
    const auto text = readBytes(*file, from, file->size());
    if (!text)
        return tl::unexpected(text.error());
    const std::size_t begin = from == header->end ? 0 : text->find('\n') + 1;
    LogTable table{header->columns, {}};
    const auto keep = [&table](LogRow row) { table.rows.push_back(std::move(row)); };
    if (auto taken = takeRows(std::string_view(*text).substr(begin), *header, *file, keep); !taken)
        return tl::unexpected(taken.error());
    return table;
}

} // namespace unroll::format
