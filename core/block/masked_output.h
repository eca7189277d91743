// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/value.h"

#include <string>

namespace unroll {

/// What a recurrent cell gives at masked steps: 0, what it gave at the last real step before, or what is read from the
/// state that it holds. None: a block that has no such choice.
enum class MaskedRule { None, Zero, Hold, Read };

inline constexpr const char* kMaskedOutput = "masked_output"; ///< the parameter

inline MaskedRule maskedRule(const Params& params)
{
    const auto found = params.find(kMaskedOutput);
    if (found == params.end())
        return MaskedRule::None;
    const auto& rule = std::get<std::string>(found->second);
    return rule == "hold" ? MaskedRule::Hold : rule == "read" ? MaskedRule::Read : MaskedRule::Zero;
}

} // namespace unroll
