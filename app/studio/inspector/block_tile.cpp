// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/block_tile.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/glyph.h"
#include "app/studio/theme/metrics.h"

#include <QPainter>

namespace unroll {

BlockTile::BlockTile(const BlockSpec* spec, const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_spec(spec), m_appearance(appearance)
{
    const int side = appearance.iconSide() + space::s;
    setFixedSize(side, side);
}

void BlockTile::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintBlockTile(painter, m_spec, rect(), m_appearance.theme());
}

} // namespace unroll
