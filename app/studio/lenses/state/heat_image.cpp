// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_image.h"

#include <cmath>

namespace unroll {

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

} // namespace unroll
