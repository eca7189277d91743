// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/safetensors_scanner.h"

#include "core/base/utf8.h"

#include <fmt/format.h>
#include <limits>

namespace unroll::format {
namespace {

constexpr std::size_t kHighestRank = 64;
constexpr std::size_t kLengthBytes = 8; // before the header in the file

enum Field : unsigned { DTypeField = 1, ShapeField = 2, OffsetsField = 4, AllFields = 7 };

std::string shown(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7f ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02x}", byte);
}

// Stands for itself inside a string, and takes one byte.
bool isPlain(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

bool isSurrogate(char32_t c, char32_t first)
{
    return c >= first && c < first + 0x400;
}

} // namespace

SafetensorsScanner::SafetensorsScanner(std::span<char> text, std::uint64_t dataBytes,
                                       std::vector<SafetensorsHeader::Entry>& entries,
                                       std::vector<SafetensorsHeader::Pair>& metadata)
    : m_text(text), m_dataBytes(dataBytes), m_entries(entries), m_metadata(metadata)
{}

std::optional<Error> SafetensorsScanner::scan()
{
    if (!object([this] { return member(); }))
        return m_error;
    skipSpace();
    if (m_at != m_text.size())
        refuse(fmt::format("unexpected {} after the header's closing brace", shown(m_text[m_at])));
    return m_error;
}

bool SafetensorsScanner::member()
{
    Span key;
    if (!string(key) || !expect(':', "a name"))
        return false;
    return view(key) == "__metadata__" ? metadata() : checkName(key) && tensor(key);
}

bool SafetensorsScanner::metadata()
{
    if (m_metadataSeen)
        return refuse("__metadata__ occurs twice");
    m_metadataSeen = true;
    return object([this] {
        Span key;
        Span value;
        if (!string(key) || !expect(':', "a metadata key"))
            return false;
        skipSpace();
        if (m_at < m_text.size() && m_text[m_at] != '"')
            return refuse(fmt::format("metadata {} is not a string", quotedName(view(key))));
        if (!string(value))
            return false;
        if (m_metadata.size() == kSafetensorsMetadataLimit)
            return refuse(fmt::format("more than {} metadata entries", kSafetensorsMetadataLimit));
        m_metadata.push_back({key.at, key.bytes, value.at, value.bytes});
        return true;
    });
}

bool SafetensorsScanner::checkName(Span span)
{
    const auto fault = tensorNameFault(view(span));
    return !fault || refuseAt(span.at, fmt::format("the tensor name {} {}", quotedName(view(span)), *fault));
}

bool SafetensorsScanner::tensor(Span name)
{
    SafetensorsHeader::Entry entry = {};
    entry.nameAt = name.at;
    entry.nameBytes = name.bytes;
    unsigned seen = 0;
    if (!object([&] { return tensorField(entry, seen); }))
        return false;
    for (const auto& [field, word] :
         {std::pair(DTypeField, "dtype"), {ShapeField, "shape"}, {OffsetsField, "data_offsets"}})
        if (!(seen & field))
            return refuse(fmt::format("tensor {} has no {}", quotedName(view(name)), word));
    if (!checkTensor(entry))
        return false;
    m_entries.push_back(entry);
    return true;
}

bool SafetensorsScanner::tensorField(SafetensorsHeader::Entry& entry, unsigned& seen)
{
    Span key;
    if (!string(key) || !expect(':', "a field name"))
        return false;
    const std::string_view word = view(key);
    const unsigned field = word == "dtype"          ? DTypeField
                           : word == "shape"        ? ShapeField
                           : word == "data_offsets" ? OffsetsField
                                                    : 0U;
    if (field == 0)
        return refuseAt(key.at, fmt::format("a tensor has no field {}", quotedName(word)));
    if (seen & field)
        return refuseAt(key.at, fmt::format("{} occurs twice", word));
    seen |= field;
    return field == DTypeField ? dtype(entry) : field == ShapeField ? shape(entry) : offsets(entry);
}

bool SafetensorsScanner::dtype(SafetensorsHeader::Entry& entry)
{
    Span word;
    if (!string(word))
        return false;
    const auto dtype = dtypeFromName(view(word));
    if (!dtype)
        return refuseAt(word.at, fmt::format("unknown dtype {}", quotedName(view(word))));
    entry.dtype = *dtype;
    return true;
}

bool SafetensorsScanner::shape(SafetensorsHeader::Entry& entry)
{
    m_extents.clear();
    if (!expect('[', "\"shape\":"))
        return false;
    entry.shapeAt = static_cast<std::uint32_t>(m_at);
    if (next(']'))
        return true;
    do {
        std::uint64_t extent = 0;
        if (!number(std::numeric_limits<std::int64_t>::max(), extent))
            return false;
        if (m_extents.size() == kHighestRank)
            return refuse(fmt::format("more than {} dimensions", kHighestRank));
        m_extents.push_back(static_cast<std::int64_t>(extent));
    } while (next(','));
    return expect(']', "the dimensions");
}

bool SafetensorsScanner::offsets(SafetensorsHeader::Entry& entry)
{
    constexpr auto limit = std::numeric_limits<std::uint64_t>::max();
    return expect('[', "\"data_offsets\":") && number(limit, entry.begin) && expect(',', "the first data offset") &&
           number(limit, entry.end) && expect(']', "the second data offset");
}

bool SafetensorsScanner::checkTensor(const SafetensorsHeader::Entry& entry)
{
    const auto refuseTensor = [&](std::string_view fault) {
        return refuse(fmt::format("tensor {} {}", quotedName(view({entry.nameAt, entry.nameBytes})), fault));
    };
    if (entry.end < entry.begin)
        return refuseTensor(fmt::format("ends at {}, before its begin at {}", entry.end, entry.begin));
    if (entry.end > m_dataBytes)
        return refuseTensor(
            fmt::format("ends at {}, but the file has {} bytes of data: it is truncated, fetch or copy it again",
                        entry.end, m_dataBytes));
    const auto bytes = tensorBytes(entry.dtype, m_extents);
    if (!bytes)
        return refuseTensor("has a size that is not a whole number of bytes below 2^61");
    const std::uint64_t taken = entry.end - entry.begin;
    return taken == *bytes ||
           refuseTensor(fmt::format("takes {} bytes by its shape, {} by its data_offsets", *bytes, taken));
}

template <class Member>
bool SafetensorsScanner::object(Member member)
{
    if (!expect('{', ""))
        return false;
    if (next('}'))
        return true;
    do {
        if (!member())
            return false;
    } while (next(','));
    return expect('}', "a value");
}

bool SafetensorsScanner::string(Span& out)
{
    if (!expect('"', ""))
        return false;
    const std::size_t begin = m_at;
    while (m_at < m_text.size() && isPlain(m_text[m_at]))
        ++m_at;
    std::size_t writeAt = m_at;
    while (m_at < m_text.size() && m_text[m_at] != '"')
        if (!(m_text[m_at] == '\\' ? escape(writeAt) : character(writeAt)))
            return false;
    if (m_at == m_text.size())
        return refuse("the header ends inside a string");
    ++m_at;
    out = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(writeAt - begin)};
    return true;
}

