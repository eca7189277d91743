// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/step_signals.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll::nodes {

/// RNN, LSTM and GRU in torch.nn's form: layers over one another, each walked from the first step or from both ends.
/// Layer k has weight_ih_lk [G H, in], weight_hh_lk [G H, H], bias_ih_lk and bias_hh_lk [G H], its way back the same
/// with the ending _reverse, so that a state dict of torch.nn loads as it is. States of all layers and directions lie
/// side by side, [B, layers * directions * H], in torch.nn's order. Where sequences begin from a learned state, the
/// state that comes in is added to it, and what goes out is what it has become less the learned one: zeros stand for
/// it.
///
/// There are three ways to the same numbers. On the CPU a kernel of our own walks the steps of a direction, where there
/// is one for them, and for RNN and GRU on a GPU too where few sequences have small states. Elsewhere, for single
/// steps, and for the usual LSTM, ATen's fused operation, where there is one, when nobody watches and no step is
/// masked; else the kernel again, where it runs; else step by step. The last two show the gates and hold the state at
/// masked steps.
class GatedRecurrence : public Block {
public:
    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) final;
    Value initialState(std::int64_t sequences) const final;

protected:
    /// Where walkByKernel() runs.
    enum class Kernel { None, Cpu, CpuAndCuda };
    struct Form {
        std::int64_t gates;              ///< G
        std::vector<std::string> states; ///< names of the state's tensors; the first is the output
        std::vector<std::string> shown;  ///< names of the other signals
        Kernel kernel = Kernel::None;
        bool fusedFirst = false; ///< on the CPU ATen's operation goes before the kernel
    };
    /// Of one direction of one layer. Without `bias` both biases are undefined in directions(), and zeros wherever
    /// steps are walked.
    struct Direction {
        at::Tensor weightIh, weightHh, biasIh, biasHh;
        at::Tensor own = {}; ///< a weight of the block's own; undefined where it has none
    };
    struct Step {
        Value state;
        std::vector<at::Tensor> shown; ///< in the order of Form::shown, [B, H]
    };
    /// All steps of one direction of one layer, as a kernel takes them.
    struct Steps {
        at::Tensor inputs; ///< [T, B, G H], x W_ih^T + hoistedBias()
        Value state;       ///< [B, H] each
        at::Tensor mask;   ///< [T, B] or undefined
        bool back;         ///< walked from the last one on
        bool watched;      ///< whether `shown` is wanted
    };
    struct Walked {
        Value states, last;            ///< [T, B, H] each, held at masked steps, and [B, H] each
        std::vector<at::Tensor> shown; ///< in the order of Form::shown, [T, B, H]
    };
    /// A whole sequence as ATen's operations take it.
    struct Sequence {
        at::Tensor x;                    ///< [T, B, in]
        Value state;                     ///< [layers * directions, B, H]
        std::vector<at::Tensor> weights; ///< in ATen's order, all of one type
        std::int64_t layers;
        bool bidirectional;
    };
    struct Fused {
        at::Tensor y; ///< [T, B, directions * H]
        Value state;  ///< after the last step, as it came in
    };

    GatedRecurrence(const BlockSetup& setup, Form form);

    /// The whole sequence by one operation; nothing where ATen has no such operation.
    virtual std::optional<Fused> fused(const Sequence& sequence) const = 0;
    /// Called where the form says that there is a kernel.
    virtual Walked walkByKernel(const Steps& steps, const Direction& direction) const;
    /// What an editor makes of the signals of one direction of one layer, [B, H] each, at one step.
    class Edits {
    public:
        Edits(const PassContext& context, EditPlace place) : m_context(context), m_place(place) {}
        /// `value` where nobody changes it.
        at::Tensor operator()(const char* signal, const at::Tensor& value) const
        {
            if (!m_context.edits(signal))
                return value;
            return m_context.editor->edited(m_context.node, signal, value.unsqueeze(0), m_place).squeeze(0);
        }

    private:
        const PassContext& m_context;
        EditPlace m_place;
    };
    /// One step. `input` [B, G H] is x W_ih^T + hoistedBias(), the state's tensors are [B, H]. Each signal goes through
    /// `edited` where it is made.
    virtual Step step(const at::Tensor& input, const Value& state, const Direction& direction,
                      const Edits& edited) const = 0;
    /// Which biases are added for all steps at once: both, unless the form keeps them apart.
    virtual at::Tensor hoistedBias(const Direction& direction) const { return direction.biasIh.add(direction.biasHh); }

    /// Direction::own, by the name `name` and the ending of the place.
    void addOwnWeights(const BlockSetup& setup, const std::string& name);

    std::int64_t units() const { return m_units; }
    /// Layer by layer, the way back behind the way there.
    const std::vector<Direction>& directions() const { return m_directions; }

private:
    struct Walk {
        at::Tensor y; // [T, B, H]; at masked steps 0 or the held state, by m_masked
        Value state;  // [B, H] each
    };

    at::Tensor plainBias(const BlockSetup& setup) const;
    static Direction withBiases(Direction direction);
    bool takesKernel(const at::Tensor& x) const;
    bool kernelFirst(const PassContext& context, const at::Tensor& x) const;
    std::optional<std::vector<Value>> fusedIn(const PassContext& context, const at::Tensor& x,
                                              const Value& state) const;
    std::vector<Value> stepwise(const PassContext& context, const at::Tensor& x, const Value& state,
                                const at::Tensor& mask, StepSignals signals) const;
    Walk walk(const PassContext& context, const at::Tensor& x, Value state, const at::Tensor& mask, std::size_t place,
              StepSignals& signals) const;
    Walk walkAtOnce(const Steps& steps, const Direction& direction, StepSignals& signals) const;
    Walk walkSteps(const PassContext& context, const Steps& steps, std::size_t place, StepSignals& signals) const;
    bool isEdited(const PassContext& context) const;
    Value stateAt(const Value& state, std::size_t place) const;
    std::vector<Value> run(const PassContext& context, const at::Tensor& x, const Value& state,
                           const at::Tensor& mask) const;

    MaskedOutput m_masked;
    Form m_form;
    std::vector<std::string> m_signals; // the state's, then the others
    std::int64_t m_units, m_layers;
    std::size_t m_ways; // directions of a layer, 1 or 2
    std::vector<Direction> m_directions;
    Value m_learned; // [layers directions H] of each state; empty: sequences begin from zeros
};

} // namespace unroll::nodes
