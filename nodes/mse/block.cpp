// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/read_out.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/where.h>

namespace unroll::nodes::mse {

namespace {

class MseHead final : public ReadOut {
public:
    explicit MseHead(const BlockSetup& setup) : ReadOut(setup) {}

protected:
    /// Mean of (prediction - target)^2 over the targets that are numbers.
    at::Tensor loss(const at::Tensor& prediction, const at::Tensor& targets) const override
    {
        const at::Tensor scored = at::isnan(targets).logical_not();
        const at::Tensor error = at::where(scored, prediction - targets, 0);
        return error.square().sum() / scored.sum().clamp_min(1);
    }

    void showSignals(const at::Tensor& prediction, const PassContext& context) const override
    {
        if (context.wants("prediction"))
            context.show("prediction", prediction);
    }
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<MseHead>(setup);
}

} // namespace unroll::nodes::mse
