// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/rnn_steps/rnn_steps_case.h"

#include "core/kernels/rnn_steps/rnn_steps.h"

#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/tanh.h>

#include <cmath>

namespace unroll::kernels::test {
namespace {

/// `sequences` is u, `constants` the weight.
class RnnStepsCase : public ScanCase {
public:
    RnnActivation activation = RnnActivation::Tanh;

    std::string describe() const override
    {
        return ScanCase::describe() + " " + (activation == RnnActivation::Tanh ? "tanh" : "relu");
    }
    std::vector<std::string> inputs() const override { return {"u", "weight"}; }
    std::vector<std::string> outputs() const override { return {"h", "last"}; }

    ScanNumbers draw(Draw& draws) const override
    {
        const auto [steps, batch, width] = shape;
        ScanNumbers n;
        n.sequences = {draws.normal({steps, batch, width})};
        // Small enough for the state to be forgotten: with larger weights fp32 of any kind loses what chaos makes of its rounding.
        n.constants = {draws.normal({width, width}) * (spread() / std::sqrt(static_cast<double>(width)))};
        if (activation == RnnActivation::Relu)
            n.sequences[0] += 2 * at::sign(n.sequences[0]); // no sum so near the kink that rounding moves it over
        n.initial = draws.normal({batch, width});
        n.mask = draws.uniform({steps, batch}) < 0.7;
        return n;
    }

    PlainStep step(const ScanNumbers& at, const at::Tensor& before) const override
    {
        const at::Tensor sum = at.sequences[0] + at::linear(before, at.constants[0]);
        return {activation == RnnActivation::Tanh ? at::tanh(sum) : at::relu(sum), {}};
    }

    Tensors call(const ScanNumbers& in) const override
    {
        const RnnStepsResult out = rnnSteps({.u = inLayout(in.sequences[0], layout),
                                             .weight = in.constants[0],
                                             .initial = ifDefined(in.initial),
                                             .mask = ifDefined(in.mask),
                                             .activation = activation,
                                             .reverse = reverse});
        return {out.h, out.last};
    }

    std::vector<Extreme> extremes() const override
    {
        const auto filled = [](const char* what, double value) {
            return Extreme{what, [value](ScanNumbers& n) { n.sequences[0].fill_(value); }};
        };
        return {filled("u 30", 30), filled("u -30", -30), {"a state that is handed on as it is", [](ScanNumbers& n) {
                                                               n.sequences[0].mul_(1e-3);
                                                               n.constants[0].zero_().fill_diagonal_(1);
                                                           }}};
    }

private:
    double spread() const { return activation == RnnActivation::Tanh ? 0.5 : 0.1; }
};

std::unique_ptr<ScanCase> rnnStepsVariant(const ScanShape& shape, unsigned round)
{
    auto c = std::make_unique<RnnStepsCase>();
    c->shape = shape;
    c->elementwise = false;
    c->activation = round / 3 % 2 == 1 ? RnnActivation::Relu : RnnActivation::Tanh;
    c->reverse = round % 2 == 1;
    c->masked = round / 2 % 2 == 1;
    c->initial = round % 7 < 5;
    c->layout = static_cast<Layout>(round / 5 % static_cast<unsigned>(Layout::Count));
    c->gradients = round % 3 == 0 ? 3 : 1; // that of the last state alone has shrunk to nothing at the first
    return c;
}

} // namespace

ScanKernel rnnStepsKernel()
{
    return {"rnn_steps", rnnStepsVariant};
}

} // namespace unroll::kernels::test
