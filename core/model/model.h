// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/check/check.h"
#include "core/model/block.h"
#include "core/model/builders.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

struct PlanStep;
class PassWrapper;

/// A batch as tensors on the model's device: classes, tokens [T, B] and targets [T, B] int64 (-100 = not scored), or
/// numbers, features [T, B, inputs] and targets [T, B, targets] of any float type (NaN = not scored), which become the
/// weights' type. mask [T, B] bool. What is undefined is not there.
struct ModelInput {
    at::Tensor tokens;
    at::Tensor targets;
    at::Tensor mask;
    at::Tensor features;
};

/// The states of all recurrent nodes, by node name. An absent name stands for zeros.
using States = std::map<std::string, Value>;

struct ModelOutput {
    at::Tensor loss; ///< scalar, mean over the scored targets; undefined when the input has no targets
    /// What the loss node makes of each step: logits [T, B, classes], or numbers [T, B, targets]; of vectors without T.
    at::Tensor prediction;
    States states; ///< after the last step; still attached to the graph of the pass. Empty where the pass keeps none
};

/// Where a weight is.
struct WeightPlace {
    std::string node; ///< its path; of copies that share the weight, the first one's
    std::string name; ///< within the node: "weight_ih_l0"
};

/// A signal whose spec has a limit.
struct LimitedSignal {
    std::string node;
    const SignalSpec* spec;
};

/// The built graph: a flat plan over blocks. Weights are named node.weight, with dots for groups:
/// body.2.lstm.weight_ih_l0.
class Model {
public:
    /// Builds a checked, runnable graph. Weights are drawn from a generator seeded by `seed`. A block that fails to
    /// build is an Error whose place is the node's name.
    static Result<std::unique_ptr<Model>> build(const Graph& graph, const CheckedGraph& checked,
                                                const BlockRegistry& registry, const Builders& builders,
                                                std::uint64_t seed, at::ScalarType dtype = at::kFloat);
    ~Model();

    /// Runs the plan. `states` holds what is carried in. When torch throws, runningNode() names the node it happened
    /// in.
    ModelOutput forward(const ModelInput& input, const States& states, PassContext context);
    /// Every pass goes through `wrapper` from now on, which must be there as long; nullptr: none does.
    void wrap(PassWrapper* wrapper);
    /// What sequences begin from where no states are given, [sequences, ...]: that of the wrapper; else empty, zeros.
    States startStates(std::int64_t sequences) const;

    /// All weights under their full names, in execution order; tensors shared by repeated groups appear once.
    const std::vector<Weight>& weights() const;
    /// Of each of the weights(), in their order.
    std::vector<WeightPlace> weightPlaces() const;
    /// The data node.
    const std::string& sourceNode() const;
    /// Names of the recurrent nodes, in execution order.
    const std::vector<std::string>& recurrentNodes() const;
    /// The node that takes the shortest sequences, where one limits them: more steps than that, carried ones included,
    /// make forward throw.
    const std::optional<LengthLimit>& longestSequence() const;
    /// What its loss is measured in, as shown behind the number: see lossUnitOf().
    const std::string& lossUnit() const;
    /// The node that runs, or ran when forward was left by an exception; empty outside.
    const std::string& runningNode() const;
    /// How a node's signal is drawn, by its spec and the node's parameters; Signed for a signal the spec lacks.
    SignalKind signalKind(const std::string& node, const std::string& signal) const;
    /// As its block declares it; nullptr where there is none.
    const SignalSpec* signalSpec(const std::string& node, const std::string& signal) const;
    /// The signals of a node that are parts of its state, by their names: h and c of an LSTM. Empty: it has none, or
    /// does not show them.
    std::vector<std::string> stateSignals(const std::string& node) const;
    /// Of all nodes, in execution order.
    std::vector<LimitedSignal> limitedSignals() const;
    /// The block that computes a node, and what is known of it; nullptr: there is no such node. Copies that share
    /// weights share a block.
    const Block* blockOf(const std::string& node) const;
    const BlockSpec* specOf(const std::string& node) const;
    /// Moves every weight in place.
    void to(at::Device device);
    at::Device device() const;

private:
    struct Built;
    const PlanStep* stepOf(const std::string& node) const;
    explicit Model(std::shared_ptr<Built> built);
    std::shared_ptr<Built> m_built; ///< also of backward passes that run steps once more
};

/// Zeroes the rows of states whose stream restarts. `fresh` has B entries.
void clearFresh(States& states, const std::vector<std::uint8_t>& fresh);
/// The same values without the graph that made them.
States detach(const States& states);

} // namespace unroll
