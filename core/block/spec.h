// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/infer.h"
#include "core/block/weight.h"
#include "core/graph/value.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// A parameter of the same list and its values that satisfy the condition; for a flag "true" or "false".
struct Condition {
    std::string param;
    std::vector<std::string> choices;
};

struct PortSpec {
    std::string name;
    PortType type;
    std::string help;      ///< one sentence
    bool optional = false; ///< an input that may be unwired
    /// An input whose step t is first seen in the outputs of step t + 1, so that a loop may close through it. It is a
    /// sequence, and its block is recurrent; see Block::forward for how it is then called.
    bool delayed = false;
    std::vector<Condition> when = {}; ///< the node has the port if any of these holds; empty: always
    /// A sequence port of a block that acts on each step independently, so that it works on one vector per sequence
    /// too. A node's ports of this kind are all sequences or all vectors.
    bool orVector = false;
    std::vector<std::string> parts = {}; ///< an output of type State: names of its tensors, "h", "c"
    /// An input of which only the number of sequences is read, and no value: no gradient flows into it.
    bool onlyCounted = false;
    /// An input whose numbers are times or the like: the check warns where the data bring negative ones.
    bool notNegative = false;
};

enum class ParamType { Bool, Int, Real, Choice, Text, Path };

/// One of the values of a Choice.
struct ChoiceSpec {
    std::string value;       ///< as in files
    std::string explanation; ///< one short sentence

    bool operator==(const ChoiceSpec&) const = default;
};

struct ParamSpec {
    std::string name; ///< as in files, on the command line and in Python: hidden_size style
    ParamType type;
    ParamValue defaultValue;
    std::string help;                  ///< one sentence
    std::optional<double> minimum;     ///< inclusive; Int and Real
    std::optional<double> maximum;     ///< inclusive
    std::vector<ChoiceSpec> choices;   ///< Choice
    std::vector<std::string> suffixes; ///< Path: accepted file extensions, "csv", the most usual first; empty: any
    std::string whenEmpty = {};        ///< Text and Path: meaning of an empty value, "the bundled corpus"
    std::string unit;                  ///< shown behind the value: "units", "tokens"; may be empty
    std::string group;                 ///< heading in the inspector; empty: the first, unnamed group
    /// false: affects only initialisation or training, not the computation; the Python class, which is given
    /// trained weights, does not have it.
    bool computes = true;
    std::vector<Condition> when = {}; ///< it applies if any of these holds, else it has no effect; empty: always

    const ChoiceSpec* choice(const std::string& value) const;
    bool counts(const Params& values) const; ///< given all parameters; true if the parameter it depends on is missing
};

/// How a watched signal is drawn.
enum class SignalKind {
    Signed,    ///< zero neutral, symmetric range
    Bounded,   ///< signed and within -1..1 by construction (tanh)
    Gate,      ///< 0..1
    Complex,   ///< a unit is two numbers in turn, real and imaginary part
    Matrix,    ///< (..., matrices, rows, columns)
    Attention, ///< 0..1: attention weights, head by head, carried steps first
};

/// Upper bound of a signal before numerical trouble.
struct SignalLimit {
    double most;
    std::string sentence; ///< warning at the node when it is exceeded, with a remedy: "its states have grown ..."
};

/// Another kind of a signal where a parameter has one of some values.
struct OtherLook {
    SignalKind look;
    Condition when;
};

/// What is counted along the places of a signal of matrices, in one word each.
struct MatrixAxes {
    std::string matrix = "matrix", row = "row", column = "column";

    bool operator==(const MatrixAxes&) const = default;
};

/// A quantity inside a block that can be watched, shape [T, B, width], or [T, B, matrices, rows, columns] of a Matrix.
/// Of a Complex one the width is 2 units: numbers 2 j and 2 j + 1 are the real and the imaginary part of unit j.
struct SignalSpec {
    std::string name;
    SignalKind look;
    std::string help;                 ///< one sentence
    std::optional<SignalLimit> limit; ///< training checks it regularly and warns; absent: no limit
    bool keeps = false; ///< of a gate: the share of the state that is kept, or replaced; half-lives come from it
    /// Of such a gate: the signal m by which the state is scaled, exp(-m), so that the gate times exp(m_t - m_{t-1}) is
    /// what is kept. Empty: it is not scaled.
    std::string scale = {};
    std::optional<OtherLook> other = {}; ///< absent: the kind is `look` whatever the parameters
    MatrixAxes axes = {};                ///< of a Matrix

    SignalKind lookOf(const Params& params) const; ///< of a node with these parameters (all of them)
};

/// A constructor argument of the Python class taken from a wire: the width (or the number of classes) at an input.
/// Where an optional input is free it is not given, and has a default in Python.
struct DimensionSpec {
    std::string name; ///< "input_size"
    std::string port; ///< "x"
};

enum class Category { Data, Embedding, Recurrent, Attention, Layer, Combine, Output, Group };
const char* categoryTitle(Category category);

