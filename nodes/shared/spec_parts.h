// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces that many specs are made of. Standard library only.
//
// How costs are counted, in every spec: FLOPs a token (one step of one sequence); a multiply-add is two, any other
// elementwise operation (exp and tanh too) is one. Activation bytes a token are those of fp32: the node's own outputs
// and what its backward pass keeps besides. Its inputs belong to the nodes that made them. Workspace bytes: the most
// that either of its passes holds at one moment beside these and gives back; the gradient of an output takes the place
// of the output, those of inputs are new.
#pragma once

#include "core/block/masked_output.h"
#include "core/block/spec.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

inline constexpr double kWidest = 65536;
inline constexpr double kFloatBytes = 4;

inline ParamSpec integerParam(std::string name, std::int64_t value, double minimum, double maximum, std::string unit,
                              std::string help)
{
    return {.name = std::move(name),
            .type = ParamType::Int,
            .defaultValue = value,
            .help = std::move(help),
            .minimum = minimum,
            .maximum = maximum,
            .unit = std::move(unit)};
}

inline ParamSpec realParam(std::string name, double value, double minimum, double maximum, std::string help)
{
    return {.name = std::move(name),
            .type = ParamType::Real,
            .defaultValue = value,
            .help = std::move(help),
            .minimum = minimum,
            .maximum = maximum};
}

inline ParamSpec flagParam(std::string name, bool value, std::string help)
{
    return {.name = std::move(name), .type = ParamType::Bool, .defaultValue = value, .help = std::move(help)};
}

/// The first choice is the default.
inline ParamSpec choiceParam(std::string name, std::vector<ChoiceSpec> choices, std::string help)
{
    const std::string first = choices.front().value;
    return {.name = std::move(name),
            .type = ParamType::Choice,
            .defaultValue = first,
            .help = std::move(help),
            .choices = std::move(choices)};
}

/// `whenEmpty`: meaning of an empty text.
inline ParamSpec textParam(std::string name, std::string help, std::string whenEmpty)
{
    return {.name = std::move(name),
            .type = ParamType::Text,
            .defaultValue = std::string(),
            .help = std::move(help),
            .whenEmpty = std::move(whenEmpty)};
}

inline ParamSpec pathParam(std::string name, std::string help, std::string whenEmpty)
{
    ParamSpec param = textParam(std::move(name), std::move(help), std::move(whenEmpty));
    param.type = ParamType::Path;
    return param;
}

inline ParamSpec inGroup(std::string group, ParamSpec param)
{
    param.group = std::move(group);
    return param;
}

/// It is without effect but with these choices of another parameter of the block. Said twice, either suffices.
inline ParamSpec countsWith(std::string param, std::vector<std::string> choices, ParamSpec spec)
{
    spec.when.push_back({std::move(param), std::move(choices)});
    return spec;
}

/// It counts where the flag `param` is on, or off.
inline ParamSpec countsWhere(std::string param, bool on, ParamSpec spec)
{
    return countsWith(std::move(param), {on ? "true" : "false"}, std::move(spec));
}

/// The node has the port with these choices of a parameter alone.
inline PortSpec withChoice(std::string param, std::vector<std::string> choices, PortSpec port)
{
    port.when.push_back({std::move(param), std::move(choices)});
    return port;
}

inline Shape tableOf(std::int64_t rows, std::int64_t width)
{
    return {.type = PortType::Table, .width = width, .rows = rows};
}

/// Whether a table is wired that is of another size, which is a mistake then; the caller offers what mends it.
inline bool isOtherTable(InferScope& scope, const std::string& port, const Shape& wanted)
{
    const Shape* given = scope.input(port);
    if (given == nullptr || *given == wanted)
        return false;
    scope.error(port, "table-mismatch", port + " expects a table " + wanted.text() + "; it gets " + given->text());
    return true;
}

inline ParamSpec bidirectionalParam()
{
    return flagParam("bidirectional", false,
                     "Adds a second recurrence that reads backward; not causal, so not for next-token prediction.");
}

