// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/read_out.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/softmax.h>

namespace unroll::nodes::head {

namespace {

constexpr std::int64_t kIgnored = -100;

class Head final : public ReadOut {
public:
    explicit Head(const BlockSetup& setup) : ReadOut(setup) {}

protected:
    /// Mean of -ln p(target) over the scored targets, in nats.
    at::Tensor loss(const at::Tensor& logits, const at::Tensor& targets) const override
    {
        const at::Tensor flat = targets.reshape({-1});
        const at::Tensor logProbability = at::log_softmax(logits.reshape({-1, logits.size(-1)}), -1);
        const at::Tensor total = at::nll_loss(logProbability, flat, {}, at::Reduction::Sum, kIgnored);
        return total / flat.ne(kIgnored).sum().clamp_min(1);
    }

    void showSignals(const at::Tensor& logits, const PassContext& context) const override
    {
        if (context.wants("probability"))
            context.show("probability", at::softmax(logits.detach(), -1));
    }
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Head>(setup);
}

} // namespace unroll::nodes::head
