// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/testing/scan_kernels.h"

#include "core/kernels/gru_steps/gru_steps.h"
#include "core/kernels/gru_steps/gru_steps_tensors.h"
#include "core/kernels/testing/steps_case.h"

#include <ATen/ops/linear.h>
#include <ATen/ops/tanh.h>

namespace unroll::kernels::test {
namespace {

/// Perhaps with a bias, behind the weight.
class GruStepsCase : public StepsCase {
public:
    GruStepsCase() : StepsCase(3) {}

    GruConvention convention = GruConvention::ResetAfter;
    bool biased = false;

    std::string describe() const override
    {
        return StepsCase::describe() + " " + std::string(gruConventionName(convention)) + (biased ? " bias" : "");
    }
    std::vector<std::string> inputs() const override
    {
        std::vector<std::string> names = StepsCase::inputs();
        if (biased)
            names.emplace_back("bias");
        return names;
    }

    ScanNumbers draw(Draw& draws) const override
    {
        ScanNumbers n = StepsCase::draw(draws);
        if (biased)
            n.constants.push_back(draws.normal({shape.width}));
        return n;
    }

    PlainStep step(const ScanNumbers& at, const at::Tensor& before) const override
    {
        const Tensors u = at.sequences[0].chunk(3, -1), weight = at.constants[0].chunk(3, 0);
        const at::Tensor r = exactSigmoid(u[0] + at::linear(before, weight[0]));
        const at::Tensor z = u[1] + at::linear(before, weight[1]); // before its sigmoid
        if (convention == GruConvention::ResetAfter) {
            const at::Tensor gated = at::linear(before, weight[2]);
            const at::Tensor n = at::tanh(u[2] + r * (biased ? gated + at.constants[1] : gated));
            return {exactSigmoid(z) * before + exactSigmoid(-z) * n, {}};
        }
        const at::Tensor n = at::tanh(u[2] + at::linear(r * before, weight[2]));
        if (convention == GruConvention::ResetBefore)
            return {exactSigmoid(z) * before + exactSigmoid(-z) * n, {}};
        return {exactSigmoid(-z) * before + exactSigmoid(z) * n, {}};
    }

    Tensors call(const ScanNumbers& in) const override
    {
        const GruStepsResult out = gruSteps({.u = inLayout(in.sequences[0], layout),
                                             .weight = in.constants[0],
                                             .bias = biased ? std::optional(in.constants[1]) : std::nullopt,
                                             .initial = ifDefined(in.initial),
                                             .mask = ifDefined(in.mask),
                                             .convention = convention,
                                             .reverse = reverse});
        return {out.h, out.last};
    }

    std::vector<Extreme> extremes() const override
    {
        return {filled("reset 30, update 30", 30, 30), filled("reset 30, update -30", 30, -30),
                filled("reset -30, update 30", -30, 30), filled("reset -30, update -30", -30, -30),
                filled("a memory that hardly decays", 0, convention == GruConvention::ResetBeforeInvertedZ ? -8 : 8)};
    }

private:
    /// The sums of both gates, hardly moved by the state.
    static Extreme filled(const char* what, double reset, double update)
    {
        return {what, [reset, update](ScanNumbers& n) {
                    Tensors parts = n.sequences[0].chunk(3, -1);
                    parts[0].fill_(reset);
                    parts[1].fill_(update);
                    n.constants[0].mul_(0.01);
                }};
    }
};

std::unique_ptr<ScanCase> gruStepsVariant(const ScanShape& shape, unsigned round)
{
    auto c = std::make_unique<GruStepsCase>();
    c->pick(shape, round);
    c->convention = static_cast<GruConvention>(round % 3);
    c->biased = c->convention == GruConvention::ResetAfter && round / 3 % 2 == 1;
    c->gradients = round % 4 == 0 ? 3 : 1;
    return c;
}

} // namespace

ScanKernel gruStepsKernel()
{
    return {"gru_steps", gruStepsVariant};
}

} // namespace unroll::kernels::test