/// Of a cell with that flag: 2 where it also reads backward, else 1. Of a scope, or of a block's set-up.
template <class Scope>
std::int64_t directionsOf(const Scope& scope)
{
    return scope.boolean("bidirectional") ? 2 : 1;
}

/// Width of y of such a cell: the units of both directions side by side.
template <class Scope>
std::int64_t widthOfDirections(const Scope& scope)
{
    return scope.integer("units") * directionsOf(scope);
}

/// What a recurrent cell gives at masked steps (MaskedOutput in masked_output.h). `reads`: whether that can be read
/// from its state alone.
inline ParamSpec maskedOutputParam(bool reads)
{
    std::vector<ChoiceSpec> choices = {
        {"zero", "0."},
        {"hold", "The output of the last real step before, as in Keras; 0 before the first one of a pass."}};
    if (reads)
        choices.push_back({"read", "What the held state gives, with the step's own x in all that follows the state."});
    return inGroup("Mask",
                   choiceParam(kMaskedOutput, std::move(choices), "Output at masked steps, where a mask is wired."));
}

/// Of a recurrent cell that takes a mask: the cell with that choice, unless it has brought its own.
inline BlockSpec withMaskedOutput(BlockSpec spec)
{
    if (spec.category != Category::Recurrent)
        return spec;
    for (PortSpec& port : spec.inputs)
        if (port.type == PortType::Mask) {
            port.help = "Real steps; elsewhere the state is kept, and the output is as masked_output says.";
            if (spec.param(kMaskedOutput) == nullptr)
                spec.params.push_back(maskedOutputParam(true));
        }
    return spec;
}

inline PortSpec sequencePort(std::string help, std::string name)
{
    return {std::move(name), PortType::Sequence, std::move(help)};
}

/// Of a block that does to each step what it does to any other (PortSpec::orVector).
inline PortSpec sequenceOrVector(std::string help, std::string name)
{
    PortSpec port = sequencePort(std::move(help), std::move(name));
    port.orVector = true;
    return port;
}

inline std::vector<PortSpec> recurrentInputs(std::string stateHelp)
{
    return {sequencePort("The sequence to read.", "x"),
            {"state", PortType::State, std::move(stateHelp), true},
            {"mask", PortType::Mask, "Real steps; elsewhere the state is kept and the output is 0.", true}};
}

/// `parts`: what the state's tensors hold.
inline std::vector<PortSpec> recurrentOutputs(std::string outputHelp, std::string stateHelp,
                                              std::vector<std::string> parts)
{
    PortSpec state{"state", PortType::State, std::move(stateHelp)};
    state.parts = std::move(parts);
    return {sequencePort(std::move(outputHelp), "y"), std::move(state)};
}

inline Shape sequenceOf(std::int64_t width)
{
    return {.type = PortType::Sequence, .width = width};
}

/// Output y as wide as the sequences at `ports`, which must all be of one width; its features are theirs, one by one.
/// Any of them tells it while others are not known yet, as in a loop.
inline void inferEqualWidths(InferScope& scope, std::initializer_list<const char*> ports)
{
    const Shape* first = nullptr;
    std::string firstPort;
    for (const std::string port : ports) {
        const Shape* shape = scope.input(port);
        if (shape == nullptr)
            continue;
        if (first != nullptr && shape->width != first->width) {
            scope.error(port, "width-mismatch",
                        port + " has width " + std::to_string(shape->width) + ", " + firstPort + " has width " +
                            std::to_string(first->width) + ": " + (ports.size() == 2 ? "both" : "all") +
                            " must be equal");
            scope.offerWidth(port, first->width);
            return;
        }
        if (first == nullptr) {
            first = shape;
            firstPort = port;
        }
    }
    if (first != nullptr)
        scope.output("y", sequenceOf(first->width));
    for (const std::string port : ports)
        scope.same({port, "y"});
}

inline Shape stateOf(std::int64_t width, std::int64_t parts)
{
    return {.type = PortType::State, .width = width, .parts = parts};
}

/// See Shape::counts.
inline Shape countingState(std::int64_t width)
{
    return {.type = PortType::State, .width = width, .parts = 1, .counts = true};
}

