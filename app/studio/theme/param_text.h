// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/value.h"

#include <QString>

namespace unroll {

/// A whole or real number with all its digits, as it is typed: "64", "0.0002", "1e-8".
QString exactText(const ParamValue& number);
/// A parameter's value as it is written: "64", "on", "nothing", "causal every 4 else none".
QString paramValueText(const ParamValue& value);
/// A parameter's name as a label has it: "learning rate".
QString nameText(const std::string& name);

} // namespace unroll
