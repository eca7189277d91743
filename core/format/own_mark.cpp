// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/own_mark.h"

#include "core/base/input_file.h"
#include "core/format/little_endian.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace unroll::format {
namespace {

constexpr std::size_t kDigits = 64;
constexpr std::size_t kPiece = 1 << 20;           // bytes read at a time
constexpr std::uint64_t kLongestHeader = 1 << 27; // of safetensors
constexpr std::string_view kPngEnd("\0\0\0\0IEND\xae\x42\x60\x82", 12);

Result<std::string> bytesAt(const InputFile& file, std::uint64_t at, std::uint64_t count)
{
    std::string bytes(static_cast<std::size_t>(count), '\0');
    if (auto read = file.readAt(at, std::as_writable_bytes(std::span(bytes))); !read)
        return tl::unexpected(read.error());
    return bytes;
}

/// Adds a stretch of the file; false where it cannot be read.
bool addStretch(Sha256& sum, const InputFile& file, std::uint64_t from, std::uint64_t to)
{
    for (; from < to; from += std::min<std::uint64_t>(kPiece, to - from)) {
        const auto piece = bytesAt(file, from, std::min<std::uint64_t>(kPiece, to - from));
        if (!piece)
            return false;
        sum.add(*piece);
    }
    return true;
}

/// The digits behind a mark of this kind that begins at `at`; empty where none does.
std::string digitsAt(std::string_view text, std::size_t at, std::string_view kind)
{
    const std::size_t length = blankMark(kind).size();
    if (at > text.size() || text.size() - at < length)
        return {};
    const std::string digits(text.substr(at + length - kDigits, kDigits));
    return text.substr(at, length) == ownMark(kind, digits) ? digits : std::string();
}

/// What may stand behind a mark: the end of the line, of the archive, of a JSON document, of an XML comment, or of the
/// picture with the checksum of the mark's own piece.
bool mayFollow(std::string_view rest)
{
    return rest.empty() || rest == "\n" || rest == "\"}\n" || rest == " -->\n" ||
           (rest.size() == kPngEnd.size() + 4 && rest.ends_with(kPngEnd));
}

bool isMarkedAtEnd(const InputFile& file, std::string_view kind)
{
    const std::size_t most = blankMark(kind).size() + kPngEnd.size() + 4;
    const std::uint64_t from = file.size() - std::min<std::uint64_t>(file.size(), most);
    const auto tail = bytesAt(file, from, file.size() - from);
    const std::size_t at = tail ? tail->rfind("unroll:") : std::string::npos;
    if (at == std::string::npos)
        return false;
    const std::string digits = digitsAt(*tail, at, kind);
    Sha256 sum;
    return !digits.empty() && mayFollow(std::string_view(*tail).substr(at + blankMark(kind).size())) &&
           addStretch(sum, file, 0, from + at) && sum.hex() == digits;
}

/// The header of a safetensors file, its length before it; empty: it is none.
std::string safetensorsStart(const InputFile& file)
{
    const auto length = file.size() >= 8 ? bytesAt(file, 0, 8) : Result<std::string>(std::string());
    if (!length || length->empty())
        return {};
    const auto header = loadLittleEndian<std::uint64_t>(length->data());
    if (header > kLongestHeader || header > file.size() - 8)
        return {};
    return bytesAt(file, 0, header + 8).value_or(std::string());
}

bool isMarkedInHeader(const InputFile& file, std::string_view kind)
{
    std::string start = safetensorsStart(file);
    const std::string opening = fmt::format("unroll:{}:", kind);
    const std::size_t at = start.find(opening);
    if (at == std::string::npos)
        return false;
    const std::string digits = digitsAt(start, at, kind);
    if (digits.empty())
        return false;
    start.replace(at, blankMark(kind).size(), blankMark(kind));
    Sha256 sum;
    sum.add(start);
    return addStretch(sum, file, start.size(), file.size()) && sum.hex() == digits;
}

} // namespace

std::string ownMark(std::string_view kind, std::string_view hash)
{
    return fmt::format("unroll:{}:sha256={}", kind, hash);
}

std::string blankMark(std::string_view kind)
{
    return ownMark(kind, std::string(kDigits, '0'));
}

std::string markedText(std::string text, std::string_view kind, std::string_view comment)
{
    text += comment;
    return text + ownMark(kind, sha256(text)) + "\n";
}

bool isOwn(const std::filesystem::path& path, std::string_view kind)
{
    const auto file = InputFile::open(path);
    return file && (isMarkedAtEnd(*file, kind) || isMarkedInHeader(*file, kind));
}

} // namespace unroll::format
