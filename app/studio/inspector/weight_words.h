// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/spec.h"

#include <QString>

namespace unroll {

/// How a block's weights are trained, as far as its spec says it: a line for each weight with a rule of its own, and one for the others.
QString weightWords(const BlockSpec& spec);

} // namespace unroll
