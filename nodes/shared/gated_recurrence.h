// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"
#include "nodes/shared/step_signals.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

/// RNN, LSTM and GRU in torch.nn's form: one layer, one direction, weights weight_ih_l0 [G H, in], weight_hh_l0 [G H,
/// H], bias_ih_l0 and bias_hh_l0 [G H], so that a state dict of torch.nn loads as it is.
///
/// There are two ways to the same numbers: ATen's fused operation, where there is one, taken when nobody watches and no
/// step is masked; and step by step, which shows the gates and holds the state at masked steps.
class GatedRecurrence : public Block {
public:
    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) final;
    Value initialState(std::int64_t sequences) const final;

protected:
    struct Form {
        std::int64_t gates;              ///< G
        std::vector<std::string> states; ///< names of the state's tensors; the first is the output
        std::vector<std::string> shown;  ///< names of the other signals
    };
    struct Step {
        Value state;
        std::vector<at::Tensor> shown; ///< in the order of Form::shown, [B, H]
    };

    GatedRecurrence(const BlockSetup& setup, Form form);

    using Fused = std::optional<std::pair<at::Tensor, Value>>;
    /// The whole sequence by one operation: y [T, B, H] and the last state; nothing where ATen has no such operation. x [T, B, in], state tensors
    /// [B, H]; the weights in ATen's order, all in one type.
    virtual Fused fused(const at::Tensor& x, const Value& state, const std::vector<at::Tensor>& weights) const = 0;
    /// One step. `input` [B, G H] is x W_ih^T + hoistedBias().
    virtual Step step(const at::Tensor& input, const Value& state) const = 0;
    /// Which biases are added for all steps at once: both, unless the form keeps them apart.
    virtual at::Tensor hoistedBias() const { return m_biasIh.add(m_biasHh); }

    std::int64_t units() const { return m_units; }
    const at::Tensor& recurrentWeight() const { return m_weightHh; }
    const at::Tensor& inputBias() const { return m_biasIh; }
    const at::Tensor& recurrentBias() const { return m_biasHh; }

private:
    at::Tensor plainBias(const BlockSetup& setup) const;
    std::optional<std::vector<Value>> fusedIn(const PassContext& context, const at::Tensor& x, Value state) const;
    std::vector<Value> stepwise(const PassContext& context, const at::Tensor& x, Value state, const at::Tensor& mask,
                                StepSignals signals) const;

    Form m_form;
    std::vector<std::string> m_signals; // the state's, then the others
    std::int64_t m_units;
    at::Tensor m_weightIh, m_weightHh, m_biasIh, m_biasHh;
};

} // namespace unroll::nodes
