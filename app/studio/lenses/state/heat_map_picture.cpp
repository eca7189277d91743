// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_map_picture.h"

#include "app/studio/lenses/state/heat_image.h"
#include "app/studio/theme/appearance.h"

namespace unroll {

HeatMapPicture::HeatMapPicture(const Appearance& appearance) : m_appearance(appearance)
{
    themeChanged();
}

void HeatMapPicture::themeChanged()
{
    m_diverging = ColourMap::diverging(m_appearance.theme().divergingMap());
    m_sequential = ColourMap::sequential(m_appearance.theme().sequentialMap());
    forget();
}

const QImage& HeatMapPicture::of(const HeatMapData& data, const QSize& device)
{
    if (m_for == device)
        return m_image;
    m_for = device;
    ++m_timesMade;
    const QRgb missing = m_appearance.theme()[Theme::Role::HeatMissing].rgb();
    const HeatCells cells = reduced(data.inOrder(), device.width(), device.height());
    m_image =
        data.phases().empty()
            ? heatImage(cells, data.scale(), colours(data.scale().diverging), missing)
            : phaseImage(cells, reducedBeside(data.inOrder(), data.phasesInOrder(), device.width(), device.height()),
                         data.scale(), m_appearance.theme().isDark(), missing);
    return m_image;
}

} // namespace unroll
