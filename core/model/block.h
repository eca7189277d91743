// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/block/spec.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// What travels on one wire: one tensor, or the tensors of a State. Empty: the port is free.
using Value = std::vector<at::Tensor>;

/// Receives the signals of blocks. Absent unless a signal is watched; asked first, so that nothing is computed for a
/// signal nobody wants.
class Observer {
public:
    virtual ~Observer() = default;
    /// Whether `signal` of the node called `node` (path with dots in groups) is wanted.
    virtual bool wants(const std::string& node, const std::string& signal) const = 0;
    /// A signal, [T, B, width] or [T, B, matrices, rows, columns]. Called on the thread that runs the model; keep no
    /// reference beyond the call unless detached and copied.
    virtual void show(const std::string& node, const std::string& signal, const at::Tensor& value) = 0;
    /// Whether the tensors it is given must be part of the graph of the pass, as gradients at wires need them.
    /// Reversible groups are computed as plain ones then.
    virtual bool followsGradients() const { return false; }
    /// Inputs of a node before it runs, one Value per input port; tensors may be replaced by others with the same
    /// numbers. Does nothing unless overridden.
    virtual void entering(const std::string& /*node*/, const BlockSpec& /*spec*/, std::vector<Value>& /*inputs*/) {}
    /// Every tensor that leaves an output port, in execution order. Does nothing unless overridden.
    virtual void onOutput(const std::string& /*node*/, const std::string& /*port*/, const at::Tensor& /*value*/) {}
};

/// Where in a sequence, and where in a signal, a value lies that an Editor may change.
struct EditPlace {
    std::int64_t step = 0;  ///< of the sequence, of the value's first step
    std::int64_t unit = 0;  ///< of the signal, the value's first one: layers and directions of a node come one by one
    std::int64_t width = 0; ///< of the whole signal; 0: the value is all of it
};

/// Changes values while the model runs. Absent unless somebody intervenes; without it not a bit differs.
class Editor {
public:
    virtual ~Editor() = default;
    /// Whether `signal` of the node is to be changed at some step. A block computes step by step then, so that what
    /// reads the signal reads the changed one.
    virtual bool edits(const std::string& node, const std::string& signal) = 0;
    /// What goes on in place of `value`, of the same shape: [T, B, width] or [T, B, matrices, rows, columns]. Of a
    /// signal that later steps depend on, T is 1.
    virtual at::Tensor edited(const std::string& node, const std::string& signal, const at::Tensor& value,
                              const EditPlace& place) = 0;
    /// What leaves an output port, before others read it; `step` is that of its first step. Values may be replaced by
    /// others of the same shape.
    virtual void leaving(const std::string& node, const PortSpec& port, Value& value, std::int64_t step) = 0;
};

/// What a forward pass needs besides its inputs.
struct PassContext {
    bool training = false;
    at::Generator* dropout = nullptr; ///< must be there when training and a block drops out
    Observer* observer = nullptr;     ///< nullptr: no signal is watched, fast paths may be used
    bool bf16 = false;                ///< matrix products in bfloat16; values between blocks stay in the weights' type
    /// Whether the state after the last step is needed; if not, a block may leave it out.
    bool keepsState = true;
    std::string node; ///< name of the node that runs, set by the model
    /// nullptr: nothing is changed. Signals that later steps depend on are changed in passes of one step alone, with
    /// carried state.
    Editor* editor = nullptr;
    std::int64_t step = 0; ///< of the sequence, that the pass begins with: what an editor goes by

    bool wants(const char* signal) const { return observer != nullptr && observer->wants(node, signal); }
    void show(const char* signal, const at::Tensor& value) const { observer->show(node, signal, value); }

    bool edits(const char* signal) const { return editor != nullptr && editor->edits(node, signal); }
    /// `value` where nobody changes it. Shapes as in Editor::edited().
    at::Tensor edited(const char* signal, const at::Tensor& value) const
    {
        return edits(signal) ? editor->edited(node, signal, value, {step, 0, 0}) : value;
    }
};

