// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/testing/scan_kernels.h"

#include "core/kernels/rnn_steps/rnn_steps.h"
#include "core/kernels/testing/steps_case.h"

#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/tanh.h>

namespace unroll::kernels::test {
namespace {

class RnnStepsCase : public StepsCase {
public:
    RnnStepsCase() : StepsCase(1) {}

    RnnActivation activation = RnnActivation::Tanh;

    std::string describe() const override
    {
        return StepsCase::describe() + " " + (activation == RnnActivation::Tanh ? "tanh" : "relu");
    }

    ScanNumbers draw(Draw& draws) const override
    {
        ScanNumbers n = StepsCase::draw(draws);
        if (activation == RnnActivation::Relu)
            n.sequences[0] += 2 * at::sign(n.sequences[0]); // no sum so near the kink that rounding moves it over
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
    double spread() const override { return activation == RnnActivation::Tanh ? 0.5 : 0.1; }
};

std::unique_ptr<ScanCase> rnnStepsVariant(const ScanShape& shape, unsigned round)
{
    auto c = std::make_unique<RnnStepsCase>();
    c->pick(shape, round);
    c->activation = round / 3 % 2 == 1 ? RnnActivation::Relu : RnnActivation::Tanh;
    c->gradients = round % 3 == 0 ? 3 : 1;
    return c;
}

} // namespace

ScanKernel rnnStepsKernel()
{
    return {"rnn_steps", rnnStepsVariant};
}

} // namespace unroll::kernels::test
