// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/infer.h"

#include <QList>
#include <QString>
#include <utility>

namespace unroll {

/// What a node costs, a row a kind, each with its share of the whole graph: "526,336 (60 % of all)".
QList<std::pair<QString, QString>> costRows(const Cost& node, const Cost& whole);

} // namespace unroll
