// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/softmax.h>

namespace unroll::nodes::head {

namespace {

constexpr std::int64_t kIgnored = -100;

/// Mean of -ln p(target) over the scored targets, in nats; 0, with gradient 0, where none is scored.
at::Tensor crossEntropy(const at::Tensor& logits, const at::Tensor& targets)
{
    const at::Tensor flat = targets.reshape({-1});
    const at::Tensor logProbability = at::log_softmax(logits.reshape({-1, logits.size(-1)}), -1);
    const at::Tensor total = at::nll_loss(logProbability, flat, {}, at::Reduction::Sum, kIgnored);
    return total / flat.ne(kIgnored).sum().clamp_min(1);
}

class Head final : public Block {
public:
    explicit Head(const BlockSetup& setup) : Block(setup)
    {
        m_weight = addWeight(setup, "weight");
        if (setup.boolean("bias"))
            m_bias = addWeight(setup, "bias");
    }

    /// Without targets there is no loss.
    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor logits = product(context, only(inputs[0]), m_weight, m_bias);
        if (context.wants("probability"))
            context.show("probability", at::softmax(logits.detach(), -1));
        const at::Tensor targets = only(inputs[1]);
        Value loss;
        if (targets.defined())
            loss.push_back(crossEntropy(logits, targets));
        return {loss, {logits}};
    }

private:
    at::Tensor m_weight; // [classes, in]
    at::Tensor m_bias;   // [classes], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Head>(setup);
}

} // namespace unroll::nodes::head
