// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/table_format.h"

#include "core/base/number_text.h"
#include "core/data/table_reader.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll {

namespace {

constexpr int64_t kMostHeaderRows = 20;
constexpr int64_t kMostSkipped = 1'000'000'000;

struct NamedSign {
    std::string_view name;
    char sign;
};
constexpr NamedSign kNamedDelimiters[] = {{"comma", ','},
                                          {"semicolon", ';'},
                                          {"tab", '\t'},
                                          {"\\t", '\t'},
                                          {"bar", '|'},
                                          {"pipe", '|'},
                                          {"colon", ':'},
                                          {"spaces", ' '},
                                          {"space", ' '},
                                          {"blanks", RowMarks::kBlanks},
                                          {"none", RowMarks::kNone}};
constexpr NamedSign kDecimals[] = {{"point", '.'}, {"dot", '.'}, {"comma", ','}};
constexpr NamedSign kQuotes[] = {{"double", '"'}, {"single", '\''}, {"apostrophe", '\''}, {"none", RowMarks::kNone}};

struct NamedGroup {
    std::string_view name;
    GroupSign sign;
};
constexpr NamedGroup kGroups[] = {{"none", GroupSign::None},         {".", GroupSign::Point},
                                  {"point", GroupSign::Point},       {"dot", GroupSign::Point},
                                  {",", GroupSign::Comma},           {"comma", GroupSign::Comma},
                                  {"'", GroupSign::Apostrophe},      {"apostrophe", GroupSign::Apostrophe},
                                  {"\u2019", GroupSign::Apostrophe}, {" ", GroupSign::Space},
                                  {"space", GroupSign::Space},       {"spaces", GroupSign::Space},
                                  {"\u00A0", GroupSign::Space},      {"\u202F", GroupSign::Space}};

bool isLeftOpen(const std::string& wish)
{
    return wish.empty() || wish == "auto";
}

template <class Table>
auto named(const Table& table, const std::string& wish) -> std::optional<decltype(table[0].sign)>
{
    for (const auto& each : table)
        if (each.name == wish)
            return each.sign;
    return std::nullopt;
}

Result<std::optional<char>> signOf(const std::string& wish, std::optional<char> byName, const char* param,
                                   const char* expected)
{
    if (isLeftOpen(wish))
        return std::optional<char>();
    const bool one = wish.size() == 1 && static_cast<unsigned char>(wish[0]) < 0x80 &&
                     wish.find_first_of("\r\n0123456789") == std::string::npos;
    if (byName || one)
        return byName ? byName : std::optional(wish[0]);
    return fail(fmt::format("expected {}; got {}", expected, wish), param);
}

Result<std::optional<int64_t>> countOf(const std::string& wish, int64_t most, const char* param)
{
    if (isLeftOpen(wish))
        return std::optional<int64_t>();
    int64_t count = -1;
    const auto parsed = std::from_chars(wish.data(), wish.data() + wish.size(), count);
    if (parsed.ec != std::errc() || parsed.ptr != wish.data() + wish.size() || count < 0 || count > most)
        return fail(fmt::format("expected auto or a whole number of 0 to {}; got {}", grouped(most), wish), param);
    return std::optional(count);
}

Result<void> takeSigns(const TableWishes& wishes, TableChoices& choices)
{
    auto delimiter = signOf(wishes.delimiter, named(kNamedDelimiters, wishes.delimiter), "delimiter",
                            "auto, comma, semicolon, tab, bar, spaces, none or one character");
    if (!delimiter)
        return tl::unexpected(delimiter.error());
    choices.delimiter = *delimiter;
    if (!isLeftOpen(wishes.decimal) && wishes.decimal != "." && wishes.decimal != "," &&
        !named(kDecimals, wishes.decimal))
        return fail("expected auto, . or ,; got " + wishes.decimal, "decimal");
    choices.decimal = *signOf(wishes.decimal, named(kDecimals, wishes.decimal), "decimal", "");
    if (!isLeftOpen(wishes.thousands) && !(choices.thousands = named(kGroups, wishes.thousands)))
        return fail("expected auto, none, ., ,, ' or space; got " + wishes.thousands, "thousands");
    auto quote = signOf(wishes.quote, named(kQuotes, wishes.quote), "quote", "auto, \", ', none or one character");
    if (!quote)
        return tl::unexpected(quote.error());
    choices.quote = *quote;
    return {};
}

/// A decimal sign and a thousands sign say of each other that they are the other one.
Result<void> agree(TableChoices& choices)
{
    const auto group = choices.thousands;
    const char taken = group == GroupSign::Point ? '.' : group == GroupSign::Comma ? ',' : '\0';
    if (taken != '\0' && choices.decimal == taken)
        return fail(fmt::format("{} is the decimal separator", taken), "thousands");
    if (taken != '\0')
        choices.decimal = taken == '.' ? ',' : '.';
    if (choices.delimiter && choices.quote && *choices.delimiter != RowMarks::kNone &&
        *choices.delimiter == *choices.quote)
        return fail("is the delimiter", "quote");
    return {};
}

std::string encodingText(TextEncoding encoding)
{
    switch (encoding) {
    case TextEncoding::Utf16Le: return "UTF-16 (little-endian)";
    case TextEncoding::Utf16Be: return "UTF-16 (big-endian)";
    case TextEncoding::Windows1252: return "Windows-1252";
    case TextEncoding::Utf8: break;
    }
    return "";
}

std::string delimiterText(char delimiter)
{
    switch (delimiter) {
    case RowMarks::kNone: return "one column";
    case RowMarks::kBlanks: return "space-separated";
    default: return delimiterWord(delimiter) + "-separated";
    }
}

} // namespace

