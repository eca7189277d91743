// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/cfc/kernel.h"
#include "nodes/shared/weight_parts.h"

namespace unroll::nodes::cfc {

template <class Scope>
static bool isPure(const Scope& scope)
{
    return scope.text("mode") == "pure";
}

/// Outputs of the last layers, side by side.
template <class Scope>
static std::int64_t headRows(const Scope& scope)
{
    return (isPure(scope) ? 1 : 4) * scope.integer("units");
}

/// A product whose sums go at once into activations: what these keep is counted with them.
static Cost passingProduct(std::int64_t in, std::int64_t out)
{
    Cost cost = denseCost(in, out, true);
    cost.activationBytes = cost.workspaceBytes = 0;
    return cost;
}

/// Products of x and h with the first layer, of the other layers of the backbone, and of the last ones. Elements: each
/// feature of the backbone is summed and activated, 4, backward 8; of h activations 3, the time 2, h 4; backward 20.
/// Floats kept step by step: of a layer the product with x or the sum, and two of its activation; both candidates, the
/// gate, 1 - g, h and y; workspace: gradients of the sums of x and of x. The kernel keeps the sums of the backbone and
/// of the last layers, h twice and times; workspace: gradients of all sums, the features again.
static Cost cost(const CostScope& scope)
{
    const std::int64_t units = scope.integer("units"), in = scope.dimension("x"), read = in + units;
    const std::int64_t wide = scope.integer("backbone_units"), layers = scope.integer("backbone_layers");
    Cost total = passingProduct(layers > 0 ? wide : read, headRows(scope));
    for (std::int64_t layer = 0; layer < layers; ++layer)
        total += sum(passingProduct(layer == 0 ? read : wide, wide),
                     hasKernel(scope.params) ? elementCost(wide, 4, 8, 1, 2) : elementCost(wide, 4, 8, 3, 0));
    total.workspaceBytes += kFloatBytes * static_cast<double>(in);
    if (!hasKernel(scope.params))
        return sum(total, elementCost(units, 10, 20, 6, 1));
    const double times = scope.inputs.contains("dt") ? 1 : 0;
    return sum(total, elementCost(units, 10, 20, 6 + times, 4 + times));
}

static void infer(InferScope& scope)
{
    const std::int64_t units = scope.integer("units");
    inferRecurrent(scope, units, stateOf(units, 1), "h");
    const Shape* spans = scope.input("dt");
    if (spans == nullptr || spans->width == 1 || spans->width == units)
        return;
    scope.error("dt", "width-mismatch",
                "dt has width " + std::to_string(spans->width) +
                    "; it must be 1, one time for all units, or one for each of the " + std::to_string(units) +
                    " units");
    scope.offerWidth("dt", 1);
}

/// Of a linear layer: Glorot, and torch.nn's bias.
static std::vector<WeightSpec> layerWeights(const std::string& name, const WeightSize& out, const WeightSize& from)
{
    return {plainWeight(name + ".weight", {out, from}, matrixValues("glorot_uniform", from.size, out.size),
                        initializerSource("glorot_uniform")),
            plainWeight(name + ".bias", {out}, inverseRootValues(from), "torch.nn.Linear")};
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize units{scope.integer("units"), "units"}, wide{scope.integer("backbone_units"), "backbone_units"};
    const WeightSize both{scope.dimension("x") + units.size, "(in + units)"};
    const std::int64_t layers = scope.integer("backbone_layers");
    std::vector<WeightSpec> list;
    for (std::int64_t layer = 0; layer < layers; ++layer)
        list = followedBy(std::move(list),
                          layerWeights("backbone." + std::to_string(2 * layer), wide, layer == 0 ? both : wide));
    const WeightSize& from = layers > 0 ? wide : both;
    list = followedBy(std::move(list), layerWeights("ff1", units, from));
    if (!isPure(scope)) {
        for (const char* name : {"ff2", "time_a", "time_b"})
            list = followedBy(std::move(list), layerWeights(name, units, from));
        return list;
    }
    const InitialValues ofRow = matrixValues("glorot_uniform", units.size, 1);
    for (const char* name : {"w_tau", "A"})
        list.push_back(plainWeight(name, {{1, "1"}, units}, ofRow, initializerSource("glorot_uniform")));
    return list;
}

static std::vector<ParamSpec> params()
{
    return {
        integerParam("units", 128, 1, kWidest, "units", "Width of the state."),
        choiceParam("mode",
                    {{"default", "h moves from one candidate to the other, by a gate that opens with time."},
                     {"no_gate", "The second candidate is added by that gate, and the first one stays."},
                     {"pure", "The solution of the differential equation itself, with a time constant for each unit."}},
                    "How the state follows from candidates and time."),
        flagParam("time_spans", false, "Times since the step before, by wire (dt); else every step takes 1."),
        integerParam("backbone_units", 128, 1, kWidest, "units", "Width of the layers that x and h go through first."),
        integerParam("backbone_layers", 1, 0, 64, "layers", "Number of those layers."),
        choiceParam("backbone_activation",
                    {{"lecun_tanh", "1.7159 tanh(0.666 a)."},
                     {"tanh", "Range -1 to 1."},
                     {"relu", "max(a, 0)."},
                     {"silu", "a sigmoid(a)."},
                     {"gelu", "a Φ(a), Φ the normal distribution's function."}},
                    "Activation of those layers.")};
}

static std::vector<PortSpec> inputs()
{
    std::vector<PortSpec> ports = recurrentInputs("h before the first step; zeros when unwired.");
    PortSpec spans = sequencePort("Time since the step before, of width 1, or of each unit; 1 when unwired.", "dt");
    spans.optional = true;
    spans.notNegative = true;
    ports.push_back(withChoice("time_spans", {"true"}, std::move(spans)));
    return ports;
}

static std::string trainingPath(const Params& params, const std::map<std::string, Shape>&)
{
    return hasKernel(params)
               ? "The kernel cfc_steps, all steps in one pass; on a GPU step by step: each step reads the "
                 "state."
               : "Step by step: each step reads the state.";
}

BlockSpec spec()
{
    return trainable(
        {.id = "cfc",
         .title = "CfC",
         .summary = "Closed-form continuous-time network: h_t = (1 - g) ∘ u + g ∘ v, whose gate g opens with the time "
                    "since the step before.",
         .synonyms = {"closed-form continuous-time", "liquid", "LTC", "liquid time-constant network", "neural ODE",
                      "irregular time series", "ncps"},
         .category = Category::Recurrent,
         .inputs = inputs(),
         .outputs = recurrentOutputs("h at every step.", "h after the last step.", {"h"}),
         .params = params(),
         .signalSpecs = {{"h", SignalKind::Signed, "The state after each step."},
                         {"u", SignalKind::Signed, "First candidate; with pure the drift that slows a unit down."},
                         {"v", SignalKind::Signed, "Second candidate; with pure A, where the state tends to."},
                         {"g", SignalKind::Gate, "Time gate; with pure the share of the drift that is left."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "CfC",
         .recurrent = true,
         .trainingPath = trainingPath,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Hasani et al. 2022, arXiv:2106.13898; weights, their names and initial values of ncps "
                       "1.0.1 (torch, CfCCell)."});
}

} // namespace unroll::nodes::cfc
