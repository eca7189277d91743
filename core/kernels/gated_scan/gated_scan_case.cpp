// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gated_scan/gated_scan_op.h"
#include "core/kernels/testing/scan_kernels.h"
#include "core/kernels/testing/scan_op_case.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>

namespace unroll::kernels::test {
namespace {

/// How the gates are packed into tensors.
enum class Packing { One, TwoAndOne, Separate, Count };

at::Tensor activated(Activation activation, const at::Tensor& a)
{
    switch (activation) {
    case Activation::Identity: return a;
    case Activation::Tanh: return at::tanh(a);
    case Activation::Silu: return at::silu(a);
    case Activation::Positive: break;
    }
    return at::where(a >= 0, a + 0.5, exactSigmoid(a));
}

/// `sequences` are a_f, a_c and with an output gate a_g.
class GatedScanCase : public ScanOpCase<GatedScanSpec> {
public:
    Activation candidate = Activation::Silu;
    bool outputGate = true;
    bool byteMask = false;
    Packing packing = Packing::One;

    std::string describe() const override
    {
        return ScanCase::describe() + " " + std::string(activationName(candidate)) + (outputGate ? " gated" : "") +
               " packing " + std::to_string(static_cast<int>(packing));
    }
    std::vector<std::string> inputs() const override
    {
        return outputGate ? std::vector<std::string>{"a_f", "a_c", "a_g"} : std::vector<std::string>{"a_f", "a_c"};
    }

    ScanNumbers draw(Draw& draws) const override
    {
        const auto [steps, batch, width] = shape;
        ScanNumbers n;
        for (int gate = 0; gate < (outputGate ? 3 : 2); ++gate)
            n.sequences.push_back(draws.normal({steps, batch, width}) * 2);
        n.initial = draws.normal({batch, width});
        n.mask = draws.uniform({steps, batch}) < 0.7;
        return n;
    }

    PlainStep step(const ScanNumbers& at, const at::Tensor& before) const override
    {
        const at::Tensor &forget = at.sequences[0], &a = at.sequences[1];
        const at::Tensor h = exactSigmoid(forget) * before + exactSigmoid(-forget) * activated(candidate, a);
        return {h, {outputGate ? exactSigmoid(at.sequences[2]) * h : h}};
    }

    GatedScanArguments arguments(const ScanNumbers& in) const override
    {
        std::optional<at::Tensor> mask = ifDefined(in.mask);
        if (mask && byteMask)
            mask = mask->to(at::kByte) * 3;
        return {packed(in.sequences),
                ifDefined(in.initial),
                mask,
                std::string(activationName(candidate)),
                outputGate,
                reverse};
    }

    std::vector<Extreme> extremes() const override
    {
        return {filled("forget 30, output 30", 30, 30), filled("forget 30, output -30", 30, -30),
                filled("forget -30, output 30", -30, 30), filled("forget -30, output -30", -30, -30),
                filled("a memory that hardly decays, forget 8", 8, 0)};
    }

private:
    /// Gates that stand still before candidates that reach both ends of their activation.
    static Extreme filled(const char* what, double forget, double output)
    {
        return {what, [forget, output](ScanNumbers& n) {
                    n.sequences[0].fill_(forget);
                    n.sequences[1].mul_(5);
                    if (n.sequences.size() > 2)
                        n.sequences[2].fill_(output);
                }};
    }

    Tensors packed(const Tensors& gates) const
    {
        Tensors result = gates;
        if (packing == Packing::One)
            result = {at::cat(gates, 2)};
        if (packing == Packing::TwoAndOne) {
            result = {at::cat({gates[0], gates[1]}, 2)};
            result.insert(result.end(), gates.begin() + 2, gates.end());
        }
        for (at::Tensor& tensor : result)
            tensor = inLayout(tensor, layout);
        return result;
    }
};

std::unique_ptr<ScanCase> gatedScanVariant(const ScanShape& shape, unsigned round)
{
    auto c = std::make_unique<GatedScanCase>();
    c->pick(shape, round);
    c->candidate = static_cast<Activation>(round % 4);
    c->outputGate = round % 5 != 0;
    c->byteMask = round / 4 % 2 == 1;
    c->packing = static_cast<Packing>(round / 3 % static_cast<unsigned>(Packing::Count));
    c->gradients = 1 + round % 7;
    return c;
}

} // namespace

ScanKernel gatedScanKernel()
{
    return {"gated_scan", gatedScanVariant};
}

} // namespace unroll::kernels::test