bool SafetensorsScanner::character(std::size_t& writeAt)
{
    if (static_cast<unsigned char>(m_text[m_at]) < 0x20)
        return refuse(fmt::format("{} inside a string", shown(m_text[m_at])));
    const DecodedCharacter character = decodeUtf8({m_text.data(), m_text.size()}, m_at);
    if (!character.valid)
        return refuse("not valid UTF-8");
    for (std::size_t i = 0; i < character.length; ++i)
        m_text[writeAt++] = m_text[m_at++];
    return true;
}

// The escaped form is never shorter than what it stands for, so writing stays behind reading.
bool SafetensorsScanner::escape(std::size_t& writeAt)
{
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
    const std::size_t begin = m_at++;
    if (m_at == m_text.size())
        return refuse("the header ends inside a string");
    const char letter = m_text[m_at++];
    if (const std::size_t i = letters.find(letter); i != std::string_view::npos) {
        m_text[writeAt++] = meant[i];
        return true;
    }
    char32_t codePoint = 0;
    if (letter != 'u')
        return refuseAt(begin, fmt::format("unknown escape: a backslash before {}", shown(letter)));
    if (!hexDigits(codePoint))
        return false;
    if (isSurrogate(codePoint, 0xd800)) {
        char32_t low = 0;
        if (m_text.size() - m_at < 2 || m_text[m_at] != '\\' || m_text[m_at + 1] != 'u')
            return refuseAt(begin, "half a surrogate pair");
        m_at += 2;
        if (!hexDigits(low))
            return false;
        if (!isSurrogate(low, 0xdc00))
            return refuseAt(begin, "half a surrogate pair");
        codePoint = 0x10000 + ((codePoint - 0xd800) << 10) + (low - 0xdc00);
    } else if (isSurrogate(codePoint, 0xdc00)) {
        return refuseAt(begin, "half a surrogate pair");
    }
    std::string character;
    appendUtf8(character, codePoint);
    writeAt += character.copy(m_text.data() + writeAt, character.size());
    return true;
}