std::string delimiterWord(char delimiter)
{
    switch (delimiter) {
    case RowMarks::kNone: return "none";
    case ',': return "comma";
    case ';': return "semicolon";
    case '\t': return "tab";
    case '|': return "bar";
    case RowMarks::kBlanks: return "spaces";
    default: return std::string(1, delimiter);
    }
}

std::string groupWord(GroupSign sign)
{
    switch (sign) {
    case GroupSign::Comma: return ",";
    case GroupSign::Point: return ".";
    case GroupSign::Apostrophe: return "'";
    case GroupSign::Space: return "space";
    case GroupSign::None: break;
    }
    return "none";
}

Result<TableChoices> choicesOf(const TableWishes& wishes)
{
    TableChoices choices;
    if (auto taken = takeSigns(wishes, choices); !taken)
        return tl::unexpected(taken.error());
    if (auto good = agree(choices); !good)
        return tl::unexpected(good.error());
    auto header = countOf(wishes.headerRows, kMostHeaderRows, "header_rows");
    if (!header)
        return tl::unexpected(header.error());
    choices.headerRows = *header;
    auto skipped = countOf(wishes.skipRows, kMostSkipped, "skip_rows");
    if (!skipped)
        return tl::unexpected(skipped.error());
    choices.skippedLines = *skipped;
    if (!isLeftOpen(wishes.comment))
        choices.comments = wishes.comment == "none" ? std::vector<std::string>{} : std::vector{wishes.comment};
    if (!isLeftOpen(wishes.missing)) {
        auto words = readNames(wishes.missing);
        if (!words)
            return fail(words.error().message, "missing");
        choices.missing = std::move(*words);
    }
    if (!isLeftOpen(wishes.encoding)) {
        auto encoding = encodingByName(wishes.encoding);
        if (!encoding)
            return fail(encoding.error().message, "encoding");
        choices.encoding = *encoding;
    }
    return choices;
}

TableWishes wishesLike(TableWishes wishes, const TableFormat& format)
{
    const bool known = format.usesDecimals || format.signs.thousands.value_or(GroupSign::None) != GroupSign::None;
    const bool signsAreOpen = known && isLeftOpen(wishes.decimal) && isLeftOpen(wishes.thousands);
    if (isLeftOpen(wishes.delimiter))
        wishes.delimiter = delimiterWord(format.marks.delimiter);
    if (signsAreOpen)
        wishes.decimal = std::string(1, format.signs.decimal);
    return wishes;
}

std::string formatText(const TableFormat& format)
{
    std::vector<std::string> parts{delimiterText(format.marks.delimiter)};
    if (const std::string encoding = encodingText(format.encoding); !encoding.empty())
        parts.insert(parts.begin(), encoding);
    if (format.usesDecimals)
        parts.emplace_back(format.signs.decimal == ',' ? "decimal comma" : "decimal point");
    switch (format.signs.thousands.value_or(GroupSign::None)) {
    case GroupSign::Comma: parts.emplace_back("thousands comma"); break;
    case GroupSign::Point: parts.emplace_back("thousands point"); break;
    case GroupSign::Apostrophe: parts.emplace_back("thousands apostrophe"); break;
    case GroupSign::Space: parts.emplace_back("thousands space"); break;
    case GroupSign::None: break;
    }
    if (format.marks.quote == '\'')
        parts.emplace_back("quoted by '");
    if (format.skippedLines > 0)
        parts.push_back(counted(format.skippedLines, "line") + " skipped at the top");
    parts.push_back(format.namesAreComment   ? "names in a comment"
                    : format.headerRows == 0 ? "no header row"
                                             : counted(format.headerRows, "header row"));
    std::string words = fmt::format("{}", fmt::join(parts, ", "));
    if (!format.marks.comments.empty())
        words += fmt::format("; comments start with {}", fmt::join(format.marks.comments, ", "));
    if (!format.missing.empty())
        words += fmt::format("; missing: {}", fmt::join(format.missing, ", "));
    return words;
}

} // namespace unroll
