// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cell_steps/cell_steps.h"
#include "core/kernels/testing/scan_kernels.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>

#include <array>
#include <cmath>

namespace unroll::kernels::test {
namespace {

constexpr double kBeta = 0.7;

/// `sequences` is u, `constants` the weight. The outputs are the parts of the state, h by its own output.
class CellStepsCase : public ScanCase {
public:
    CellStepsCase() { elementwise = false; }

    StepCell cell = StepCell::Tanh;
    std::int64_t heads = 1;
    bool diagonal = false;

    std::string describe() const override
    {
        return ScanCase::describe() + " cell " + std::to_string(static_cast<int>(cell)) + " heads " +
               std::to_string(heads) + (diagonal ? " diagonal" : "");
    }
    std::vector<std::string> inputs() const override { return {"u", "weight"}; }
    std::vector<std::string> outputs() const override { return {"states", "last"}; }

    ScanNumbers draw(Draw& draws) const override
    {
        const auto [steps, batch, width] = shape;
        const auto [gates, parts, keeps] = cellSizes(cell);
        const std::int64_t n = width / heads;
        ScanNumbers numbers;
        numbers.sequences = {draws.normal({steps, batch, gates * width})};
        // Where memories grow, m is a long sum, and exp(a + m - m_t) loses what rounding takes from it in any form.
        if (cell == StepCell::SlstmExp)
            numbers.sequences[0].unflatten(2, {heads, gates, n}).select(3, 1) -= 1;
        if (isRelu())
            numbers.sequences[0] += 2 * at::sign(numbers.sequences[0]); // far from the kink
        if (diagonal)
            numbers.constants = {draws.normal({width}) * 0.3};
        else
            numbers.constants = {draws.normal({heads, gates * n, n}) * (0.3 / std::sqrt(static_cast<double>(n)))};
        numbers.initial = draws.normal({batch, parts * width});
        numbers.mask = draws.uniform({steps, batch}) < 0.7;
        return numbers;
    }

    PlainStep step(const ScanNumbers& in, const at::Tensor& before) const override
    {
        const auto [gates, parts, keeps] = cellSizes(cell);
        const auto was = before.chunk(parts, 1);
        const auto a = sums(in, was[0]);
        switch (cell) {
        case StepCell::Tanh: return {at::tanh(a[0]), {}};
        case StepCell::Relu: return {at::relu(a[0]), {}};
        case StepCell::Lstm: {
            const at::Tensor c = at::sigmoid(a[1]) * was[1] + at::sigmoid(a[0]) * at::tanh(a[2]);
            return {at::cat({at::sigmoid(a[3]) * at::tanh(c), c}, 1), {}};
        }
        case StepCell::Janet: return {at::sigmoid(a[0]) * was[0] + at::sigmoid(kBeta - a[0]) * at::tanh(a[1]), {}};
        case StepCell::LiGruTanh:
        case StepCell::LiGruRelu: {
            const at::Tensor z = at::sigmoid(a[1]);
            return {z * was[0] + (1 - z) * (isRelu() ? at::relu(a[0]) : at::tanh(a[0])), {}};
        }
        case StepCell::SlstmSigmoid:
        case StepCell::SlstmExp: break;
        }
        return {slstm(a, was), {}};
    }

    Tensors call(const ScanNumbers& in) const override
    {
        const CellStepsResult out = cellSteps({.u = inLayout(in.sequences[0], layout),
                                               .weight = in.constants[0],
                                               .initial = ifDefined(in.initial),
                                               .mask = ifDefined(in.mask),
                                               .cell = cell,
                                               .beta = kBeta,
                                               .reverse = reverse});
        const std::int64_t width = shape.width, others = (cellSizes(cell).parts - 1) * width;
        return {at::cat({out.h, out.walked.narrow(2, width, others)}, 2), out.last};
    }

    std::vector<Extreme> extremes() const override
    {
        std::vector<Extreme> all;
        // A saturated gate's derivative is what torch's sigmoid rounds away: those are moved, not filled.
        if (isGated())
            for (const double value : {4.0, -4.0})
                all.push_back({"sums moved by " + std::to_string(value),
                               [value](ScanNumbers& n) { n.sequences[0].add_(value); }});
        else
            for (const double value : {8.0, -8.0, 30.0, -30.0})
                all.push_back(
                    {"sums of " + std::to_string(value), [value](ScanNumbers& n) { n.sequences[0].fill_(value); }});
        all.push_back({"sums of either sign, three times as large", [](ScanNumbers& n) { n.sequences[0].mul_(3); }});
        return all;
    }

private:
    /// Whether a gate's logistic function saturates; those of sLSTM are exponentials.
    bool isGated() const
    {
        return cell == StepCell::Lstm || cell == StepCell::Janet || cell == StepCell::LiGruTanh ||
               cell == StepCell::LiGruRelu;
    }
    bool isRelu() const { return cell == StepCell::Relu || cell == StepCell::LiGruRelu; }

    /// The gates' sums, (B,d) each.
    std::vector<at::Tensor> sums(const ScanNumbers& in, const at::Tensor& h) const
    {
        const at::Tensor &u = in.sequences[0], &weight = in.constants[0];
        if (diagonal)
            return {u + weight * h};
        const std::int64_t gates = cellSizes(cell).gates;
        std::vector<at::Tensor> ofHeads;
        const auto states = h.chunk(heads, 1), inputs = u.chunk(heads, 1);
        for (std::int64_t i = 0; i < heads; ++i)
            ofHeads.push_back((inputs[i] + at::linear(states[i], weight[i])).unflatten(1, {gates, -1}));
        std::vector<at::Tensor> all;
        for (std::int64_t gate = 0; gate < gates; ++gate) {
            std::vector<at::Tensor> one;
            for (const at::Tensor& head : ofHeads)
                one.push_back(head.select(1, gate));
            all.push_back(at::cat(one, 1));
        }
        return all;
    }

    at::Tensor slstm(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& was) const
    {
        const at::Tensor held = was[2].abs();
        const at::Tensor kept = (cell == StepCell::SlstmExp ? a[1] : at::log_sigmoid(a[1])) + was[3];
        const at::Tensor m = at::where(held == 0, a[0], at::maximum(kept, a[0]));
        const at::Tensor i = (a[0] - m).clamp_max(0).exp(), f = (kept - m).clamp_max(0).exp();
        const at::Tensor c = f * was[1] + i * at::tanh(a[2]), n = f * held + i;
        return at::cat({at::sigmoid(a[3]) * (c / n), c, n, m}, 1);
    }
};

std::unique_ptr<ScanCase> cellStepsVariant(const ScanShape& shape, unsigned round)
{
    auto c = std::make_unique<CellStepsCase>();
    c->pick(shape, round);
    using enum StepCell;
    constexpr std::array kInTurn{SlstmSigmoid, Lstm, Janet, LiGruRelu, SlstmExp, LiGruTanh, Tanh, Relu};
    c->cell = kInTurn[round % kInTurn.size()];
    c->diagonal = cellSizes(c->cell).gates == 1 && round / 8 % 2 == 0;
    for (std::int64_t heads : {3, 7})
        if (!c->diagonal && shape.width % heads == 0 && round / 8 % 2 == 1)
            c->heads = heads;
    return c;
}

} // namespace

ScanKernel cellStepsKernel()
{
    return {"cell_steps", cellStepsVariant};
}

} // namespace unroll::kernels::test
