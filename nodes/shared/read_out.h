// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"

namespace unroll::nodes {

/// A block with a loss: a linear layer tells something of every step, which is compared with the targets where these
/// are wired. With readout none it is x itself that is compared. Weights: weight [size, in], and bias [size] where the
/// parameter `bias` says so; without a layer none. With readout tied the weight is the table at the third input.
class ReadOut : public Block {
public:
    /// Inputs x [T, B, in] and targets; outputs the loss, absent without targets, and the prediction [T, B, size].
    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) final;

protected:
    explicit ReadOut(const BlockSetup& setup);

    /// A scalar, 0 with gradient 0 where nothing is scored.
    virtual at::Tensor loss(const at::Tensor& prediction, const at::Tensor& targets) const = 0;
    virtual void showSignals(const at::Tensor& prediction, const PassContext& context) const = 0;

private:
    bool m_tied;
    at::Tensor m_weight; // [size, in], or undefined
    at::Tensor m_bias;   // [size], or undefined
};

} // namespace unroll::nodes
