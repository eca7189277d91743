// SPDX-License-Identifier: GPL-3.0-or-later
// A vector wired to the state of a recurrent block: where each sequence begins, all numbers of the state, tensor by
// tensor.
#include "core/block/state_numbers.h"
#include "core/check/level.h"
#include "core/check/ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace unroll {

namespace {

constexpr const char* kState = "state";
constexpr const char* kLearned = "learned_state";

/// The state that the block has, whatever is wired to it; nothing where it is not known, of which others speak.
std::optional<Shape> ownState(const Level& level, const Item& item)
{
    std::map<std::string, Shape> inputs = item.checked.inputs;
    inputs.erase(kState);
    InferScope scope(item.params, inputs, nullptr, {level.result.steps, level.result.carried});
    if (item.spec->infer)
        item.spec->infer(scope);
    const auto state = scope.outputs().find(kState);
    const bool known = state != scope.outputs().end() && !hasErrors(scope.diagnostics());
    return known ? std::optional(state->second) : std::nullopt;
}

/// "256 numbers (h 128, c 128)".
std::string numbersOf(const BlockSpec& spec, const Shape& state)
{
    const std::string numbers = fmt::format("{} number{}", stateNumbers(state), stateNumbers(state) == 1 ? "" : "s");
    if (state.parts == 1)
        return numbers;
    const std::vector<std::string>& names = spec.output(kState)->parts;
    if (std::cmp_not_equal(names.size(), state.parts))
        return fmt::format("{} ({} tensors of {})", numbers, state.parts, state.width);
    std::string parts;
    for (const std::string& name : names)
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", name, state.width);
    return fmt::format("{} ({})", numbers, parts);
}

/// The parameter that is the width of the vector, of a layer for that or of a block that makes it of weights; nullptr:
/// the source has none.
const ParamSpec* widthOf(const Level& level, const Item& source)
{
    if (source.spec == nullptr || source.node->group)
        return nullptr;
    if (const auto resizer = findResizer(level.registry); resizer && resizer->spec == source.spec)
        return resizer->param;
    const auto& inputs = source.spec->inputs;
    return inputs.size() == 1 && inputs.front().onlyCounted ? resizingParam(*source.spec) : nullptr;
}

/// The width is that of the source where it has one to choose and feeds nothing else; else of a new layer.
std::optional<Fix> widened(const Level& level, const Item& item, const Link& link, std::int64_t width)
{
    const Item& source = level.items[link.from];
    const auto isIt = [&](const PromotedPort& port) { return port.inner == link.wire->from; };
    const bool leaves = level.outputs != nullptr && std::any_of(level.outputs->begin(), level.outputs->end(), isIt);
    const ParamSpec* param = widthOf(level, source);
    if (param == nullptr || source.out.size() != 1 || leaves)
        return resizing(level, item, link, width);
    if (!paramFault(*param, width).empty())
        return std::nullopt;
    return level.paramFix(source, param->name, width);
}

void reportWidth(Level& level, Item& item, const Shape& vector, const Shape& state)
{
    const Link* link = linkInto(level, item, kState);
    const std::string source =
        link == nullptr ? "the group" : level.items[link->from].node->name + "." + link->wire->from.port;
    Diagnostic& diagnostic = level.error(&item, kState, "state-mismatch",
                                         fmt::format("{}.{} holds {}; {} gives {}", item.node->name, kState,
                                                     numbersOf(*item.spec, state), source, vector.width));
    if (link != nullptr)
        diagnostic.fix = widened(level, item, *link, stateNumbers(state));
}

/// Where it would not be clear what the numbers mean.
bool refuses(Level& level, Item& item, const Shape& state)
{
    const std::string& name = item.node->name;
    if (state.counts) {
        Diagnostic& diagnostic = level.error(
            &item, kState, "state-mismatch",
            fmt::format("the state of {} counts the steps that made it, so that a vector cannot stand for it", name));
        if (const Link* link = linkInto(level, item, kState))
            diagnostic.fix = level.fix("Remove the wire", edits::disconnect(*link->wire));
        return true;
    }
    const auto learned = item.params.find(kLearned);
    if (learned == item.params.end() || learned->second != ParamValue(true))
        return false;
    level
        .error(&item, kLearned, "two-states",
               fmt::format("{} begins from the vector at {}.{}, and {} is another beginning: choose one", name, name,
                           kState, kLearned))
        .fix = level.paramFix(item, kLearned, false);
    return true;
}

} // namespace

void takeStateVector(Level& level, Item& item)
{
    item.checked.stateFromVector = item.checked.stateFromWeights = false;
    const auto given = item.checked.inputs.find(kState);
    if (!item.spec->recurrent || given == item.checked.inputs.end() || given->second.type != PortType::Vector)
        return;
    const Shape vector = given->second;
    if (const auto state = ownState(level, item)) {
        const bool refused = refuses(level, item, *state);
        if (!refused && stateNumbers(*state) == vector.width) {
            given->second = *state;
            item.checked.stateFromVector = true;
            item.checked.stateFromWeights = vector.ofWeights;
            return;
        }
        if (!refused)
            reportWidth(level, item, vector, *state);
        item.mistaken = true;
    }
    item.checked.inputs.erase(given);
}

} // namespace unroll