/// A range of indices along one dimension of a weight, and which classes or columns of the data they stand for.
struct IndexRun {
    enum class Of {
        Nothing,
        Read,   ///< classes of the tokens, or columns of the features
        Asked,  ///< the same of the targets
        Unclear ///< some of these, but it cannot be said which
    };
    Of of = Of::Nothing;
    std::int64_t first = 0; ///< of Read and Asked: the first one's class or column; the others follow it
    std::int64_t count = 0;

    bool operator==(const IndexRun&) const = default;
};

struct Weight {
    std::string name;
    at::Tensor tensor;
    WeightRule rule;
    bool trained = true; ///< false: a buffer, saved but not trained
    std::string form;    ///< as in its spec
    /// What its indices stand for, a list of runs for each dimension, filled in by the model; empty: nothing of the
    /// data.
    std::vector<std::vector<IndexRun>> meaning = {};
};

/// What a builder is given. Shapes are those the check inferred; parameters are complete.
struct BlockSetup {
    const BlockSpec& spec;
    const Params& params;
    const std::map<std::string, Shape>& inputs; ///< of wired inputs
    at::Generator& init; ///< draws the initial weights; one stream for the whole model, in execution order
    at::ScalarType dtype = at::kFloat; ///< kFloat, or kDouble in tests

    std::int64_t integer(const std::string& param) const;
    double real(const std::string& param) const;
    bool boolean(const std::string& param) const;
    const std::string& text(const std::string& param) const;
    /// The value of a DimensionSpec: width or classes at its port.
    std::int64_t dimension(const std::string& name) const;
};

/// The computing part of a block. Forward takes one Value an input port and returns one an output port, both in the
/// order of the spec. Time-major: sequences are [T, B, width]. Not thread-safe: one thread runs a model.
///
/// Recurrent blocks: input `state` may be empty (zeros) and output `state` is the state after the last step; running a
/// sequence whole equals running it step by step with carried state. At masked steps the state is kept and the output
/// is 0, or what a parameter masked_output says (core/block/masked_output.h).
///
/// A block with a delayed input (PortSpec::delayed) is called twice a step where it closes a loop: first with that
/// input empty and the state given, for the outputs of the step, which depend only on the state; at the end of the step
/// with the input, for the state.
class Block {
public:
    virtual ~Block() = default;
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    virtual std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) = 0;
    /// Zero state for B sequences; empty for blocks without state.
    virtual Value initialState(std::int64_t /*sequences*/) const { return {}; }
    /// Where numbers of the state are kept times exp(-m), m in the state too: by number of a sequence's state, its
    /// tensors one behind the other, the place of its m; kNotScaled; of an m its own place. Empty: nothing is scaled.
    virtual std::vector<std::int64_t> stabilisers() const { return {}; }
    static constexpr std::int64_t kNotScaled = -1;

    /// As the spec has them, for these parameters and inputs.
    const std::vector<WeightSpec>& weightSpecs() const { return m_specs; }
    const std::vector<SameFeatures>& same() const { return m_same; }

    const std::vector<Weight>& weights() const { return m_weights; }
    std::vector<Weight>& weights() { return m_weights; }

protected:
    explicit Block(const BlockSetup& setup);

    /// Registers the weight that the spec calls `name`, drawn and trained (or not) as it says. Weights are drawn in the
    /// order of these calls. Blocks keep the returned handle; it stays the same tensor: loading and optimising change
    /// it in place.
    at::Tensor addWeight(const BlockSetup& setup, const std::string& name);
    /// Likewise with values that the block has made itself, so that they come from the generator as they always did;
    /// they must be as the spec says.
    at::Tensor addWeight(const std::string& name, at::Tensor initial);

private:
    const WeightSpec& specOf(const std::string& name) const;

    std::vector<WeightSpec> m_specs;
    std::vector<SameFeatures> m_same;
    std::vector<Weight> m_weights;
};

/// Position of a port in the spec's order, for indexing inputs and outputs.
std::size_t inputIndex(const BlockSpec& spec, const std::string& port);
std::size_t outputIndex(const BlockSpec& spec, const std::string& port);

} // namespace unroll
