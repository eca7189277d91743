// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/inks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace unroll {

namespace {

struct Oklab {
    double lightness = 0, a = 0, b = 0;
};

double toLinear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double fromLinear(double channel)
{
    const double clipped = std::clamp(channel, 0.0, 1.0);
    return clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * std::pow(clipped, 1 / 2.4) - 0.055;
}

Oklab toOklab(const Ink& ink)
{
    const double r = toLinear(ink.red), g = toLinear(ink.green), b = toLinear(ink.blue);
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Ink fromOklab(const Oklab& lab)
{
    const double l = std::pow(lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b, 3);
    const double m = std::pow(lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b, 3);
    const double s = std::pow(lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b, 3);
    return {fromLinear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
            fromLinear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
            fromLinear(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

std::vector<Ink> inksOf(std::initializer_list<std::uint32_t> codes)
{
    std::vector<Ink> inks;
    for (const std::uint32_t code : codes)
        inks.push_back(inkOf(code));
    return inks;
}

} // namespace

InkMap::InkMap(const std::vector<Ink>& controls)
{
    const auto last = static_cast<double>(controls.size() - 1);
    for (std::size_t i = 0; i < m_table.size(); ++i) {
        const double place = last * static_cast<double>(i) / static_cast<double>(m_table.size() - 1);
        const std::size_t before = std::min(static_cast<std::size_t>(place), controls.size() - 2);
        const double part = place - static_cast<double>(before);
        const Oklab from = toOklab(controls[before]), to = toOklab(controls[before + 1]);
        m_table[i] = fromOklab({std::lerp(from.lightness, to.lightness, part), std::lerp(from.a, to.a, part),
                                std::lerp(from.b, to.b, part)});
    }
}

const Ink& InkMap::at(double share) const
{
    const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(m_table.size() - 1);
    return m_table[static_cast<std::size_t>(std::lround(place))];
}

const Inks& figureInks(bool dark)
{
    static const Inks light{
        inkOf(0xffffff),
        inkOf(0x1b222c),
        inkOf(0x566172),
        inkOf(0xe8ebf0),
        inkOf(0x8b94a1),
        inkOf(0xe6008a),
        inksOf({0x1e70d4, 0xae5f04, 0x00575b, 0x5b44a8, 0x30843e, 0xb6347f, 0x635301, 0xbc3d34, 0x482a32, 0x2b2d4f}),
        InkMap(inksOf({0x123780, 0x348dcf, 0xf0f4f7, 0xda7134, 0x791b11})),
        InkMap(inksOf({0xeef7f8, 0x72d0d0, 0x037bab, 0x2b1e66})),
        InkMap(inksOf({0x4a1c3c, 0x3f7fb4, 0xe9e6e2, 0xc4743f, 0x4a1c3c}))};
    static const Inks night{
        inkOf(0x181c22),
        inkOf(0xe4e8ee),
        inkOf(0x9ba6b5),
        inkOf(0x242a33),
        inkOf(0x667080),
        inkOf(0xff4db8),
        inksOf({0x4f9af7, 0xefac5d, 0x66d1dd, 0xaf7ad0, 0x759932, 0xdc78b6, 0xb7d8b1, 0xde746a, 0xc2b3b4, 0xe0bb8b}),
        InkMap(inksOf({0x9be4fc, 0x2b7ec9, 0x13161c, 0xcc572a, 0xfed898})),
        InkMap(inksOf({0x12161f, 0x504799, 0xe1627c, 0xfde89a})),
        InkMap(inksOf({0x4a1c3c, 0x3f7fb4, 0xe9e6e2, 0xc4743f, 0x4a1c3c}))};
    return dark ? night : light;
}

} // namespace unroll
