// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cfc_steps/cfc_steps.h"
#include "core/kernels/testing/scan_kernels.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/tanh.h>

#include <array>
#include <cmath>

namespace unroll::kernels::test {
namespace {

/// `sequences` are u and perhaps the times, `constants` both weights and the bias.
class CfcStepsCase : public ScanCase {
public:
    CfcStepsCase() { elementwise = false; }

    std::string activation = "lecun_tanh";
    bool gated = true, timed = false;
    std::int64_t backbone = 1;

    std::string describe() const override
    {
        return ScanCase::describe() + " backbone " + std::to_string(backbone) + " " + activation +
               (gated ? "" : " without the first gate") + (timed ? " with times" : "");
    }
    std::vector<std::string> inputs() const override
    {
        std::vector<std::string> names{"u", "weight", "heads", "bias"};
        if (timed)
            names.insert(names.begin() + 1, "time");
        return names;
    }
    std::vector<std::string> outputs() const override { return {"states", "last"}; }

    ScanNumbers draw(Draw& draws) const override
    {
        const auto [steps, batch, width] = shape;
        const double ofState = 0.5 / std::sqrt(static_cast<double>(width));
        const double ofFeatures = 0.5 / std::sqrt(static_cast<double>(backbone));
        ScanNumbers numbers;
        numbers.sequences = {draws.normal({steps, batch, backbone})};
        if (activation == "relu")
            numbers.sequences[0] += at::sign(numbers.sequences[0]); // far from the kink
        if (timed)
            numbers.sequences.push_back(draws.uniform({steps, batch, width}) * 2);
        numbers.constants = {draws.normal({backbone, width}) * ofState,
                             draws.normal({4 * width, backbone}) * ofFeatures, draws.normal({4 * width}) * 0.5};
        numbers.initial = draws.normal({batch, width});
        numbers.mask = draws.uniform({steps, batch}) < 0.7;
        return numbers;
    }

    PlainStep step(const ScanNumbers& in, const at::Tensor& before) const override
    {
        const at::Tensor z = activated(in.sequences[0] + at::linear(before, in.constants[0]));
        const auto sums = at::linear(z, in.constants[1], in.constants[2]).chunk(4, 1);
        const at::Tensor first = at::tanh(sums[0]), second = at::tanh(sums[1]);
        const at::Tensor g = at::sigmoid((timed ? sums[2] * in.sequences[1] : sums[2]) + sums[3]);
        return {(gated ? first * (1 - g) : first) + g * second, {}};
    }

    Tensors call(const ScanNumbers& in) const override
    {
        CfcStepsArguments arguments{.u = inLayout(in.sequences[0], layout),
                                    .weight = in.constants[0],
                                    .heads = in.constants[1].chunk(4),
                                    .bias = in.constants[2],
                                    .time = std::nullopt,
                                    .initial = ifDefined(in.initial),
                                    .mask = ifDefined(in.mask),
                                    .activation = activation,
                                    .gated = gated,
                                    .reverse = reverse};
        if (timed)
            arguments.time = inLayout(in.sequences[1], layout);
        const CfcStepsResult out = cfcSteps(arguments);
        return {out.h, out.last};
    }

    std::vector<Extreme> extremes() const override
    {
        // The candidates' derivatives, 1 - y^2, are what rounding leaves of them where they saturate: gates alone are.
        const auto gatesMoved = [this](double by) {
            return [width = shape.width, by](ScanNumbers& n) { n.constants[2].narrow(0, 3 * width, width).add_(by); };
        };
        return {{"gates moved by 4", gatesMoved(4)},
                {"gates moved by -4", gatesMoved(-4)},
                {"sums of either sign, three times as large", [](ScanNumbers& n) { n.sequences[0].mul_(3); }}};
    }

private:
    at::Tensor activated(const at::Tensor& a) const
    {
        if (activation == "lecun_tanh")
            return 1.7159 * at::tanh(0.666 * a);
        if (activation == "tanh")
            return at::tanh(a);
        return activation == "relu" ? at::relu(a) : at::silu(a);
    }
};

std::unique_ptr<ScanCase> cfcStepsVariant(const ScanShape& shape, unsigned round)
{
    auto c = std::make_unique<CfcStepsCase>();
    c->pick(shape, round);
    constexpr std::array kInTurn{"lecun_tanh", "silu", "tanh", "relu"};
    c->activation = kInTurn[round % kInTurn.size()];
    c->gated = round / 4 % 2 == 0;
    c->timed = round / 2 % 2 == 0;
    c->backbone = shape.width + static_cast<std::int64_t>(round % 3);
    return c;
}

} // namespace

ScanKernel cfcStepsKernel()
{
    return {"cfc_steps", cfcStepsVariant};
}

} // namespace unroll::kernels::test
