// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/time_stamp.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

namespace unroll {

namespace {

constexpr size_t kMostTokens = 14;
constexpr size_t kLongest = 48;
constexpr double kDay = 86400;
constexpr int kNewCentury = 70; // 69 is 2069, 70 is 1970

/// A run of digits or of letters, and the sign in front of it.
struct Token {
    bool isNumber = false;
    std::string_view text;
    int value = 0; // of a number of at most nine digits
    char before = ' ';

    bool is(std::string_view word) const { return text.size() == word.size() && begins(word); }
    bool begins(std::string_view word) const // in small letters
    {
        return text.size() >= word.size() && std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
                   return (b >= 'A' && b <= 'Z' ? static_cast<char>(b + ('a' - 'A')) : b) == a;
               });
    }
};

class Tokens {
public:
    /// Empty where the text has anything that no date has.
    explicit Tokens(std::string_view text);

    size_t size() const { return m_size - m_begin; }
    const Token& operator[](size_t i) const { return m_tokens[m_begin + i]; }
    void dropFirst() { ++m_begin; }
    void dropLast() { --m_size; }

private:
    bool take(std::string_view text);

    std::array<Token, kMostTokens> m_tokens;
    size_t m_begin = 0, m_size = 0;
};

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80; // the ä of März
}

/// The length of a sign that stands behind a year, a month or a day in China, Japan and Korea; 0: none. They count as
/// dashes and blanks.
size_t writtenOut(std::string_view text, char& before)
{
    for (const std::string_view sign : {"年", "月", "년", "월", "日", "일"})
        if (text.starts_with(sign)) {
            before = sign == "日" || sign == "일" ? ' ' : '-';
            return sign.size();
        }
    return 0;
}

Tokens::Tokens(std::string_view text)
{
    if (!take(text))
        m_size = 0;
}

bool Tokens::take(std::string_view text)
{
    char before = ' ';
    for (size_t at = 0; at < text.size();) {
        const size_t begin = at;
        if (const size_t sign = writtenOut(text.substr(at), before)) { // 2021年1月8日
            at += sign;
            continue;
        }
        const bool isNumber = isDigit(text[at]);
        if (!isNumber && !isLetter(text[at])) {
            if (std::string_view("-/.,: +").find(text[at]) == std::string_view::npos)
                return false;
            before = before == ' ' || text[at] != ' ' ? text[at] : before;
            ++at;
            continue;
        }
        while (at < text.size() && (isNumber ? isDigit(text[at]) : isLetter(text[at])))
            ++at;
        if (m_size == kMostTokens)
            return false;
        Token& token = m_tokens[m_size++];
        token = {isNumber, text.substr(begin, at - begin), 0, before};
        before = ' ';
        if (isNumber && token.text.size() <= 9)
            std::from_chars(token.text.data(), token.text.data() + token.text.size(), token.value);
    }
    return true;
}

/// 1 to 12, or 0. English, German, French, Spanish, Italian, Portuguese, Dutch.
int monthOf(const Token& token)
{
    constexpr std::string_view months[][5] = {
        {"jan", "jän", "ene", "gen", "jan"},   {"feb", "fév", "fev", "fév", "feb"},
        {"mar", "mär", "mrt", "maart", "mar"}, {"apr", "avr", "abr", "apr", "apr"},
        {"may", "mai", "mag", "mei", "may"},   {"jun", "juin", "giu", "jun", "jun"},
        {"jul", "juil", "lug", "jul", "jul"},  {"aug", "aoû", "aou", "ago", "aug"},
        {"sep", "set", "sep", "sep", "sep"},   {"oct", "okt", "ott", "out", "oct"},
        {"nov", "nov", "nov", "nov", "nov"},   {"dec", "dez", "déc", "dic", "dec"}};
    if (token.isNumber)
        return 0;
    for (int i = 0; i < 12; ++i)
        for (const std::string_view name : months[i])
            if (token.begins(name))
                return i + 1;
    return 0;
}

