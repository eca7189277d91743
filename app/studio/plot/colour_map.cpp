// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/plot/colour_map.h"

#include <cassert>
#include <cmath>
#include <vector>

namespace unroll {

namespace {

float fromLinear(double channel)
{
    const double clipped = std::fmin(1.0, std::fmax(0.0, channel));
    return static_cast<float>(clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * std::pow(clipped, 1 / 2.4) - 0.055);
}

Oklab mix(const Oklab& a, const Oklab& b, double t)
{
    return {a.lightness + t * (b.lightness - a.lightness), a.a + t * (b.a - a.a), a.b + t * (b.b - a.b)};
}

/// A smooth curve through the controls (Catmull-Rom), sampled densely.
std::vector<Oklab> densePath(const QVector<QColor>& controls)
{
    std::vector<Oklab> knots;
    for (const QColor& color : controls)
        knots.push_back(toOklab(color));
    const int last = static_cast<int>(knots.size()) - 1;
    const auto knot = [&](int i) { return knots[static_cast<std::size_t>(std::clamp(i, 0, last))]; };
    constexpr int steps = 256;
    std::vector<Oklab> path;
    for (int i = 0; i < last; ++i) {
        for (int k = 0; k < steps; ++k) {
            const double t = static_cast<double>(k) / steps;
            const auto spline = [&](double Oklab::*m) {
                const double p0 = knot(i - 1).*m, p1 = knot(i).*m, p2 = knot(i + 1).*m, p3 = knot(i + 2).*m;
                return 0.5 * (2 * p1 + (p2 - p0) * t + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t * t +
                              (3 * p1 - p0 - 3 * p2 + p3) * t * t * t);
            };
            path.push_back({spline(&Oklab::lightness), spline(&Oklab::a), spline(&Oklab::b)});
        }
    }
    path.push_back(knots.back());
    return path;
}

/// `count` colours along the path, first and last included, at equal distances.
std::vector<Oklab> evenly(const std::vector<Oklab>& path, int count)
{
    std::vector<double> length{0};
    for (std::size_t i = 1; i < path.size(); ++i)
        length.push_back(length.back() + distance(path[i - 1], path[i]));
    std::vector<Oklab> colours;
    std::size_t at = 1;
    for (int i = 0; i < count; ++i) {
        const double want = length.back() * i / (count - 1);
        while (at + 1 < path.size() && length[at] < want)
            ++at;
        const double step = length[at] - length[at - 1];
        colours.push_back(mix(path[at - 1], path[at], step > 0 ? (want - length[at - 1]) / step : 0));
    }
    return colours;
}

} // namespace

Oklab toOklab(const QColor& color)
{
    const double r = linearChannel(color.redF()), g = linearChannel(color.greenF()), b = linearChannel(color.blueF());
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

QColor fromOklab(const Oklab& lab)
{
    const double l = std::pow(lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b, 3);
    const double m = std::pow(lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b, 3);
    const double s = std::pow(lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b, 3);
    return QColor::fromRgbF(fromLinear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                            fromLinear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                            fromLinear(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

double distance(const Oklab& a, const Oklab& b)
{
    return std::hypot(a.lightness - b.lightness, a.a - b.a, a.b - b.b);
}

ColourMap ColourMap::sequential(const QVector<QColor>& controls)
{
    ColourMap map;
    const auto colours = evenly(densePath(controls), 256);
    for (std::size_t i = 0; i < colours.size(); ++i)
        map.m_table[i] = fromOklab(colours[i]).rgb();
    return map;
}

ColourMap ColourMap::diverging(const QVector<QColor>& controls)
{
    assert(controls.size() % 2 == 1);
    const auto middle = controls.size() / 2;
    // 257 values would have their zero in the middle; 256 have it between 127 and 128, which both get the neutral
    // colour.
    const auto low = evenly(densePath(controls.mid(0, middle + 1)), 128);
    const auto high = evenly(densePath(controls.mid(middle)), 128);
    ColourMap map;
    for (std::size_t i = 0; i < 128; ++i) {
        map.m_table[i] = fromOklab(low[i]).rgb();
        map.m_table[128 + i] = fromOklab(high[i]).rgb();
    }
    return map;
}

} // namespace unroll