/// Everything known of a block without torch.
struct BlockSpec {
    std::string id;      ///< "lstm": the folder, the file's word
    std::string title;   ///< "LSTM"
    std::string summary; ///< one sentence
    std::vector<std::string> synonyms;
    Category category = Category::Layer;
    std::vector<PortSpec> inputs;
    std::vector<PortSpec> outputs;
    std::vector<ParamSpec> params;
    std::vector<SignalSpec> signalSpecs;
    std::vector<DimensionSpec> dimensions;
    std::string pythonClass; ///< class in reference.py; empty: the block has no Python side (data)
    std::string
        lossUnit; ///< of a block with a loss, as shown behind the number: "nats/token"; empty: the block has none
    /// A recurrent block has an optional input `state` and an output `state` of type State; the model carries it from
    /// batch to batch where the data says so, and steps with it.
    bool recurrent = false;
    /// The output is the elementwise sum of the two inputs, and nothing else.
    bool sums = false;
    /// The forward pass rounds, with straight-through gradients: they are not the derivative of the output.
    bool straightThrough = false;
    /// How training computes it, in a sentence; what is watched is computed beside it, step by step. Called with every
    /// parameter and the shapes at the wired inputs; empty where there is only one.
    std::function<std::string(const Params&, const std::map<std::string, Shape>& inputs)> trainingPath;
    std::function<bool(const Params&)> causal; ///< empty: always causal. Called with every parameter present
    /// Steps that a sequence has at most, those that a carried state stands for included. Called with every parameter;
    /// empty: any number.
    std::function<std::optional<std::int64_t>(const Params&)> longest;
    std::function<void(InferScope&)> infer; ///< output shapes and mistakes that are not of one parameter alone
    /// The weights in the order of initialisation; empty: none. The size of an unwired input is 0.
    std::function<std::vector<WeightSpec>(const WeightScope&)> weights;
    /// See Cost for the units; parameters are counted from `weights`.
    std::function<Cost(const CostScope&)> cost;
    /// Initial values with which the block learns from sequences of a few steps, where its defaults, the authors' own,
    /// make memories of hundreds of steps. None of them is a parameter that computes. Empty: the defaults do.
    Params forShortSequences = {};
    /// Of a block whose way along the sequence a parameter chooses. Empty: it has one way.
    std::function<ScanCost(const CostScope&)> scanCost;
    /// Of data that normalise columns: the text parameter that lists those that stay as in the file. Empty: none does.
    std::string unscaledParam = {};
    std::string provenance;    ///< papers and the convention followed
    std::string helpText;      ///< help.md, filled in from the block's folder
    std::string referenceText; ///< reference.py, likewise
    std::string iconText;      ///< icon.svg, likewise: lines on a grid of 16 units in currentColor

    const PortSpec* input(const std::string& name) const;
    const PortSpec* output(const std::string& name) const;
    const ParamSpec* param(const std::string& name) const;
    /// Whether a node with these parameters (all of them) has the port.
    bool hasPort(const PortSpec& port, const Params& params) const;
    bool portsVary() const; ///< whether some ports depend on parameters
    bool givesLoss() const;
    /// Of a block with a loss: the sequence that it compares with the targets. nullptr: it has no loss.
    const PortSpec* prediction() const;
    /// The given parameters with defaults for those that are missing; unknown names are dropped.
    /// Whole reals for an Int and integers for a Real are converted to the spec's type. Of values by copy that of the
    /// first of many copies counts.
    Params withDefaults(const Params& params) const;
    bool isCausal(const Params& params) const;
    /// Of a node with these parameters (all of them) and inputs.
    std::vector<WeightSpec> weightsOf(const Params& params, const std::map<std::string, Shape>& inputs) const;
    /// `cost` with the weights' elements among the parameters.
    Cost costOf(const CostScope& scope) const;
};

/// The value as a parameter of this type; nothing when it is of another. Integers are reals too, and 128.0 is an
/// integer.
std::optional<ParamValue> asParamOf(ParamType type, const ParamValue& value);
/// What is wrong with a value for this parameter, as a sentence: "units must be at least 1; it is 0". Empty: nothing.
std::string paramFault(const ParamSpec& spec, const ParamValue& value);
/// Likewise for the value that a node has, which may differ by copy: whether each of the values would do.
std::string nodeParamFault(const ParamSpec& spec, const ParamValue& value);
/// Texts and paths may not: what divides the values of a list in writing may be in them.
bool mayDifferByCopy(ParamType type);
/// The value as text, without quotes: true, 128, 0.1, tanh; by copy: "64, 64, 128", "causal every 4 else none".
std::string paramText(const ParamValue& value);
const char* copyRuleWord(ByCopy::Rule rule); ///< every, first, last; of a list: empty
/// What is ill formed in a list of parameters: names, defaults, conditions. Empty: nothing.
std::string paramsFault(const std::vector<ParamSpec>& params);
/// What is ill formed in a spec, for tests and asserts: names, defaults out of their range, a recurrent block without
/// state. Empty: nothing.
std::string specFault(const BlockSpec& spec);

} // namespace unroll
