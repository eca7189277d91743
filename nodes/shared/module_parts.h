// SPDX-License-Identifier: GPL-3.0-or-later
// Shared parts of the specs of layers whose features are equal parts, modules, that share weights. Standard library
// only.
#pragma once

#include "nodes/shared/weight_parts.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

inline ParamSpec modulesParam(std::string help)
{
    return integerParam("num_modules", 16, 1, kWidest, "modules", std::move(help));
}

/// The mistake of modules that do not divide a width. `divided`: what must be divided, in words, and its width.
inline void inferModules(InferScope& scope, const std::vector<std::pair<std::string, std::int64_t>>& divided)
{
    const auto fits = [&](std::int64_t modules) {
        return std::all_of(divided.begin(), divided.end(),
                           [&](const auto& each) { return each.second % modules == 0; });
    };
    const std::int64_t modules = scope.integer("num_modules");
    if (fits(modules))
        return;
    const auto wrong =
        std::find_if(divided.begin(), divided.end(), [&](const auto& each) { return each.second % modules != 0; });
    scope.error("num_modules", "modules-do-not-divide",
                "num_modules must divide " + wrong->first + ", " + std::to_string(wrong->second) + "; it is " +
                    std::to_string(modules));
    std::int64_t fitting = modules;
    while (!fits(fitting))
        --fitting;
    scope.offerParam("Set num_modules to " + std::to_string(fitting), "num_modules", fitting);
}

/// How a layer begins whose authors have Glorot's uniform matrices and biases of 0.
inline std::vector<ParamSpec> plainDenseInitializers(std::string help)
{
    return {initializerParam("weights_initializer", matrixInitializers(), std::move(help)),
            initializerParam("bias_initializer", {{"zeros", "0."}, {"ones", "1."}}, "Initialisation of the bias.")};
}

inline InitialValues plainBiasValues(const WeightScope& scope)
{
    return constantValues(scope.text("bias_initializer") == "ones");
}

} // namespace unroll::nodes