/// Outputs y and state of a recurrent block, and the mistake of a wired state that is not of this kind. `tensors` names
/// what the state holds: "h and c".
inline void inferRecurrent(InferScope& scope, std::int64_t outputWidth, Shape state, const std::string& tensors)
{
    scope.output("y", sequenceOf(outputWidth));
    scope.output("state", state);
    const Shape* given = scope.input("state");
    if (given == nullptr || (given->width == state.width && given->parts == state.parts))
        return;
    const std::string came = std::to_string(given->parts) + (given->parts == 1 ? " tensor" : " tensors");
    scope.error("state", "state-mismatch",
                "state expects " + tensors + " of width " + std::to_string(state.width) + "; it gets " + came +
                    " of width " + std::to_string(given->width));
    scope.offerRemoval("state");
}

/// y = x W^T (+ b): FLOPs 2 in out (+ out) forward, twice the products backward; bytes: y; workspace: the gradient of
/// x. Here and below parameters are counted from the weights (BlockSpec::weights).
inline Cost denseCost(std::int64_t in, std::int64_t out, bool bias)
{
    const double products = 2.0 * static_cast<double>(in) * static_cast<double>(out);
    const double sums = bias ? static_cast<double>(out) : 0.0;
    return {.parameters = 0,
            .forwardFlops = products + sums,
            .backwardFlops = 2 * products + sums,
            .activationBytes = kFloatBytes * static_cast<double>(out),
            .workspaceBytes = kFloatBytes * static_cast<double>(in),
            .forwardElements = sums,
            .backwardElements = sums};
}

/// With a mask the steps that a convolution of `taps` over `width` features reads are gathered: one copy a tap is kept,
/// but for that of the step itself.
inline Cost gatheredCost(const CostScope& scope, std::int64_t width, std::int64_t taps)
{
    Cost cost;
    if (scope.inputs.contains("mask"))
        cost.activationBytes = kFloatBytes * static_cast<double>(width) * static_cast<double>(taps - 1);
    return cost;
}

/// The gate that says what is kept of the state, or replaced; `scale`: SignalSpec::scale.
inline SignalSpec keepingGate(std::string name, std::string help, std::string scale = {})
{
    return {std::move(name), SignalKind::Gate, std::move(help), std::nullopt, true, std::move(scale)};
}

/// How a cell that has the kernel cell_steps is trained.
inline constexpr const char* kCellStepsPath =
    "The kernel cell_steps, all steps in one pass; on a GPU step by step: each step reads the state.";

/// Work of `forward` and `backward` operations for each of `width` elements, `kept` floats and `passing` ones as
/// workspace.
inline Cost elementCost(std::int64_t width, double forward, double backward, double kept, double passing = 0)
{
    const double elements = static_cast<double>(width);
    return {.parameters = 0,
            .forwardFlops = forward * elements,
            .backwardFlops = backward * elements,
            .activationBytes = kFloatBytes * kept * elements,
            .workspaceBytes = kFloatBytes * passing * elements,
            .forwardElements = forward * elements,
            .backwardElements = backward * elements};
}

/// Products and sums of a gated recurrence with `gates` gates in torch.nn's form, weight_ih [gates H, in],
/// weight_hh [gates H, H] and two biases or none: FLOPs 2 gates H (in + H) for the products and 3 gates H for the sums
/// forward, 1 without biases; twice the products and gates H (the biases' gradient, one sum for both) backward. The
/// elementwise part comes on top.
inline Cost gatedCost(std::int64_t in, std::int64_t units, std::int64_t gates, bool bias)
{
    const double outputs = static_cast<double>(gates) * static_cast<double>(units);
    const double products = 2.0 * outputs * static_cast<double>(in + units);
    const double sums = (bias ? 3 : 1) * outputs, backwardSums = bias ? outputs : 0;
    return {.parameters = 0,
            .forwardFlops = products + sums,
            .backwardFlops = 2 * products + backwardSums,
            .forwardElements = sums,
            .backwardElements = backwardSums};
}

inline Cost sum(Cost left, const Cost& right)
{
    left += right;
    return left;
}

} // namespace unroll::nodes