bool SafetensorsScanner::hexDigits(char32_t& out)
{
    constexpr std::string_view digits = "0123456789abcdef";
    if (m_text.size() - m_at < 4)
        return refuse("the header ends inside a string");
    for (int i = 0; i < 4; ++i, ++m_at) {
        const char c = m_text[m_at];
        const std::size_t digit = digits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
        if (digit == std::string_view::npos)
            return refuse(fmt::format("{} is not a hexadecimal digit", shown(c)));
        out = out * 16 + static_cast<char32_t>(digit);
    }
    return true;
}

bool SafetensorsScanner::number(std::uint64_t limit, std::uint64_t& out)
{
    skipSpace();
    const std::size_t begin = m_at;
    out = 0;
    for (; m_at < m_text.size() && m_text[m_at] >= '0' && m_text[m_at] <= '9'; ++m_at)
        if (__builtin_mul_overflow(out, 10U, &out) ||
            __builtin_add_overflow(out, static_cast<unsigned>(m_text[m_at] - '0'), &out) || out > limit)
            return refuseAt(begin, fmt::format("a number above {}", limit));
    if (m_at == begin)
        return m_at == m_text.size()
                   ? refuse("the header ends where a number was expected")
                   : refuse(fmt::format("expected a non-negative integer, found {}", shown(m_text[m_at])));
    if (m_at - begin > 1 && m_text[begin] == '0')
        return refuseAt(begin, "a number with a leading zero");
    if (m_at < m_text.size() && std::string_view(".eE").find(m_text[m_at]) != std::string_view::npos)
        return refuseAt(begin, "expected an integer, found a number with fraction or exponent");
    return true;
}

bool SafetensorsScanner::expect(char c, std::string_view after)
{
    if (next(c))
        return true;
    const std::string where = after.empty() ? std::string() : fmt::format(" after {}", after);
    if (m_at == m_text.size())
        return refuse(fmt::format("the header ends where '{}' was expected{}", c, where));
    return refuse(fmt::format("expected '{}'{}, found {}", c, where, shown(m_text[m_at])));
}

bool SafetensorsScanner::next(char c)
{
    skipSpace();
    if (m_at == m_text.size() || m_text[m_at] != c)
        return false;
    ++m_at;
    return true;
}

void SafetensorsScanner::skipSpace()
{
    const auto isBlank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
    while (m_at < m_text.size() && isBlank(m_text[m_at]))
        ++m_at;
}

bool SafetensorsScanner::refuseAt(std::size_t at, std::string message)
{
    if (!m_error)
        m_error = Error{std::move(message), std::to_string(kLengthBytes + at)};
    return false;
}

} // namespace unroll::format
