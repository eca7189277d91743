// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/typed_number.h"

#include "app/studio/theme/param_text.h"
#include "app/studio/theme/translated.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace unroll {

namespace {

constexpr qsizetype kLongestShown = 40;        ///< characters of a text in a sentence
constexpr std::int64_t kFarthest = 1000000000; ///< exponents beyond it are all the same to any number

// --- signs
// ---------------------------------------------------------------------------------------------------------------------

/// What a character of the text stands for, whatever the script: '0' to '9', '-', '+', 'e', '.' and ',', which may part
/// decimals or groups of digits, 'd', which parts decimals, and the signs that only part groups: ' ', '\'', '_' and
/// 't'. Anything else is 'x'.
char signOf(char32_t c)
{
    if (QChar::isDigit(c))
        return static_cast<char>('0' + QChar::digitValue(c));
    switch (c) {
    case U'-':
    case U'\u2010':
    case U'\u2011':
    case U'\u2012':
    case U'\u2013':
    case U'\u2212':
    case U'\uFE63':
    case U'\uFF0D': return '-';
    case U'+':
    case U'\uFF0B': return '+';
    case U'.':
    case U'\uFF0E': return '.';
    case U',':
    case U'\u060C': // Arabic comma
    case U'\uFF0C': return ',';
    case U'\u066B': return 'd';
    case U'\u066C': return 't';
    case U'\'':
    case U'\u2019':
    case U'\u02BC':
    case U'\uFF07': return '\'';
    case U'_': return '_';
    case U'e':
    case U'E':
    case U'\uFF25':
    case U'\uFF45': return 'e';
    default: return QChar::category(c) == QChar::Separator_Space ? ' ' : 'x';
    }
}

/// Without marks that are not seen, as tables and pages in other directions carry them, and without white space around.
QString bare(QString text)
{
    text.removeIf([](QChar c) { return c.category() == QChar::Other_Format; });
    return text.trimmed();
}

std::string signsOf(const QString& text)
{
    std::string signs;
    for (const char32_t c : text.toUcs4())
        signs.push_back(signOf(c));
    return signs;
}

/// "64 units" of a field of units, "64" of any.
QString withoutUnit(const QString& text, const QString& unit)
{
    if (unit.isEmpty() || !text.endsWith(unit, Qt::CaseInsensitive))
        return text;
    return text.chopped(unit.size()).trimmed();
}

// --- reading
// ---------------------------------------------------------------------------------------------------------------------

/// digits x 10^exponent, exactly.
struct Decimal {
    bool isNegative = false;
    std::string digits; ///< of '0' to '9', at least one
    std::int64_t exponent = 0;
};

/// The ways in which a text can be read: none, one, or as groups of a large number and as decimals of a small one.
struct Readings {
    std::optional<Decimal> plain;
    std::optional<Decimal> grouped;
};

/// What stands before an exponent: runs of digits, and what parts them.
struct Mantissa {
    std::vector<std::string> runs{1};
    std::string marks; ///< one less than runs
};

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

std::optional<Mantissa> mantissaOf(const std::string& signs)
{
    Mantissa mantissa;
    for (const char c : signs) {
        if (isDigit(c)) {
            mantissa.runs.back().push_back(c);
        } else if (c == 'x' || c == 'e' || c == '-' || c == '+') {
            return {};
        } else {
            mantissa.marks.push_back(c);
            mantissa.runs.emplace_back();
        }
    }
    for (std::size_t i = 1; i + 1 < mantissa.runs.size(); ++i)
        if (mantissa.runs[i].empty())
            return {};
    return mantissa;
}

/// Digits that begin with a group of one to three and go on in threes; parted by commas also in twos before the last,
/// as in India.
bool isGrouped(const std::vector<std::string>& runs, char mark)
{
    if (runs.size() < 2 || runs.front().empty() || runs.front().size() > 3 || runs.front().front() == '0' ||
        runs.back().size() != 3)
        return false;
    const auto allOf = [&runs](std::size_t size) {
        return std::all_of(runs.begin() + 1, runs.end() - 1, [=](const auto& run) { return run.size() == size; });
    };
    return allOf(3) || (mark == ',' && runs.front().size() < 3 && allOf(2));
}

Decimal joined(const std::vector<std::string>& runs, const std::string& decimals)
{
    Decimal decimal;
    for (const std::string& run : runs)
        decimal.digits += run;
    decimal.digits += decimals;
    decimal.exponent = -static_cast<std::int64_t>(decimals.size());
    return decimal;
}

/// "1,5" is one and a half; "1,500" may be as well, or fifteen hundred.
Readings oneMark(const Mantissa& mantissa)
{
    Readings readings{joined({mantissa.runs[0]}, mantissa.runs[1]), {}};
    if (isGrouped(mantissa.runs, mantissa.marks[0]))
        readings.grouped = joined(mantissa.runs, {});
    return readings;
}

/// Marks that only part decimals, only groups, or either, in the order in which they stand.
Readings readingsOf(const Mantissa& mantissa)
{
    const std::string& marks = mantissa.marks;
    if (marks.empty())
        return {joined(mantissa.runs, {}), {}};
    const char first = marks.front(), last = marks.back();
    const bool canEnd = last == '.' || last == ',' || last == 'd';
    if (marks.size() == 1 && canEnd)
        return last == 'd' ? Readings{joined({mantissa.runs[0]}, mantissa.runs[1]), {}} : oneMark(mantissa);
    if (std::count(marks.begin(), marks.end(), first) == static_cast<std::ptrdiff_t>(marks.size()))
        return first != 'd' && isGrouped(mantissa.runs, first) ? Readings{joined(mantissa.runs, {}), {}} : Readings{};
    const std::vector<std::string> whole(mantissa.runs.begin(), mantissa.runs.end() - 1);
    const bool others = std::count(marks.begin(), marks.end(), first) == static_cast<std::ptrdiff_t>(marks.size()) - 1;
    if (!canEnd || !others || first == last || first == 'd' || !isGrouped(whole, first))
        return {};
    return {joined(whole, mantissa.runs.back()), {}};
}

/// Of "-3" behind an e.
std::optional<std::int64_t> exponentOf(const std::string& signs)
{
    const bool hasSign = !signs.empty() && (signs[0] == '-' || signs[0] == '+');
    const std::string digits = signs.substr(hasSign ? 1 : 0);
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), isDigit))
        return {};
    std::int64_t value = 0;
    for (const char digit : digits)
        value = std::min(kFarthest, value * 10 + (digit - '0'));
    return signs[0] == '-' ? -value : value;
}