bool isWeekday(const Token& token)
{
    constexpr std::string_view days[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
    return !token.isNumber &&
           std::any_of(std::begin(days), std::end(days), [&](std::string_view day) { return token.begins(day); });
}

bool isYear(const Token& token)
{
    return token.isNumber && token.text.size() == 4;
}

bool isShort(const Token& token)
{
    return token.isNumber && token.text.size() <= 2;
}

int yearOf(const Token& token)
{
    return token.text.size() == 4 ? token.value : token.value + (token.value < kNewCentury ? 2000 : 1900);
}

double dayKey(int year, int month, int day)
{
    if (month < 1 || month > 12 || day < 1 || day > 31)
        return std::nan("");
    return ((year * 12.0 + (month - 1)) * 31 + (day - 1)) * kDay;
}

/// 2021Q4, Q4 2021, 2021-W05, 2021M08; NaN: no such thing.
double periodKey(const Tokens& t)
{
    if (t.size() != 3)
        return std::nan("");
    const bool yearFirst = isYear(t[0]);
    const Token &year = t[yearFirst ? 0 : 2], &unit = t[yearFirst ? 1 : 0], &count = t[yearFirst ? 2 : 1];
    if (!isYear(year) || unit.isNumber || !isShort(count))
        return std::nan("");
    constexpr int kQuarter = 3, kWeek = 7;
    if (unit.is("q") && count.value >= 1 && count.value <= 4)
        return dayKey(year.value, (count.value - 1) * kQuarter + 1, 1);
    if (unit.is("m"))
        return dayKey(year.value, count.value, 1);
    return unit.is("w") || unit.is("kw") ? dayKey(year.value, 1, 1) + count.value * kWeek * kDay : std::nan("");
}

/// Reads a date from the first tokens and says how many it took; 0: there is none.
size_t readDay(const Tokens& t, TimeStamp& stamp)
{
    const auto both = [&](double key, size_t taken) {
        stamp = {key, key};
        return std::isnan(key) ? 0 : taken;
    };
    const size_t n = t.size();
    if (const double key = periodKey(t); !std::isnan(key))
        return both(key, 3);
    const bool yearLast = n > 2 && (isYear(t[2]) || (t[2].isNumber && t[2].text.size() == 2)) && t[2].before != ':';
    if (n > 2 && isYear(t[0]) && isShort(t[1]) && isShort(t[2]) && t[1].before != ':' && t[2].before == t[1].before)
        return both(dayKey(t[0].value, t[1].value, t[2].value), 3);
    if (yearLast && isShort(t[0]) && isShort(t[1]) && t[1].before != ':' && t[2].before == t[1].before) {
        stamp = {dayKey(yearOf(t[2]), t[1].value, t[0].value), dayKey(yearOf(t[2]), t[0].value, t[1].value)};
        if (t[2].before == '.') // nobody puts the month first there, and "10.30.00" is a time
            stamp.monthFirst = std::nan("");
        return std::isnan(stamp.dayFirst) && std::isnan(stamp.monthFirst) ? 0 : 3;
    }
    if (yearLast && isShort(t[0]) && monthOf(t[1]) > 0)
        return both(dayKey(yearOf(t[2]), monthOf(t[1]), t[0].value), 3);
    if (yearLast && monthOf(t[0]) > 0 && isShort(t[1]))
        return both(dayKey(yearOf(t[2]), monthOf(t[0]), t[1].value), 3);
    if (n > 1 && isYear(t[0]) && (isShort(t[1]) || monthOf(t[1]) > 0) && t[1].before != ':')
        return both(dayKey(t[0].value, t[1].isNumber ? t[1].value : monthOf(t[1]), 1), 2);
    if (n > 1 && monthOf(t[0]) > 0 && (isYear(t[1]) || isShort(t[1])))
        return both(dayKey(yearOf(t[1]), monthOf(t[0]), 1), 2);
    if (n > 0 && t[0].isNumber && t[0].text.size() == 8)
        return both(dayKey(t[0].value / 10000, t[0].value / 100 % 100, t[0].value % 100), 1);
    return 0;
}

/// 18.00.00
bool isPointedTime(const Tokens& t)
{
    return t.size() == 3 && t[1].before == '.' && t[2].before == '.' && t[0].text.size() == 2 &&
           t[1].text.size() == 2 && t[2].text.size() == 2 && t[0].isNumber && t[1].isNumber && t[2].isNumber &&
           t[0].value < 24 && t[1].value < 60 && t[2].value < 60;
}

/// Seconds of a time of day from token `at` on, zone included; nothing where something else stands there.
std::optional<double> readTime(const Tokens& t, size_t at)
{
    if (at < t.size() && !t[at].isNumber && t[at].is("t"))
        ++at;
    if (at == t.size())
        return 0.0;
    if (!t[at].isNumber)
        return std::nullopt;
    double seconds = 0;
    if (t[at].text.size() == 4 || t[at].text.size() == 6) { // 20210131T120000
        const int digits = t[at].text.size() == 4 ? t[at].value * 100 : t[at].value;
        seconds = digits / 10000 * 3600 + digits / 100 % 100 * 60 + digits % 100;
        ++at;
    } else {
        double unit = 3600;
        const size_t begin = at;
        const char sign = begin == 0 && isPointedTime(t) ? '.' : ':';
        for (; at < t.size() && isShort(t[at]) && unit >= 1 && (at == begin || t[at].before == sign); ++at, unit /= 60)
            seconds += t[at].value * unit;
        if (at == begin || (at == begin + 1 && (at == t.size() || (!t[at].is("am") && !t[at].is("pm")))))
            return std::nullopt;
        if (at < t.size() && t[at].isNumber && (t[at].before == '.' || t[at].before == ',')) {
            seconds += std::min(t[at].value, 999999999) / std::pow(10.0, static_cast<double>(t[at].text.size()));
            ++at;
        }
    }
    if (at < t.size() && (t[at].is("am") || t[at].is("pm"))) {
        const bool noon = seconds >= 12 * 3600 && seconds < 13 * 3600;
        seconds += (t[at].is("pm") ? 12 * 3600 : 0) - (noon ? 12 * 3600 : 0);
        ++at;
    }
    constexpr size_t kLongestZone = 5;
    if (at < t.size() && !t[at].isNumber && t[at].text.size() <= kLongestZone)
        ++at; // Z, UTC, CEST
    while (at < t.size() && t[at].isNumber && (t[at].before == '+' || t[at].before == '-' || t[at].before == ':'))
        ++at; // the offset of a zone
    return at == t.size() ? std::optional(seconds) : std::nullopt;
}

/// Feb 1 10:00:00 2021, as C writes it.
bool isYearBehindTime(const Tokens& t)
{
    return t.size() > 4 && monthOf(t[0]) > 0 && isShort(t[1]) && isShort(t[2]) && t[3].before == ':' &&
           isYear(t[t.size() - 1]) && t[t.size() - 1].before == ' ';
}

} // namespace

