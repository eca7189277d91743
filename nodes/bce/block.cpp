// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/read_out.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/where.h>

namespace unroll::nodes::bce {

namespace {

class BceHead final : public ReadOut {
public:
    explicit BceHead(const BlockSetup& setup) : ReadOut(setup) {}

protected:
    /// Mean of -y ln p - (1 - y) ln(1 - p) over the targets y that are numbers, p = sigmoid(logit), in nats. A missing
    /// target is taken out before it is computed with: NaN times the gradient 0 is NaN.
    at::Tensor loss(const at::Tensor& logits, const at::Tensor& targets) const override
    {
        const at::Tensor scored = at::isnan(targets).logical_not();
        const at::Tensor known = at::where(scored, targets, 0);
        const at::Tensor each = at::binary_cross_entropy_with_logits(logits, known, {}, {}, at::Reduction::None);
        return at::where(scored, each, 0).sum() / scored.sum().clamp_min(1);
    }

    void showSignals(const at::Tensor& logits, const PassContext& context) const override
    {
        if (context.wants("probability"))
            context.show("probability", at::sigmoid(logits.detach()));
    }
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<BceHead>(setup);
}

} // namespace unroll::nodes::bce
