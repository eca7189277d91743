// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::delay {

static void infer(InferScope& scope)
{
    const Shape* x = scope.input("x");
    if (x == nullptr)
        return;
    scope.same({"x", "y"});
    if (scope.real("initial_value") == 0)
        inferRecurrent(scope, x->width, stateOf(x->width, 1), "the previous step");
    else
        inferRecurrent(scope, x->width, countingState(unroll::sum({x->width, 1})),
                       "the previous step, and 1 where there is one");
}

static std::vector<PortSpec> inputs()
{
    std::vector<PortSpec> ports = recurrentInputs("The step before the first; when unwired, the initial value.");
    ports.front().delayed = true;
    return ports;
}

BlockSpec spec()
{
    return {
        .id = "delay",
        .title = "Delay",
        .summary = "Unit delay: y_t = x_{t-1}. Carries state; a loop needs one.",
        .synonyms = {"z^-1", "unit delay", "feedback", "previous step", "shift", "register", "recurrence"},
        .category = Category::Recurrent,
        .inputs = inputs(),
        .outputs = recurrentOutputs("x at the previous step.", "x at the last step.", {"x"}),
        .params = {realParam("initial_value", 0, -1e6, 1e6, "Value of y at the first step.")},
        .signalSpecs = {{"y", SignalKind::Signed, "x at the previous step."}},
        .dimensions = {{"input_size", "x"}},
        .pythonClass = "Delay",
        .recurrent = true,
        .trainingPath =
            [](const Params&, const std::map<std::string, Shape>&) {
                return "All steps at once, or step by step within the loop that it closes.";
            },
        .infer = infer,
        // Copies; bytes: y, which is x behind the state; with a mask y is gathered from that. Workspace: the gradient
        // of x.
        .cost =
            [](const CostScope& scope) {
                return elementCost(scope.dimension("x"), 0, 0, scope.inputs.contains("mask") ? 2 : 1, 1);
            },
        .provenance = "The unit delay z^-1 of signal processing."};
}

} // namespace unroll::nodes::delay
