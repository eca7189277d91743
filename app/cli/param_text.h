// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/block/spec.h"

#include <string>
#include <vector>

namespace unroll::cli {

using Rows = std::vector<std::vector<std::string>>;

/// "a | b", "1 to 8", "at least 1"; empty: any value.
std::string rangeText(const ParamSpec& param);
std::string defaultText(const ParamSpec& param);

/// A blank line and the text in bold.
void heading(const std::string& text);
/// The rows below a heading; nothing where there are none.
void sayTitled(const std::string& title, const Rows& rows);
/// What can be set and, below, what each choice means.
void sayParams(const std::string& title, const std::vector<ParamSpec>& params);

/// {"optimizer": ["adamw", "adam"]}; of several members, one that holds suffices.
Json conditionsJson(const std::vector<Condition>& when);
Json paramsJson(const std::vector<ParamSpec>& params);

} // namespace unroll::cli
