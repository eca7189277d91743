// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/initial.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/where.h>

#include <cmath>

namespace unroll::nodes::mse {

namespace {

/// Mean of (prediction - target)^2 over the targets that are numbers; 0, with gradient 0, where none is.
at::Tensor meanSquaredError(const at::Tensor& prediction, const at::Tensor& targets)
{
    const at::Tensor scored = at::isnan(targets).logical_not();
    const at::Tensor error = at::where(scored, prediction - targets, 0);
    return error.square().sum() / scored.sum().clamp_min(1);
}

class MseHead final : public Block {
public:
    explicit MseHead(const BlockSetup& setup) : Block(setup)
    {
        const std::int64_t in = setup.dimension("input_size"), width = setup.dimension("output_size");
        const double bound = 1 / std::sqrt(static_cast<double>(in));
        m_weight = addWeight("weight", uniformWeight(setup, {width, in}, bound));
        if (setup.boolean("bias"))
            m_bias = addWeight("bias", uniformWeight(setup, {width}, bound));
    }

    /// Without targets there is no loss.
    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor prediction = product(context, only(inputs[0]), m_weight, m_bias);
        if (context.wants("prediction"))
            context.show("prediction", prediction);
        const at::Tensor targets = only(inputs[1]);
        Value loss;
        if (targets.defined())
            loss.push_back(meanSquaredError(prediction, targets));
        return {loss, {prediction}};
    }

private:
    at::Tensor m_weight; // [width, in]
    at::Tensor m_bias;   // [width], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<MseHead>(setup);
}

} // namespace unroll::nodes::mse
