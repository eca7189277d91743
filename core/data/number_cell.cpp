// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/number_cell.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace unroll {

namespace {

/// Those without a width too: marks of direction and of byte order in the middle of a file.
constexpr std::string_view kBlanks[] = {" ",      "\t",     "\u00A0", "\u2007", "\u2009", "\u202F",
                                        "\u3000", "\u200B", "\u200E", "\u200F", "\u2060", "\uFEFF"};
constexpr std::string_view kGroupSpaces[] = {" ", "\u00A0", "\u2007", "\u2009", "\u202F"};
constexpr std::string_view kMinuses[] = {"-",      "\u2212", "\u2010", "\u2011", "\u2012",
                                         "\u2013", "\u2014", "\uFE63", "\uFF0D"};
/// Longer ones first, so that none is taken for a part of another.
constexpr std::string_view kCurrencies[] = {
    "US$", "NT$", "HK$", "MX$",  "R$",  "C$",  "A$",  "S$",  "$",   "€",   "£",   "¥",   "\uFFE5", "₹",   "₽", "₩",
    "₺",   "₴",   "₪",   "₫",    "₱",   "₦",   "฿",   "元",  "円",  "원",  "zł",  "Kč",  "руб.",   "руб", "р.",  "kr.",
    "kr",  "Ft",  "lei", "SFr.", "Fr.", "CHF", "EUR", "USD", "GBP", "JPY", "CNY", "INR", "SEK",    "NOK", "DKK", "PLN",
    "CZK", "CAD", "AUD", "HUF",  "BRL", "RUB", "TRY", "ZAR", "MXN", "KRW", "SGD", "HKD", "NZD",    "THB", "RON", "ILS"};
/// In small letters.
constexpr std::string_view kMissing[] = {
    "n/a",      "na",      "<na>",      "none",      "null",    "(null)", "<null>",   "[null]",       "<none>",
    "nil",      "missing", "(blank)",   "blank",     "\u2013",  "\u2014", "nan",      "+nan",         "-nan",
    "nan(ind)", "nat",     "-nan(ind)", "1.#qnan",   "-1.#ind", "1.#ind", "-1.#qnan", "#n/a n/a",     "n.a.",
    "n.a",      "k.a.",    "k. a.",     "n/d",       "n.d.",    "n. d.",  "n.v.",     "n. v.",        "s/d",
    "\\n",      "empty",   "undef",     "undefined", "no data", "nodata", "no value", "not available"};
constexpr size_t kLongestMissing = 13;

char small(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Takes the first of `words` that `text` begins with away and returns it.
template <class Words>
std::string_view takeFront(std::string_view& text, const Words& words)
{
    for (const std::string_view word : words)
        if (text.starts_with(word)) {
            text.remove_prefix(word.size());
            return word;
        }
    return {};
}

template <class Words>
std::string_view takeBack(std::string_view& text, const Words& words)
{
    for (const std::string_view word : words)
        if (text.ends_with(word)) {
            text.remove_suffix(word.size());
            return word;
        }
    return {};
}

/// "(6.50)" is negative.
void takeBrackets(std::string_view& text, WrittenNumber& number, bool& isSigned)
{
    if (isSigned || text.size() < 3 || text.front() != '(' || text.back() != ')')
        return;
    text = withoutBlanks(text.substr(1, text.size() - 2));
    number.negative = isSigned = true;
}

/// Signs and currency in front of the digits, each at most once. `isSigned` comes back true where there was a sign.
void takePrefixes(std::string_view& text, WrittenNumber& number, bool& isSigned)
{
    for (size_t left = text.size() + 1; text.size() < left && !text.empty() && !isDigit(text.front());) {
        left = text.size();
        text = withoutBlanks(text);
        if (!isSigned && text.starts_with('+')) {
            text.remove_prefix(1);
            isSigned = true;
        } else if (!isSigned && !takeFront(text, kMinuses).empty()) {
            number.negative = isSigned = true;
        } else if (number.currency.empty()) {
            number.currency = takeFront(text, kCurrencies);
        }
    }
    text = withoutBlanks(text);
}

/// "5.-" and "5,--", as prices without a fraction are written.
void takePriceDash(std::string_view& text)
{
    for (const std::string_view end : {"--", "-", "\u2013", "\u2014"})
        if (text.ends_with(end)) {
            std::string_view digits = text.substr(0, text.size() - end.size());
            if (digits.size() > 1 && (digits.back() == '.' || digits.back() == ',') &&
                isDigit(digits[digits.size() - 2]))
                text = digits.substr(0, digits.size() - 1);
            return;
        }
}

/// Per cent, currency and a minus behind the digits.
void takeSuffixes(std::string_view& text, WrittenNumber& number, bool& isSigned)
{
    for (size_t left = text.size() + 1; text.size() < left && !text.empty() && !isDigit(text.back());) {
        left = text.size();
        text = withoutBlanks(text);
        takePriceDash(text);
        if (!number.percent && text.ends_with('%')) {
            text.remove_suffix(1);
            number.percent = true;
        } else if (number.currency.empty() && !(number.currency = takeBack(text, kCurrencies)).empty()) {
            continue;
        } else if (!isSigned && text.size() > 1 && isDigit(text[text.size() - 2]) && text.ends_with('-')) {
            text.remove_suffix(1);
            number.negative = isSigned = true;
        }
    }
    text = withoutBlanks(text);
}

/// "1,5E+03" -> "1,5" and "E+03"; false where what follows the E is not a whole number. Fortran's D counts behind a
/// fraction or before a sign: "3D2" may as well be a name.
bool splitExponent(WrittenNumber& number)
{
    const size_t at = number.body.find_first_of("eEdD");
    if (at == std::string_view::npos)
        return true;
    const bool isD = number.body[at] == 'd' || number.body[at] == 'D';
    if (isD && number.body.substr(0, at).find_first_of(".,") == std::string_view::npos &&
        (at + 1 == number.body.size() || isDigit(number.body[at + 1])))
        return false;
    number.exponent = number.body.substr(at);
    number.body = number.body.substr(0, at);
    std::string_view digits = number.exponent.substr(1);
    if (!digits.starts_with('+'))
        takeFront(digits, kMinuses);
    else
        digits.remove_prefix(1);
    return !digits.empty() && std::all_of(digits.begin(), digits.end(), isDigit);
}

/// Dashes, points, stars, slashes and blanks alone: "--.-", "///", "***".
bool isDrawn(std::string_view text)
{
    return text.find_first_not_of("-./*_~? ") == std::string_view::npos || text == "\u2026" || text == "\u2014\u2014";
}

struct Step {
    char plain = 0; // digit, '.' or ',' ; 0: another group sign
    GroupSign group = GroupSign::None;
    size_t length = 1; // bytes; 0: nothing that a number has
};

Step stepAt(std::string_view text)
{
    const char c = text.front();
    if (isDigit(c))
        return {c};
    if (c == '.' || c == ',')
        return {c, c == '.' ? GroupSign::Point : GroupSign::Comma};
    if (c == '\'')
        return {0, GroupSign::Apostrophe};
    if (text.starts_with("\u2019"))
        return {0, GroupSign::Apostrophe, std::string_view("\u2019").size()};
    for (const std::string_view space : kGroupSpaces)
        if (text.starts_with(space))
            return {0, GroupSign::Space, space.size()};
    return {0, GroupSign::None, 0};
}

/// The digits of a number as from_chars reads them, and whether its groups are well formed.
class Digits {
public:
    explicit Digits(const NumberSigns& signs) : m_signs(signs) {}

    bool take(const Step& step)
    {
        if (step.length == 0)
            return false;
        if (step.plain != 0 && isDigit(step.plain)) {
            m_text += step.plain;
            ++m_run;
            return true;
        }
        return step.plain == m_signs.decimal ? point() : divide(step.group);
    }
    bool finish() { return (m_fraction || closeGroups()) && (m_run > 0 || m_text.size() > 1); }

    std::string& text() { return m_text; }
    GroupSign group() const { return m_group; }
    bool fraction() const { return m_fraction; }

private:
    bool point()
    {
        if (m_fraction || !closeGroups())
            return false;
        m_fraction = true;
        m_text += '.';
        m_run = 0;
        return true;
    }
    bool divide(GroupSign sign)
    {
        const bool allowed = !m_signs.thousands || *m_signs.thousands == sign;
        if (m_fraction || !allowed || (m_group != GroupSign::None && m_group != sign))
            return false;
        if (m_group == GroupSign::None) {
            m_first = m_run;
            if (m_run == 0 || m_run > 3 || m_text.front() == '0')
                return false;
        } else {
            m_pairs = m_pairs && m_run == 2;
            m_triples = m_triples && m_run == 3;
        }
        m_group = sign;
        m_run = 0;
        return true;
    }
    /// Three digits each, or pairs before the last three as in India.
    bool closeGroups() const
    {
        if (m_group == GroupSign::None)
            return true;
        return m_run == 3 && (m_triples || (m_pairs && m_first <= 2 && m_group == GroupSign::Comma));
    }

    const NumberSigns& m_signs;
    std::string m_text;
    size_t m_run = 0;   // digits since the last sign
    size_t m_first = 0; // digits of the first group
    bool m_pairs = true, m_triples = true;
    bool m_fraction = false;
    GroupSign m_group = GroupSign::None;
};

} // namespace

std::string_view withoutBlanks(std::string_view text)
{
    // A blank begins with one of these bytes and ends in one of those: most cells have none.
    const auto mayBegin = [](char c) {
        return c == ' ' || c == '\t' || c == '\xC2' || c == '\xE2' || c == '\xE3' || c == '\xEF';
    };
    const auto mayEnd = [](char c) { return c == ' ' || c == '\t' || (static_cast<uint8_t>(c) & 0xC0) == 0x80; };
    while (!text.empty() && mayBegin(text.front()) && !takeFront(text, kBlanks).empty()) {}
    while (!text.empty() && mayEnd(text.back()) && !takeBack(text, kBlanks).empty()) {}
    return text;
}

std::optional<WrittenNumber> writtenNumber(std::string_view cell)
{
    std::string_view text = withoutBlanks(cell);
    WrittenNumber number;
    bool isSigned = false;
    if (text.size() > 3 && text.starts_with("=\"") && text.back() == '"') // how spreadsheets keep a cell as it is
        text = text.substr(2, text.size() - 3);
    takeBrackets(text, number, isSigned);
    takePrefixes(text, number, isSigned);
    takeBrackets(text, number, isSigned); // "$(6.50)"
    takeSuffixes(text, number, isSigned);
    number.body = text;
    if (text.empty() || !(isDigit(text.front()) || text.front() == '.' || text.front() == ','))
        return std::nullopt;
    if (!splitExponent(number) || std::none_of(number.body.begin(), number.body.end(), isDigit))
        return std::nullopt;
    return number;
}

NumberReading readNumber(const WrittenNumber& number, const NumberSigns& signs)
{
    Digits digits(signs);
    for (std::string_view rest = number.body; !rest.empty();) {
        const Step step = stepAt(rest);
        if (!digits.take(step))
            return {};
        rest.remove_prefix(step.length);
    }
    if (!digits.finish() || (digits.group() != GroupSign::None && !number.exponent.empty()))
        return {}; // nobody groups the digits before an exponent
    std::string& text = digits.text();
    bool shrinks = false;
    if (!number.exponent.empty()) {
        shrinks = !isDigit(number.exponent[1]) && number.exponent[1] != '+';
        text += shrinks ? "e-" : "e";
        text += number.exponent.substr(number.exponent.find_first_of("0123456789"));
    }
    NumberReading reading{NumberReading::Fault::None, 0, digits.group(), digits.fraction()};
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), reading.value);
    if (parsed.ec == std::errc::result_out_of_range) {
        const bool tiny = shrinks || (number.exponent.empty() && (text.starts_with('.') || text.starts_with('0')));
        reading.fault = tiny ? NumberReading::Fault::None : NumberReading::Fault::TooLarge;
        reading.value = 0;
    } else if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
        return {};
    }
    if (number.negative)
        reading.value = -reading.value;
    return reading;
}

