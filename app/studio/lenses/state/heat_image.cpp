// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_image.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace unroll {

namespace {

constexpr double kPi = 3.14159265358979323846;

} // namespace

QImage heatImage(const HeatCells& cells, const HeatScale& scale, const ColourMap& map, QRgb missing)
{
    QImage image(static_cast<int>(cells.steps), static_cast<int>(cells.width), QImage::Format_RGB32);
    const QRgb hatch[] = {missing, QColor(missing).darker(160).rgb()};
    const float factor = 255.0f / (scale.high - scale.low);
    // Row by row of the picture: writes run along memory, reads stride over a matrix that fits the cache.
    for (int unit = 0; unit < image.height(); ++unit) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(unit));
        const float* from = cells.values.data() + unit;
        for (int t = 0; t < image.width(); ++t, from += cells.width) {
            const float index = (*from - scale.low) * factor + 0.5f;
            line[t] = !std::isfinite(index) ? hatch[(t + unit) & 1]
                                            : map[index <= 0     ? 0
                                                  : index >= 255 ? 255
                                                                 : static_cast<int>(index)];
        }
    }
    return image;
}

QColor phaseColour(double phase, double share, bool dark)
{
    const double lightness = dark ? 0.22 + 0.53 * share : 0.96 - 0.30 * share, strength = 0.125 * share;
    const double hue = phase + 0.45; // so that 0 is red
    return fromOklab({lightness, strength * std::cos(hue), strength * std::sin(hue)});
}

QImage phaseImage(const HeatCells& cells, const HeatCells& phases, const HeatScale& scale, bool dark, QRgb missing)
{
    constexpr int hues = 64, strengths = 32; // a table: the eye tells no more apart, and a cell costs a look-up
    std::vector<QRgb> table;
    for (int hue = 0; hue < hues; ++hue)
        for (int strength = 0; strength < strengths; ++strength)
            table.push_back(phaseColour(2 * kPi * (hue + 0.5) / hues - kPi, strength / (strengths - 1.0), dark).rgb());
    QImage image(static_cast<int>(cells.steps), static_cast<int>(cells.width), QImage::Format_RGB32);
    const QRgb hatch[] = {missing, QColor(missing).darker(160).rgb()};
    for (int unit = 0; unit < image.height(); ++unit) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(unit));
        for (int t = 0; t < image.width(); ++t) {
            const double share = static_cast<double>(cells.at(t, unit) / scale.high);
            const auto phase = static_cast<double>(phases.at(t, unit));
            if (!std::isfinite(share) || !std::isfinite(phase)) {
                line[t] = hatch[(t + unit) & 1];
                continue;
            }
            const int hue = std::clamp(static_cast<int>((phase + kPi) / (2 * kPi) * hues), 0, hues - 1);
            const int strength = static_cast<int>(std::clamp(share, 0.0, 1.0) * (strengths - 1) + 0.5);
            line[t] = table[static_cast<std::size_t>(hue * strengths + strength)];
        }
    }
    return image;
}

} // namespace unroll
