// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"

#include <QPixmap>
#include <QPoint>

namespace unroll {

class Appearance;

/// A block as the node that it will be, at zoom 1, for a screen with `ratio` pixels a unit.
struct BlockPicture {
    QPixmap pixmap;
    QPoint corner; ///< of the node within the picture, in units: its shadow and ports stand out
};
BlockPicture blockPicture(const BlockSpec& spec, const BlockRegistry& registry, const Appearance& appearance,
                          double ratio);

} // namespace unroll
