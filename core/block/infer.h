// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/diagnostic.h"
#include "core/graph/value.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace unroll {

/// What travels on a wire. T (steps) and B (sequences) are the same on every wire of a graph and stay symbols.
enum class PortType {
    Tokens,       ///< [T, B], class indices
    Sequence,     ///< [T, B, width]
    Vector,       ///< [B, width]
    State,        ///< what a recurrent block carries from step to step
    Mask,         ///< [T, B], true = a real step
    Targets,      ///< [T, B], class indices, -100 = not scored
    TargetValues, ///< [T, B, width], target values, NaN = not scored
    Loss,         ///< a number
    Table,        ///< [rows, width]: weights of one block that others compute with too
};
/// Whether there is one value per step; only such values can pass through a loop.
bool isPerStep(PortType type);
const char* portTypeWord(PortType type); ///< "tokens", "a sequence", ... as in sentences: "text.tokens gives tokens"

struct Shape {
    PortType type = PortType::Sequence;
    std::int64_t width = 0;   ///< features of Sequence, Vector, State, TargetValues, Table
    std::int64_t classes = 0; ///< alphabet of Tokens, Targets
    std::int64_t rows = 0;    ///< of Table
    /// Targets, TargetValues: the target of step t is read at a later step, so a non-causal path would leak it.
    bool ahead = false;
    bool shares = false; ///< TargetValues: all lie within 0..1
    /// Targets, TargetValues: at most one target per sequence, so that a vector can be compared with it.
    bool onePerSequence = false;
    std::int64_t parts = 0; ///< tensors of a State: 1 for a GRU (h), 2 for an LSTM (h, c)
    /// Of a State: some of its numbers count steps or say what is there, so that only steps make one.
    bool counts = false;
    /// Of a Vector: made of weights alone, so that it is known before the first step.
    bool ofWeights = false;

    bool operator==(const Shape&) const = default;
    /// Features or classes, depending on the type: the input size of a block that reads it.
    std::int64_t size() const;
    /// "[T, B, 128]", "[T, B] of 65", "loss".
    std::string text() const;
};

/// What is read of one column of numbers.
struct InputFacts {
    std::string name;       ///< as a list of columns writes it
    double least = 0;       ///< of its numbers as they are read
    double leastInFile = 0; ///< and as they stand in the file
};

/// Facts about the data of a source node, provided by the caller; the check itself does no I/O.
struct SourceFacts {
    std::int64_t classes = 0;
    std::int64_t labels = 0;  ///< classes of the targets, if different from those of the inputs; 0: the same
    std::int64_t steps = 0;   ///< T of a training batch
    std::int64_t inputs = 0;  ///< width of the inputs, for numbers
    std::int64_t targets = 0; ///< width of the targets, likewise
    bool shares = false;      ///< all targets lie within 0..1
    /// Of a table's columns, one for each input; empty: not known.
    std::vector<InputFacts> columns = {};
    bool carried = false;   ///< a batch continues the previous one, with its states
    bool pads = false;      ///< sequences of a batch differ in length: padding is marked by the mask
    std::string error;      ///< why the data cannot be used; empty: it can
    std::string errorParam; ///< the parameter to blame, or empty
};

/// Layout of the training sequences of a block.
struct SequenceFacts {
    std::int64_t steps = 0; ///< T of a batch; 0: not known
    bool carried = false;   ///< states are carried from batch to batch, so sequences are unlimited
};

/// A fix that inserts a block into a wire so that its target gets this width. The check chooses the block.
struct WidthOffer {
    std::int64_t width = 0;
};

/// A fix that removes a wire.
struct RemovalOffer {};

/// Features (of tokens and targets: classes) of one port that are identical to those of another, one by one: they have
/// the same meaning on both sides.
struct SameFeatures {
    std::string from, to;
    std::int64_t fromAt = 0, toAt = 0; ///< the first of them at either port
    std::int64_t count = -1;           ///< -1: all that `from` has
    bool copied = false;               ///< the numbers are the same too, and not their meaning alone
};

/// Given to BlockSpec::infer: reads parameters and inputs, sets outputs, notes mistakes. Parameters are complete and
/// each within its own spec's bounds; an input is absent when it is free or when its source has a mistake of its own.
class InferScope {
public:
    InferScope(const Params& params, const std::map<std::string, Shape>& inputs, const SourceFacts* facts,
               const SequenceFacts& sequence = {})
        : m_params(params), m_inputs(inputs), m_facts(facts), m_sequence(sequence)
    {}

