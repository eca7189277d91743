// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace unroll {

/// What divides the digits before the decimal sign into groups.
enum class GroupSign : uint8_t {
    None,
    Comma,
    Point,
    Apostrophe, // ' or U+2019
    Space       // a blank, U+00A0, U+2009 or U+202F
};

/// How numbers are written.
struct NumberSigns {
    char decimal = '.';
    std::optional<GroupSign> thousands; // nothing: any that is not the decimal sign

    bool operator==(const NumberSigns&) const = default;
};

/// A cell that may be a number, taken apart. Views into the cell.
struct WrittenNumber {
    std::string_view body;     // digits, points, commas and what groups them
    std::string_view exponent; // "e-5" as it stands, or empty
    std::string_view currency; // "$", "EUR", or empty
    bool negative = false;     // a minus in front or behind (U+2212 too), or brackets around it as accountants write
    bool percent = false;
};

/// Without blanks, signs, currency and per cent around it. Nothing where no digit is left, or anything that no number
/// has.
std::optional<WrittenNumber> writtenNumber(std::string_view cell);

struct NumberReading {
    enum class Fault { None, NoNumber, TooLarge };

    Fault fault = Fault::NoNumber;
    double value = 0;
    GroupSign group = GroupSign::None; // what divides its digits
    bool fraction = false;             // it has a decimal sign
};

/// With these signs. Groups are of three digits, or as in 12,34,567; the first has no leading zero. Too small a number
/// for a double is 0.
NumberReading readNumber(const WrittenNumber& number, const NumberSigns& signs);

/// inf, infinity, with a sign or without: a number that no model can learn from.
bool isInfinite(std::string_view cell);

/// An empty cell, or one of the words that programs write where a number is missing: NA, NaN, null, None, ?, -, #N/A
/// ... In any case.
bool isMissing(std::string_view cell);

/// "#N/A", "#DIV/0!", "#NOMBRE?": what spreadsheets write for an error, in any language.
bool isSpreadsheetError(std::string_view cell);

/// Without blanks (U+00A0 and its kin too) at both ends.
std::string_view withoutBlanks(std::string_view text);

/// Whether there is more in it than blanks.
bool isFilled(std::string_view cell);

/// "1.23.456", "<0.05", "±5", "1d5": digits in front and no letter but those of an exponent. `letters`: with others
/// too, as "5s".
bool beginsAsNumber(std::string_view cell, bool letters = false);

} // namespace unroll
