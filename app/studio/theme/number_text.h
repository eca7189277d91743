// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>

namespace unroll {

QString countText(std::int64_t count); ///< "526,336"
QString scaledText(double value);      ///< three digits and a prefix: "1.05 M", "320", "0"
QString bytesText(double bytes);       ///< "1.5 GiB"
QString durationText(double seconds);  ///< "45 s", "3 min 20 s", "2 h 05 min"
QString readingText(
    double value); ///< a measured number, four digits: "1.432", "0.0012", "12.4 k"; a dash for what is not a number

} // namespace unroll