Readings readingsOf(const QString& text)
{
    std::string signs = signsOf(text);
    const bool isNegative = !signs.empty() && signs[0] == '-';
    if (isNegative || (!signs.empty() && signs[0] == '+'))
        signs.erase(0, 1 + std::min(signs.size() - 1, signs.find_first_not_of(' ', 1) - 1));
    const std::size_t e = signs.find('e');
    const auto mantissa = mantissaOf(signs.substr(0, e));
    const auto exponent = e == std::string::npos ? std::optional<std::int64_t>(0) : exponentOf(signs.substr(e + 1));
    if (!mantissa || !exponent)
        return {};
    Readings readings = readingsOf(*mantissa);
    for (auto* reading : {&readings.plain, &readings.grouped}) {
        if (!*reading)
            continue;
        if ((*reading)->digits.empty())
            return {};
        (*reading)->isNegative = isNegative;
        (*reading)->exponent += *exponent;
    }
    return readings;
}

// --- values
// ---------------------------------------------------------------------------------------------------------------------

/// Neither zeros in front nor behind; empty: zero.
Decimal trimmed(Decimal decimal)
{
    decimal.digits.erase(0, decimal.digits.find_first_not_of('0'));
    const std::size_t end = decimal.digits.find_last_not_of('0') + 1;
    decimal.exponent += static_cast<std::int64_t>(decimal.digits.size() - end);
    decimal.digits.erase(end);
    return decimal;
}

QString shown(const QString& text)
{
    const QString line = text.simplified();
    return line.size() <= kLongestShown ? line : line.left(kLongestShown) + QStringLiteral("…");
}

template <class Integer>
tl::expected<TypedNumber, QString> wholeOf(const Decimal& typed, const QString& text)
{
    const Decimal decimal = trimmed(typed);
    if (decimal.digits.empty())
        return TypedNumber{Integer{0}};
    if (decimal.exponent < 0)
        return tl::unexpected(tr("“%1” is not a whole number.").arg(shown(text)));
    constexpr bool isSigned = std::is_signed_v<Integer>;
    if (!isSigned && decimal.isNegative)
        return tl::unexpected(tr("“%1” is below 0; enter 0 to %2.")
                                  .arg(shown(text))
                                  .arg(static_cast<qulonglong>(std::numeric_limits<Integer>::max())));
    Integer value{};
    constexpr std::int64_t most = 20; ///< digits of 64 bits
    const bool fits = static_cast<std::int64_t>(decimal.digits.size()) + decimal.exponent <= most;
    const std::string digits = (decimal.isNegative ? "-" : "") + decimal.digits +
                               std::string(fits ? static_cast<std::size_t>(decimal.exponent) : 0, '0');
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (fits && parsed.ec == std::errc())
        return TypedNumber{value};
    const QString least = isSigned ? QString::number(std::numeric_limits<std::int64_t>::min()) : QStringLiteral("0");
    const QString last = isSigned ? QString::number(std::numeric_limits<std::int64_t>::max())
                                  : QString::number(std::numeric_limits<std::uint64_t>::max());
    return tl::unexpected(tr("“%1” has too many digits; enter %2 to %3.").arg(shown(text), least, last));
}