    std::int64_t integer(const std::string& param) const;
    double real(const std::string& param) const;
    bool boolean(const std::string& param) const;
    const std::string& text(const std::string& param) const;
    const Shape* input(const std::string& port) const;
    const SourceFacts* facts() const { return m_facts; }
    const SequenceFacts& sequence() const { return m_sequence; }

    void output(const std::string& port, Shape shape) { m_outputs[port] = shape; }
    /// Declares SameFeatures of two ports. Without it, the meaning of the outputs of a block without weights is
    /// unknown.
    void same(SameFeatures features) { m_same.push_back(std::move(features)); }
    /// An error at a port or parameter of this node. `sentence` says what was expected and what was found.
    void error(const std::string& portOrParam, const std::string& code, const std::string& sentence);
    void warning(const std::string& portOrParam, const std::string& code, const std::string& sentence);
    /// Offers a one-click change of a parameter for the newest diagnostic.
    void offerParam(const std::string& title, const std::string& param, ParamValue value);
    /// Offers to change the width of the wire that ends at `port`, for the newest diagnostic.
    void offerWidth(const std::string& port, std::int64_t width);
    /// Offers to remove the wire that ends at `port`, for the newest diagnostic.
    void offerRemoval(const std::string& port);

    const std::map<std::string, Shape>& outputs() const { return m_outputs; }
    const std::vector<SameFeatures>& same() const { return m_same; }
    std::vector<Diagnostic>& diagnostics() { return m_diagnostics; }

    /// An offered fix. The check knows which node it changes and makes it a Fix of diagnostic `diagnostic`.
    struct Offer {
        std::size_t diagnostic = 0;
        std::string title; ///< of a parameter's change; the check names the others
        std::string where; ///< parameter, or the input whose wire is changed
        std::variant<ParamValue, WidthOffer, RemovalOffer> change;
    };
    const std::vector<Offer>& offers() const { return m_offers; }

private:
    const Params& m_params;
    const std::map<std::string, Shape>& m_inputs;
    const SourceFacts* m_facts;
    SequenceFacts m_sequence;
    std::map<std::string, Shape> m_outputs;
    std::vector<SameFeatures> m_same;
    std::vector<Diagnostic> m_diagnostics;
    std::vector<Offer> m_offers;
};

/// Product of sizes that saturates at 2^63 - 1 instead of overflowing, so that huge widths are rejected by the check
/// and never wrap.
std::int64_t product(std::initializer_list<std::int64_t> sizes);
/// Likewise the sum.
std::int64_t sum(std::initializer_list<std::int64_t> sizes);

/// What a node costs. FLOPs count a multiply-add as two and are per token (one step of one sequence); so are bytes
/// (fp32). Activation bytes are what training keeps for the backward pass; workspace bytes are what a node's own passes
/// need besides and free again. Nodes run one after the other, so only the largest workspace of a graph counts.
struct Cost {
    std::int64_t parameters = 0;
    double forwardFlops = 0;
    double backwardFlops = 0;
    double activationBytes = 0;
    double workspaceBytes = 0;
    double forwardElements = 0; ///< of forwardFlops those of elementwise operations: all that is not a matrix product
    double backwardElements = 0;

    Cost& operator+=(const Cost& other); ///< parameters saturate; workspace is the maximum
    bool operator==(const Cost&) const = default;
};

/// The way along the sequence, in a pass over all steps: of one sequence, and one head where there are several.
struct ScanCost {
    std::string operation; ///< what is counted, "products of two matrices"
    double operations = 0;
    double depth = 0; ///< of these that wait for each other

    bool operator==(const ScanCost&) const = default;
};

/// Given to BlockSpec::cost once the shapes are known.
struct CostScope {
    const Params& params;                       ///< complete
    const std::map<std::string, Shape>& inputs; ///< every wired input
    const std::map<std::string, Shape>& outputs;
    std::int64_t steps = 1; ///< T, for blocks whose cost per token depends on it

    std::int64_t integer(const std::string& param) const;
    double real(const std::string& param) const;
    bool boolean(const std::string& param) const;
    const std::string& text(const std::string& param) const;
    /// Shape::size at the port; 0 when it is free.
    std::int64_t dimension(const std::string& port) const;
};

/// Given to BlockSpec::weights: parameters and input shapes, if known.
struct WeightScope {
    const Params& params;                       ///< complete
    const std::map<std::string, Shape>& inputs; ///< of wired inputs

    std::int64_t integer(const std::string& param) const;
    double real(const std::string& param) const;
    bool boolean(const std::string& param) const;
    const std::string& text(const std::string& param) const;
    /// Shape::size at the port; 0 when it is free.
    std::int64_t dimension(const std::string& port) const;
};

} // namespace unroll
