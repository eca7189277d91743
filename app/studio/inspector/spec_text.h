// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/theme/param_text.h"
#include "core/block/spec.h"

#include <QString>

namespace unroll {

/// What a parameter may be: "1 to 65,536 units", "at least 0", "characters or bytes". Empty: anything of its type.
QString paramRangeText(const ParamSpec& spec);
/// Its default with the unit: "64 steps", "on", "nothing".
QString paramDefaultText(const ParamSpec& spec);
/// With what it counts: "Counts with optimizer adamw or adam"; empty: always.
QString paramConditionText(const ParamSpec& spec);
/// What it is, what it may be, its default, and with what it counts: help, a line each.
QString paramHelp(const ParamSpec& spec);
/// What a value of a Choice means; empty for any other.
QString choiceHelp(const ParamSpec& spec, const ParamValue& value);
/// Every choice with what it means, as Markdown for a help page; empty where nothing is to be chosen.
QString optionsMarkdown(const std::vector<ParamSpec>& params);

} // namespace unroll