/// Whether the value, written with as many digits, has those that were typed.
bool keepsDigits(double value, const Decimal& typed)
{
    constexpr std::size_t alwaysKept = 15;
    if (typed.digits.size() <= alwaysKept)
        return true;
    std::array<char, 1100> text{};
    if (typed.digits.size() > text.size() - 32)
        return false;
    const auto written = std::to_chars(text.data(), text.data() + text.size(), std::abs(value),
                                       std::chars_format::scientific, static_cast<int>(typed.digits.size()) - 1);
    std::string digits(text.data(), written.ptr);
    digits.erase(digits.find('e'));
    std::erase(digits, '.');
    return digits == typed.digits;
}

tl::expected<TypedNumber, QString> realOf(const Decimal& typed, const QString& text)
{
    const Decimal decimal = trimmed(typed);
    if (decimal.digits.empty())
        return TypedNumber{decimal.isNegative ? -0.0 : 0.0};
    const std::string plain = (decimal.isNegative ? "-" : "") + decimal.digits + 'e' + std::to_string(decimal.exponent);
    double value = 0;
    const auto parsed = std::from_chars(plain.data(), plain.data() + plain.size(), value);
    if (parsed.ec != std::errc() || !std::isfinite(value) || value == 0)
        return tl::unexpected((static_cast<std::int64_t>(decimal.digits.size()) + decimal.exponent > 0
                                   ? tr("“%1” is too large; the largest number is 1.8e308.")
                                   : tr("“%1” is too small: it rounds to 0."))
                                  .arg(shown(text)));
    return TypedNumber{value, !keepsDigits(value, decimal)};
}

tl::expected<TypedNumber, QString> valueOf(const Decimal& decimal, NumberKind kind, const QString& text)
{
    switch (kind) {
    case NumberKind::Whole: return wholeOf<std::int64_t>(decimal, text);
    case NumberKind::Seed: return wholeOf<std::uint64_t>(decimal, text);
    case NumberKind::Real: break;
    }
    return realOf(decimal, text);
}

/// A point parts decimals here, as everywhere in the program, unless nobody would write them so: no text of ours ends
/// in zeros behind a point. A whole number has no decimals, so that there a point may well part thousands.
bool isAmbiguous(const Readings& readings, NumberKind kind, const QString& text)
{
    if (!readings.grouped)
        return false;
    const std::string signs = signsOf(text);
    const bool isPoint = signs.find('.') != std::string::npos;
    return !isPoint || kind != NumberKind::Real || readings.plain->digits.back() == '0';
}

QString askWhich(const Readings& readings, NumberKind kind, const QString& text)
{
    const auto plain = valueOf(*readings.plain, kind, text), grouped = valueOf(*readings.grouped, kind, text);
    if (!grouped)
        return grouped.error();
    const QString large = numberText(grouped->value);
    if (plain) {
        const QString small = numberText(plain->value);
        return tr("“%1” is ambiguous (%2 or %3): write %2 or %3.").arg(shown(text), large, small);
    }
    const auto real = realOf(*readings.plain, text);
    const QString small = real ? numberText(real->value) : shown(text);
    return tr("“%1” is ambiguous (%2, or %3, which is not a whole number): write %2.").arg(shown(text), large, small);
}

/// What people write that is not a number here, and what to write instead.
QString complaint(const QString& text, NumberKind kind)
{
    const QString word = QString(text).remove('+').remove('-').toLower();
    if (QStringList{"inf", "infinity", "nan", "∞"}.contains(word))
        return tr("“%1” is not a number: a finite number is expected.").arg(shown(text));
    if (bool isHex = false; text.startsWith("0x", Qt::CaseInsensitive)) {
        const qulonglong value = text.mid(2).toULongLong(&isHex, 16);
        if (isHex)
            return tr("“%1” is not a decimal number: write %2.").arg(shown(text)).arg(value);
    }
    if (text.endsWith('%')) {
        Readings share = readingsOf(text.chopped(1).trimmed());
        if (share.plain && !share.grouped && kind == NumberKind::Real) {
            share.plain->exponent -= 2;
            if (const auto value = realOf(*share.plain, text))
                return tr("“%1” is not a number: write %2.").arg(shown(text), numberText(value->value));
        }
    }
    return tr("“%1” is not a number.").arg(shown(text));
}

} // namespace

tl::expected<TypedNumber, QString> readNumber(const QString& text, NumberKind kind, const QString& unit)
{
    const QString whole = bare(text);
    if (whole.isEmpty())
        return tl::unexpected(tr("Enter a number."));
    const QString number = withoutUnit(whole, unit);
    const Readings readings = readingsOf(number);
    if (!readings.plain)
        return tl::unexpected(complaint(whole, kind));
    if (isAmbiguous(readings, kind, number))
        return tl::unexpected(askWhich(readings, kind, number));
    return valueOf(*readings.plain, kind, number);
}

QString numberText(const Number& number)
{
    if (const auto* seed = std::get_if<std::uint64_t>(&number))
        return QString::number(*seed);
    if (const auto* whole = std::get_if<std::int64_t>(&number))
        return exactText(*whole);
    return exactText(std::get<double>(number));
}

} // namespace unroll
