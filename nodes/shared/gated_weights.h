// SPDX-License-Identifier: GPL-3.0-or-later
// Weights of RNN, LSTM and GRU in torch.nn's form. Standard library only.
#pragma once

#include "nodes/shared/weight_parts.h"

namespace unroll::nodes {

inline std::vector<ParamSpec> gatedInitializers()
{
    const std::string torch = "Uniform within ±1/√units, biases too, as torch.nn.";
    return {initializerParam("weights_initializer", torchInitializers(torch),
                             "How the input's weights begin, each gate by itself; biases begin at 0 unless torch's way "
                             "is taken."),
            initializerParam("recurrent_initializer", torchInitializers("Uniform within ±1/√units, as torch.nn."),
                             "How the state's weights begin, each gate by itself; Keras takes orthogonal.")};
}

/// A part for each gate, all alike.
inline std::vector<WeightPart> alike(const std::vector<std::string>& gates, std::int64_t units,
                                     const InitialValues& initial)
{
    std::vector<WeightPart> parts;
    for (const std::string& gate : gates)
        parts.push_back({gate, units, initial});
    return parts;
}

/// How both biases begin before anything is added.
inline InitialValues gatedBias(const WeightScope& scope)
{
    return scope.text("weights_initializer") == "torch" ? inverseRootValues({scope.integer("units"), "units"})
                                                        : zeroValues();
}

/// weight_ih_l0 [G units, in], weight_hh_l0 [G units, units], bias_ih_l0 and bias_hh_l0 [G units], rows in the order of
/// the gates.
inline std::vector<WeightSpec> gatedWeights(const WeightScope& scope, const std::vector<std::string>& gates,
                                            const std::string& source)
{
    const WeightSize in{scope.dimension("x"), "in"}, units{scope.integer("units"), "units"};
    const auto count = static_cast<std::int64_t>(gates.size());
    const WeightSize rows{unroll::product({count, units.size}),
                          (count > 1 ? std::to_string(count) + " " : "") + "units"};
    const auto matrix = [&](const char* name, const char* param, const WeightSize& columns) {
        const std::string& rule = scope.text(param);
        const InitialValues values = matrixValues(rule, columns.size, units.size, inverseRootValues(units));
        return WeightSpec{.name = name,
                          .shape = {rows, columns},
                          .parts = alike(gates, units.size, values),
                          .source = initializerSource(rule, source)};
    };
    const auto bias = [&](const char* name) {
        return WeightSpec{.name = name,
                          .shape = {rows},
                          .parts = alike(gates, units.size, gatedBias(scope)),
                          .source = scope.text("weights_initializer") == "torch" ? source : ""};
    };
    return {matrix("weight_ih_l0", "weights_initializer", in), matrix("weight_hh_l0", "recurrent_initializer", units),
            bias("bias_ih_l0"), bias("bias_hh_l0")};
}

/// The block's own parameters, then those of its initial values.
inline std::vector<ParamSpec> withGatedInitializers(std::vector<ParamSpec> params)
{
    for (ParamSpec& param : gatedInitializers())
        params.push_back(std::move(param));
    return params;
}

} // namespace unroll::nodes
