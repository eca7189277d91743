// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/number_text.h"

#include <QLocale>
#include <array>
#include <cmath>

namespace unroll {

namespace {

QString withPrefix(double value, double base, const std::array<const char*, 7>& prefixes)
{
    std::size_t step = 0;
    while (std::abs(value) >= base * 0.9995 && step + 1 < prefixes.size()) {
        value /= base;
        ++step;
    }
    const int decimals = step == 0 || std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2;
    return QString::number(value, 'f', decimals) + QChar(0x00a0) + QString::fromLatin1(prefixes[step]);
}

} // namespace

QString countText(std::int64_t count)
{
    static const QLocale grouped(QLocale::English, QLocale::UnitedStates);
    return grouped.toString(static_cast<qlonglong>(count));
}

QString scaledText(double value)
{
    return withPrefix(value, 1000, {"", "k", "M", "G", "T", "P", "E"}).trimmed();
}

QString bytesText(double bytes)
{
    return withPrefix(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"});
}

QString durationText(double seconds)
{
    const auto whole = static_cast<long long>(std::llround(seconds));
    if (whole < 60)
        return QStringLiteral("%1 s").arg(whole);
    if (whole < 3600)
        return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(whole % 60, 2, 10, QChar('0'));
    return QStringLiteral("%1 h %2 min").arg(whole / 3600).arg(whole / 60 % 60, 2, 10, QChar('0'));
}

QString readingText(double value)
{
    const double size = std::abs(value);
    if (!std::isfinite(value))
        return QString(QChar(0x2013));
    if (size > 0 && size < 0.01)
        return QString::number(value, 'g', 3);
    if (size >= 1e4)
        return scaledText(value);
    return QString::number(value, 'f', size < 10 ? 3 : size < 100 ? 2 : 1);
}

} // namespace unroll
