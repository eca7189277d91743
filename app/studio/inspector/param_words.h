// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/spec.h"

#include <QString>

namespace unroll {

/// What a parameter may be: "1 to 65,536 units", "at least 0", "characters or bytes". Empty: anything of its type.
QString rangeWords(const ParamSpec& spec);
/// Its default with the unit: "64 steps", "on", "nothing".
QString defaultWords(const ParamSpec& spec);
/// What it is, what it may be, and its default: help, a line each.
QString paramHelp(const ParamSpec& spec);

} // namespace unroll
