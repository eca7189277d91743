// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_encoding.h"

#include "core/base/utf8.h"
#include "core/data/character_reader.h"

#include <algorithm>
#include <cstdint>

namespace unroll {

namespace {

using std::string_view_literals::operator""sv;

/// 0x80 to 0x9F of Windows-1252; 0: not used there.
constexpr char32_t kWindows[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                   0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                   0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                   0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

/// Whether two of five characters have a zero byte at the offset and almost none at the other one, as Latin letters
/// have in UTF-16.
bool zerosAt(std::string_view bytes, size_t offset)
{
    size_t zeros = 0, others = 0;
    for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
        zeros += bytes[i + offset] == '\0';
        others += bytes[i + 1 - offset] == '\0';
    }
    return zeros * 5 >= bytes.size() && others * 50 <= bytes.size();
}

std::string fromUtf16(std::string_view bytes, bool bigEndian)
{
    const auto unitAt = [&](size_t at) {
        const auto high = static_cast<uint8_t>(bytes[at + (bigEndian ? 0 : 1)]);
        const auto low = static_cast<uint8_t>(bytes[at + (bigEndian ? 1 : 0)]);
        return static_cast<char32_t>(high << 8 | low);
    };
    std::string text;
    text.reserve(bytes.size() / 2);
    for (size_t at = 0; at + 1 < bytes.size(); at += 2) {
        char32_t point = unitAt(at);
        if (at == 0 && point == 0xFEFF)
            continue;
        if (point >= 0xD800 && point < 0xDC00 && at + 3 < bytes.size() && (unitAt(at + 2) & 0xFC00) == 0xDC00) {
            point = 0x10000 + ((point - 0xD800) << 10) + (unitAt(at + 2) - 0xDC00);
            at += 2;
        }
        appendUtf8(text, point >= 0xD800 && point < 0xE000 ? kReplacementCharacter : point);
    }
    return text;
}

std::string fromWindows1252(std::string_view bytes)
{
    std::string text;
    text.reserve(bytes.size());
    for (const char c : bytes) {
        const auto byte = static_cast<uint8_t>(c);
        const char32_t point = byte >= 0x80 && byte < 0xA0 ? kWindows[byte - 0x80] : byte;
        appendUtf8(text, point == 0 && byte != 0 ? kReplacementCharacter : point);
    }
    return text;
}

} // namespace

const char* encodingName(TextEncoding encoding)
{
    switch (encoding) {
    case TextEncoding::Utf16Le: return "utf-16le";
    case TextEncoding::Utf16Be: return "utf-16be";
    case TextEncoding::Windows1252: return "windows-1252";
    case TextEncoding::Utf8: break;
    }
    return "utf-8";
}

Result<TextEncoding> encodingByName(std::string_view name)
{
    std::string plain;
    for (const char c : name)
        if (c != '-' && c != '_' && c != ' ')
            plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    if (plain == "utf8" || plain == "utf8sig" || plain == "ascii")
        return TextEncoding::Utf8;
    if (plain == "utf16le" || plain == "utf16")
        return TextEncoding::Utf16Le;
    if (plain == "utf16be")
        return TextEncoding::Utf16Be;
    if (plain == "windows1252" || plain == "cp1252" || plain == "latin1" || plain == "iso88591")
        return TextEncoding::Windows1252;
    return fail("expected auto, utf-8, utf-16le, utf-16be or windows-1252; got " + std::string(name));
}

TextEncoding findEncoding(std::string_view bytes)
{
    if (bytes.starts_with("\xFF\xFE"))
        return TextEncoding::Utf16Le;
    if (bytes.starts_with("\xFE\xFF"))
        return TextEncoding::Utf16Be;
    if (bytes.starts_with(kByteOrderMark))
        return TextEncoding::Utf8;
    if (bytes.size() > 1 && zerosAt(bytes, 1))
        return TextEncoding::Utf16Le;
    if (bytes.size() > 1 && zerosAt(bytes, 0))
        return TextEncoding::Utf16Be;
    size_t good = 0, bad = 0;
    for (size_t at = 0; at < bytes.size();) {
        if (static_cast<uint8_t>(bytes[at]) < 0x80) {
            ++at;
            continue;
        }
        const DecodedCharacter decoded = decodeUtf8(bytes, at);
        ++(decoded.valid ? good : bad);
        at += decoded.length;
    }
    return bad > good ? TextEncoding::Windows1252 : TextEncoding::Utf8;
}

std::string decodedText(std::string bytes, TextEncoding encoding)
{
    switch (encoding) {
    case TextEncoding::Utf16Le: return fromUtf16(bytes, false);
    case TextEncoding::Utf16Be: return fromUtf16(bytes, true);
    case TextEncoding::Windows1252: return fromWindows1252(bytes);
    case TextEncoding::Utf8: break;
    }
    if (bytes.starts_with(kByteOrderMark))
        bytes.erase(0, kByteOrderMark.size());
    return isUtf8(bytes) ? bytes : repairedUtf8(bytes);
}

namespace {

/// Of a zip archive, or its beginning: names are not compressed. An .ods file begins with its kind, and every .xlsx has
/// a list of kinds, in some programs' files at their end.
bool isWorkbook(std::string_view bytes)
{
    constexpr size_t kName = 30; // where the first one begins
    const std::string_view first = bytes.substr(std::min(kName, bytes.size()));
    for (const std::string_view begin :
         {"mimetypeapplication/vnd.oasis.opendocument"sv, "_rels/"sv, "docProps/"sv, "xl/"sv})
        if (first.starts_with(begin))
            return true;
    return bytes.find("[Content_Types].xml") != std::string_view::npos;
}

} // namespace

std::string noTextButWhat(std::string_view bytes)
{
    struct Kind {
        std::string_view begin;
        const char* words;
    };
    if (bytes.starts_with("PK\x03\x04"sv))
        return isWorkbook(bytes) ? "is a workbook (Excel, LibreOffice): save the sheet as CSV"
                                 : "is a zip archive: unpack it first";
    constexpr Kind kinds[] = {
        {"\xD0\xCF\x11\xE0"sv, "is an old Excel workbook: save the sheet as CSV"},
        {"PAR1"sv, "is a Parquet file: unroll-cli prepare writes it as JSON Lines"},
        {"\x1F\x8B"sv, "is compressed with gzip: unpack it first"},
        {"\x28\xB5\x2F\xFD"sv, "is compressed with zstd: unpack it first"},
        {"BZh"sv, "is compressed with bzip2: unpack it first"},
        {"\xFD"
         "7zXZ"sv,
         "is compressed with xz: unpack it first"},
        {"\x89"
         "HDF"sv,
         "is an HDF5 file: write the table as CSV"},
        {"\x93"
         "NUMPY"sv,
         "is a NumPy array: write it with numpy.savetxt"},
        {"SQLite format 3"sv, "is an SQLite database: write the table as CSV"},
        {"%PDF"sv, "is a PDF"},
        {"version https://git-lfs"sv, "is a Git LFS pointer, not the file itself: fetch it with git lfs pull"},
        {"version https://hawser"sv, "is a Git LFS pointer, not the file itself: fetch it with git lfs pull"},
        {"PK\x05\x06"sv, "is an empty zip archive"},
        {"ARROW1"sv, "is an Arrow file (Feather): write the table as CSV"},
        {"CDF\x01"sv, "is a NetCDF file: write the table as CSV"},
        {"CDF\x02"sv, "is a NetCDF file: write the table as CSV"},
        {"CDF\x05"sv, "is a NetCDF file: write the table as CSV"},
        {"MATLAB 5.0 MAT-file"sv, "is a MATLAB file: write the table with writematrix or writetable"},
        {"7z\xBC\xAF"sv, "is a 7-Zip archive: unpack it first"},
        {"Rar!\x1A"sv, "is a RAR archive: unpack it first"},
        {"\x89PNG"sv, "is an image (PNG)"},
        {"\xFF\xD8\xFF"sv, "is an image (JPEG)"},
        {"RIFF"sv, "is audio or video (RIFF)"},
        {"\0\0\xFE\xFF"sv, "is UTF-32: save it as UTF-8"},
        {"\xFF\xFE\0\0"sv, "is UTF-32: save it as UTF-8"},
    };
    for (const Kind& kind : kinds)
        if (bytes.starts_with(kind.begin))
            return kind.words;
    constexpr size_t kTarMark = 257;
    if (bytes.size() > kTarMark && bytes.substr(kTarMark).starts_with("ustar"))
        return "is a tar archive: unpack it first";
    std::string begin;
    for (const char c : bytes.substr(0, 64))
        begin += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    const size_t text = begin.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    const std::string_view rest = text == std::string::npos ? "" : std::string_view(begin).substr(text);
    return rest.starts_with("<!doctype html") || rest.starts_with("<html") ? std::string(kWebPage) : "";
}

} // namespace unroll
