// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/sru_scan/sru_scan_op.h"
#include "core/kernels/testing/scan_kernels.h"
#include "core/kernels/testing/scan_op_case.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/tanh.h>

namespace unroll::kernels::test {
namespace {

enum class Skip { None, Scaled, FourthPart, Count };

/// `sequences` are u and perhaps x, `constants` weight_c and bias, `fixed` is the dropout.
class SruScanCase : public ScanOpCase<SruScanSpec> {
public:
    Skip skip = Skip::Scaled;
    double scaleX = 1.3;
    Activation activation = Activation::Identity;
    bool dropped = false;

    std::string describe() const override
    {
        return ScanCase::describe() + " skip " + std::to_string(static_cast<int>(skip)) + " " +
               std::string(activationName(activation)) + (dropped ? " dropout" : "");
    }
    std::vector<std::string> inputs() const override
    {
        if (skip == Skip::Scaled)
            return {"u", "x", "weight_c", "bias"};
        return {"u", "weight_c", "bias"};
    }

    ScanNumbers draw(Draw& draws) const override
    {
        const auto [steps, batch, width] = shape;
        ScanNumbers n;
        n.sequences = {draws.normal({steps, batch, skip == Skip::FourthPart ? 4 : 3, width})};
        if (skip == Skip::Scaled)
            n.sequences.push_back(draws.normal({steps, batch, width}));
        // U(-1, 1) as SRU starts from. With larger weights the recurrence turns chaotic and fp32 of any kind loses the
        // gradient of c0.
        n.constants = {draws.uniform({2, width}) * 2 - 1, draws.normal({2, width})};
        if (dropped)
            n.fixed = {(draws.uniform({batch, width}) < 0.8).to(at::kFloat) / 0.8};
        n.initial = draws.normal({batch, width});
        n.mask = draws.uniform({steps, batch}) < 0.7;
        return n;
    }

    PlainStep step(const ScanNumbers& at, const at::Tensor& before) const override
    {
        const at::Tensor &u = at.sequences[0], &weight = at.constants[0], &bias = at.constants[1];
        const at::Tensor forget = u.select(1, 1) + weight[0] * before + bias[0];
        const at::Tensor reset = u.select(1, 2) + weight[1] * before + bias[1];
        const at::Tensor c = exactSigmoid(forget) * before + exactSigmoid(-forget) * u.select(1, 0);
        const at::Tensor active = activation == Activation::Tanh ? at::tanh(c) : c;
        const at::Tensor x = skip == Skip::FourthPart ? u.select(1, 3)
                             : skip == Skip::Scaled   ? at.sequences[1] * scaleX
                                                      : at::zeros_like(c);
        const at::Tensor h = exactSigmoid(reset) * active + exactSigmoid(-reset) * x;
        return {c, {dropped ? at.fixed[0] * h + (1 - at.fixed[0]) * x : h}};
    }

    SruScanOpArguments arguments(const ScanNumbers& in) const override
    {
        SruScanOpArguments a;
        a.u = laidOut(in.sequences[0]);
        a.weightC = in.constants[0];
        a.bias = in.constants[1];
        if (skip == Skip::Scaled)
            a.x = inLayout(in.sequences[1], layout);
        a.initial = ifDefined(in.initial);
        a.mask = ifDefined(in.mask);
        if (dropped)
            a.dropout = in.fixed[0];
        a.scaleX = scaleX;
        a.activation = activationName(activation);
        a.reverse = reverse;
        return a;
    }

    std::vector<Extreme> extremes() const override
    {
        return {filled("forget 30, reset 30", 30, 30), filled("forget 30, reset -30", 30, -30),
                filled("forget -30, reset 30", -30, 30), filled("forget -30, reset -30", -30, -30),
                filled("a memory that hardly decays, forget 8", 8, 0)};
    }

private:
    /// Both gates' pre-activations, hardly moved by the state.
    static Extreme filled(const char* what, double forget, double reset)
    {
        return {what, [forget, reset](ScanNumbers& n) {
                    n.sequences[0].select(2, 1).fill_(forget);
                    n.sequences[0].select(2, 2).fill_(reset);
                    n.constants[0].mul_(0.01);
                    n.constants[1].zero_();
                }};
    }

    /// u as the slice of a wider GEMM output, batch-major, and so on; the parts stay planes of d except where rows are
    /// not contiguous.
    at::Tensor laidOut(const at::Tensor& u) const
    {
        return layout == Layout::SliceOfWider ? at::constant_pad_nd(u, {0, 0, 1, 2}).narrow(2, 1, u.size(2))
                                              : inLayout(u, layout);
    }
};

std::unique_ptr<ScanCase> sruScanVariant(const ScanShape& shape, unsigned round)
{
    auto c = std::make_unique<SruScanCase>();
    c->pick(shape, round);
    c->skip = static_cast<Skip>(round % static_cast<unsigned>(Skip::Count));
    c->activation = round / 3 % 2 == 1 ? Activation::Tanh : Activation::Identity;
    c->dropped = round / 4 % 2 == 1;
    c->gradients = 1 + round % 7;
    // A gradient that arrives on the last state alone has shrunk to nothing at the first: of a few columns no digit of
    // fp32 may be left.
    if (shape.width < 7)
        c->gradients |= 1;
    return c;
}

} // namespace

ScanKernel sruScanKernel()
{
    return {"sru_scan", sruScanVariant};
}

} // namespace unroll::kernels::test
