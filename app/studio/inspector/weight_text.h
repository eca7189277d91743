// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/weight.h"

#include <QColor>
#include <QString>

namespace unroll {

/// A node's weights as rich text: name and shape, and below, in `dim`, how each begins and is trained. Sizes and bounds
/// are numbers once every input is wired, and symbols before.
QString weightsText(const std::vector<WeightSpec>& weights, const QColor& dim);

} // namespace unroll
