// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/infer.h"

#include <QChar>
#include <QPainterPath>

namespace unroll {

/// The outline of a port of this type around the origin: sequence circle, state diamond, tokens square, loss triangle,
/// mask bar, targets house, target values house with a pointed roof, vector hexagon, table wide rectangle. Shape and
/// letter tell the types apart where colours do not.
QPainterPath portOutline(PortType type);

/// The field's letter for it: x, h, t, L, m, y, z, v, w.
QChar portLetter(PortType type);

/// Where the letter's middle is, from the origin.
QPointF portLetterOffset(PortType type);

} // namespace unroll
