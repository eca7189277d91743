// SPDX-License-Identifier: GPL-3.0-or-later
// Norms over so few values that nothing but signs is left of them. Standard library only.
#pragma once

#include "core/block/infer.h"

#include <cstdint>
#include <string>

namespace unroll::nodes {

enum class NormKind { Rms, Layer };

/// Values that a norm needs to leave more than signs of: of one alone RMS and layer norm leave a sign and nothing, of
/// two a layer norm leaves a sign.
inline std::int64_t fewestNormed(NormKind norm)
{
    return norm == NormKind::Layer ? 3 : 2;
}

inline std::string whyTooFew(NormKind norm)
{
    return norm == NormKind::Layer ? "a layer norm leaves nothing of one value and only a sign of two"
                                   : "an RMS norm leaves only a sign of one value";
}

/// Of a norm over `factor` values of every unit together.
inline void refuseFewUnits(InferScope& scope, NormKind norm, std::int64_t factor = 1)
{
    const std::int64_t units = scope.integer("units"), least = (fewestNormed(norm) + factor - 1) / factor;
    if (units >= least)
        return;
    scope.error("units", "too-few-to-norm",
                "units must be " + std::to_string(least) + " or more, for " + whyTooFew(norm) + "; it is " +
                    std::to_string(units));
    scope.offerParam("Set units to " + std::to_string(least), "units", least);
}

} // namespace unroll::nodes
