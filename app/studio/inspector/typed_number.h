// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <tl/expected.hpp>
#include <variant>

namespace unroll {

enum class NumberKind {
    Whole, ///< std::int64_t
    Seed,  ///< std::uint64_t
    Real,  ///< double, finite
};
using Number = std::variant<std::int64_t, std::uint64_t, double>;

struct TypedNumber {
    Number value;
    bool isRounded = false; ///< the text has more digits than a real number keeps
};

/// The number that a text means, as people write it in any country: "0,02", "1 000", "1,000.5", "١٬٠٠٠", "−5", "1e-3",
/// "64 units" where `unit` is that. What can be read in two ways is not taken but explained: "1,000" is one thousand or
/// one. The error is a sentence for the person who typed.
tl::expected<TypedNumber, QString> readNumber(const QString& text, NumberKind kind, const QString& unit = {});

/// With all its digits and a point, wherever the reader lives: "64", "0.0002", "1e-8". readNumber gives the same number
/// back.
QString numberText(const Number& number);

} // namespace unroll