bool isInfinite(std::string_view cell)
{
    std::string_view text = withoutBlanks(cell);
    if (!text.starts_with('+'))
        takeFront(text, kMinuses);
    else
        text.remove_prefix(1);
    constexpr std::string_view words[] = {"inf", "infinity", "1.#inf", "\u221E"};
    return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
        return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                          [](char a, char b) { return small(a) == b; });
    });
}

bool isSpreadsheetError(std::string_view cell)
{
    constexpr size_t kLongest = 16;
    constexpr std::string_view others[] = {"#n/a",   "#na",     "#nv",     "#n/d", "#nd",
                                           "#div/0", "#div/0!", "#value!", "#ref!"};
    if (cell.size() < 3 || cell.size() > kLongest || cell.front() != '#')
        return false;
    const bool isLoud = std::none_of(cell.begin(), cell.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    const bool ends = (cell.back() == '!' || cell.back() == '?') && cell.size() > 4 && isLoud;
    return ends || std::any_of(std::begin(others), std::end(others), [&](std::string_view word) {
               return std::equal(cell.begin(), cell.end(), word.begin(), word.end(),
                                 [](char a, char b) { return small(a) == b; });
           });
}

bool isMissing(std::string_view cell)
{
    const std::string_view text = withoutBlanks(cell);
    if (text.empty())
        return true;
    if (isSpreadsheetError(text) || isDrawn(text))
        return true;
    if (text.size() > kLongestMissing || (isDigit(text.front()) && !text.starts_with("1.#")))
        return false;
    return std::any_of(std::begin(kMissing), std::end(kMissing), [&](std::string_view word) {
        return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                          [](char a, char b) { return small(a) == b; });
    });
}

bool isFilled(std::string_view cell)
{
    return !withoutBlanks(cell).empty();
}

bool beginsAsNumber(std::string_view cell, bool letters)
{
    std::string_view text = withoutBlanks(cell);
    const size_t begin = text.find_first_of("0123456789");
    const bool leads = begin != text.npos && begin <= std::string_view("\u20AC ").size() &&
                       text.substr(0, begin).find_first_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ#_[/") == std::string_view::npos;
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto isOther = [&](char c) {
        return isLetter(c) && std::string_view("eEdDxX").find(c) == std::string_view::npos;
    };
    return leads && (letters || (std::none_of(text.begin(), text.end(), isOther) && !isLetter(text.back())));
}

} // namespace unroll