std::optional<TimeStamp> readTimeStamp(std::string_view text)
{
    if (text.empty() || text.size() > kLongest)
        return std::nullopt;
    if (text.front() == '[' && text.back() == ']' && text.size() > 2)
        text = text.substr(1, text.size() - 2);
    Tokens tokens(text);
    if (tokens.size() > 0 && isWeekday(tokens[0]))
        tokens.dropFirst();
    if (tokens.size() == 0)
        return std::nullopt;
    TimeStamp stamp;
    size_t day = 0;
    if (isYearBehindTime(tokens)) {
        stamp.dayFirst = stamp.monthFirst =
            dayKey(tokens[tokens.size() - 1].value, monthOf(tokens[0]), tokens[1].value);
        tokens.dropLast();
        day = std::isnan(stamp.dayFirst) ? 0 : 2;
    } else {
        day = readDay(tokens, stamp);
    }
    const bool isTime = tokens.size() > 1 && (tokens[1].before == ':' || isPointedTime(tokens));
    if (day == 0 && !isTime)
        return std::nullopt;
    const auto seconds = readTime(tokens, day);
    if (!seconds)
        return std::nullopt;
    if (day == 0)
        return TimeStamp{};
    return TimeStamp{stamp.dayFirst + *seconds, stamp.monthFirst + *seconds};
}

void OrderTrack::add(double key, int64_t line)
{
    if (std::isnan(key))
        return;
    if (!std::isnan(m_last)) {
        const double step = key - m_last;
        m_up += step > 0;
        m_down += step < 0;
        m_same += step == 0;
        if (step != 0)
            if (int64_t& first = step > 0 ? m_firstUp : m_firstDown; first == 0)
                first = line;
        m_leastStep = std::min(m_leastStep, step);
        m_greatestStep = std::max(m_greatestStep, step);
    }
    m_last = key;
}

} // namespace unroll
