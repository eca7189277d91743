// SPDX-License-Identifier: GPL-3.0-or-later
// What the specs of RNN, LSTM and GRU in torch.nn's form share: layers, directions, weights. Standard library only.
#pragma once

#include "nodes/shared/weight_parts.h"

#include <functional>
#include <map>

namespace unroll::nodes {

/// The endings of torch.nn's names, layer by layer: _l0, _l0_reverse, _l1, ...
inline std::vector<std::string> gatedPlaces(std::int64_t layers, bool bidirectional)
{
    std::vector<std::string> places;
    for (std::int64_t layer = 0; layer < layers; ++layer)
        for (const char* way : {"", "_reverse"})
            if (bidirectional || *way == 0)
                places.push_back("_l" + std::to_string(layer) + way);
    return places;
}

/// A state of `parts` tensors, called so in sentences, for every layer and direction.
inline void inferGated(InferScope& scope, std::int64_t parts, const std::string& tensors)
{
    const std::int64_t out = widthOfDirections(scope);
    inferRecurrent(scope, out, stateOf(unroll::product({scope.integer("num_layers"), out}), parts), tensors);
}

/// Of all layers and directions: gatedCost, and what `element` counts for the units of one, with the gradient of x
/// beside its workspace. A layer reads all that the one below gives.
inline Cost gatedStackCost(const CostScope& scope, std::int64_t gates, const std::function<Cost(std::int64_t)>& element)
{
    const std::int64_t units = scope.integer("units"), out = widthOfDirections(scope);
    Cost total;
    for (std::int64_t layer = 0; layer < scope.integer("num_layers"); ++layer)
        for (std::int64_t way = 0; way < out / units; ++way) {
            const std::int64_t in = layer == 0 ? scope.dimension("x") : out;
            Cost one = sum(gatedCost(in, units, gates, scope.boolean("bias")), element(units));
            if (gates > 1) // with one gate the sums' gradient is gone by then
                one.workspaceBytes += kFloatBytes * static_cast<double>(in);
            total += one;
        }
    return total;
}

/// Of RNN and GRU, which have a kernel. `fused`: ATen has an operation for them on a GPU.
inline std::string stepsPath(const std::string& kernel, bool fused, const std::map<std::string, Shape>& inputs)
{
    const std::string here = "The kernel " + kernel + ", all steps in one pass";
    if (!fused)
        return here + ".";
    return here + "; on a GPU for many sequences PyTorch's fused operation" +
           (inputs.contains("mask") ? " where a batch has no mask." : ".");
}

inline bool gatedIsCausal(const Params& params)
{
    return !std::get<bool>(params.at("bidirectional"));
}

inline std::vector<ParamSpec> gatedInitializers()
{
    const std::string torch = "Uniform within ±1/√units, biases too, as torch.nn.";
    return {
        initializerParam("weights_initializer", torchInitializers(torch),
                         "Initialisation of the input weights, gate by gate; biases start at 0 unless this is torch."),
        initializerParam("recurrent_initializer", torchInitializers("Uniform within ±1/√units, as torch.nn."),
                         "Initialisation of the recurrent weights, gate by gate; Keras uses orthogonal.")};
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

/// Of one layer in one direction: weight_ih [G units, in], weight_hh [G units, units], with `bias` bias_ih and bias_hh
/// [G units], each with the ending of its place, rows in the order of the gates.
inline std::vector<WeightSpec> gatedWeightsAt(const std::string& place, const WeightSize& in, const WeightScope& scope,
                                              const std::vector<std::string>& gates, const std::string& source)
{
    const WeightSize units{scope.integer("units"), "units"};
    const auto count = static_cast<std::int64_t>(gates.size());
    const WeightSize rows{unroll::product({count, units.size}),
                          (count > 1 ? std::to_string(count) + " " : "") + "units"};
    const auto matrix = [&](const std::string& name, const char* param, const WeightSize& columns) {
        const std::string& rule = scope.text(param);
        const InitialValues values = matrixValues(rule, columns.size, units.size, inverseRootValues(units));
        return WeightSpec{.name = name + place,
                          .shape = {rows, columns},
                          .parts = alike(gates, units.size, values),
                          .source = initializerSource(rule, source),
                          .recurrent = name == "weight_hh"};
    };
    const auto bias = [&](const std::string& name) {
        return WeightSpec{.name = name + place,
                          .shape = {rows},
                          .parts = alike(gates, units.size, gatedBias(scope)),
                          .source = scope.text("weights_initializer") == "torch" ? source : ""};
    };
    std::vector<WeightSpec> list = {matrix("weight_ih", "weights_initializer", in),
                                    matrix("weight_hh", "recurrent_initializer", units)};
    if (scope.boolean("bias"))
        list.insert(list.end(), {bias("bias_ih"), bias("bias_hh")});
    return list;
}

/// Four for each place of gatedPlaces, in that order, or two without biases.
inline std::vector<WeightSpec> gatedWeights(const WeightScope& scope, const std::vector<std::string>& gates,
                                            const std::string& source)
{
    const bool both = scope.boolean("bidirectional");
    const WeightSize first = portSize(scope, "x", "in"), later{widthOfDirections(scope), both ? "2 units" : "units"};
    std::vector<WeightSpec> list;
    for (const std::string& place : gatedPlaces(scope.integer("num_layers"), both)) {
        const bool lowest = place.starts_with("_l0");
        for (WeightSpec& weight : gatedWeightsAt(place, lowest ? first : later, scope, gates, source))
            list.push_back(std::move(weight));
    }
    return list;
}

/// With learned_state the state that sequences begin from, for every layer and direction: initial_h, initial_c, ...
inline std::vector<WeightSpec> withLearnedState(const WeightScope& scope, std::vector<WeightSpec> list,
                                                const std::vector<std::string>& states)
{
    if (!scope.boolean("learned_state"))
        return list;
    const std::int64_t width = unroll::product({scope.integer("num_layers"), widthOfDirections(scope)});
    for (const std::string& state : states)
        list.push_back(plainWeight("initial_" + state, {{width, "layers directions units"}}, zeroValues()));
    return list;
}

/// The block's own parameters, then its layers, directions and initial values.
inline std::vector<ParamSpec> withGatedParams(std::vector<ParamSpec> params)
{
    params.push_back(integerParam("num_layers", 1, 1, 64, "layers", "Number of stacked layers."));
    params.push_back(bidirectionalParam());
    params.push_back(flagParam("bias", true, "Whether there are learned biases, as bias in torch.nn."));
    params.push_back(flagParam("learned_state", false,
                               "Whether sequences begin from a learned state; one that is wired or carried is added."));
    for (ParamSpec& param : gatedInitializers())
        params.push_back(std::move(param));
    return params;
}

} // namespace unroll::nodes
