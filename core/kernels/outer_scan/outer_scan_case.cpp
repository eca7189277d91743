// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/outer_scan/outer_scan_op.h"
#include "core/kernels/testing/scan_kernels.h"
#include "core/kernels/testing/scan_op_case.h"

#include <ATen/ops/matmul.h>
#include <ATen/ops/where.h>

#include <iterator>

namespace unroll::kernels::test {
namespace {

/// What decays: a number for each key or for a head, at each step or the same at all; or nothing.
enum class Decay { Keys, Heads, ConstantKeys, ConstantHeads, None, Count };

/// `sequences` are q, k, v, and a where it has a time; a constant a is in `constants`. The width of the shape is the
/// number of keys, as far as the plain loop can be waited for.
class OuterScanCase : public ScanOpCase<OuterScanSpec> {
public:
    OuterScanCase() { elementwise = stepByStep = false; }

    std::int64_t heads = 1, keys = 1, values = 1;
    Decay decay = Decay::Keys;

    std::string describe() const override
    {
        return ScanCase::describe() + " heads " + std::to_string(heads) + " keys " + std::to_string(keys) + " values " +
               std::to_string(values) + " decay " + std::to_string(static_cast<int>(decay));
    }
    std::vector<std::string> inputs() const override
    {
        return decay == Decay::None ? std::vector<std::string>{"q", "k", "v"}
                                    : std::vector<std::string>{"q", "k", "v", "a"};
    }
    bool givesStates() const override { return false; }
    std::vector<std::int64_t> sizesOfAStep(at::IntArrayRef state) const override
    {
        return {state[0], state[1], state[3]};
    }

    ScanNumbers draw(Draw& draws) const override
    {
        const auto [steps, batch, width] = shape;
        ScanNumbers n;
        n.sequences = {draws.normal({steps, batch, heads, keys}), draws.normal({steps, batch, heads, keys}),
                       draws.normal({steps, batch, heads, values})};
        if (hasTime())
            n.sequences.push_back(drawDecay(draws, sizesOfDecay({steps, batch, heads, keys})));
        else if (decay != Decay::None)
            n.constants = {drawDecay(draws, sizesOfDecay({heads, keys}))};
        n.initial = draws.normal({batch, heads, keys, values});
        n.mask = draws.uniform({steps, batch}) < 0.7;
        return n;
    }

    PlainStep step(const ScanNumbers& at, const at::Tensor& before) const override
    {
        const at::Tensor added = at.sequences[1].unsqueeze(-1) * at.sequences[2].unsqueeze(-2);
        const at::Tensor state = decay == Decay::None ? before + added : overState(factor(at)) * before + added;
        return {state, {at::matmul(at.sequences[0].unsqueeze(-2), state).squeeze(-2)}};
    }

    OuterScanArguments arguments(const ScanNumbers& in) const override
    {
        MaybeTensor a;
        if (decay != Decay::None)
            a = hasTime() ? inLayout(factor(in), layout) : factor(in);
        return {inLayout(in.sequences[0], layout),
                inLayout(in.sequences[1], layout),
                inLayout(in.sequences[2], layout),
                a,
                ifDefined(in.initial),
                ifDefined(in.mask),
                reverse};
    }

    std::vector<Extreme> extremes() const override
    {
        std::vector<Extreme> all;
        for (const double size : kOtherSizes)
            all.push_back({"states of " + factorText(size), [size](ScanNumbers& n) {
                               n.sequences[2].mul_(size);
                               n.initial.mul_(size);
                           }});
        if (decay == Decay::None)
            return all;
        for (const double a : {1.0, 0.9995, 1.0005, 1e-30, 0.0})
            all.push_back({"every factor " + std::to_string(a), [this, a](ScanNumbers& n) { factor(n).fill_(a); }});
        all.push_back({"factors from 1 down to 1e-30", [this](ScanNumbers& n) {
                           factor(n).copy_((factor(n) * -69).exp()); // drawn from 0 to 1
                       }});
        all.push_back({"some factors 0", [this](ScanNumbers& n) { factor(n).masked_fill_(factor(n) < 0.6, 0); }});
        all.push_back({"factors of either sign",
                       [this](ScanNumbers& n) { factor(n).copy_(at::where(factor(n) < 0.7, -factor(n), factor(n))); }});
        return all;
    }

private:
    bool hasTime() const { return decay == Decay::Keys || decay == Decay::Heads; }
    bool ofKeys() const { return decay == Decay::Keys || decay == Decay::ConstantKeys; }

    std::vector<std::int64_t> sizesOfDecay(std::vector<std::int64_t> sizes) const
    {
        if (!ofKeys())
            sizes.pop_back();
        return sizes;
    }
    /// As a memory that is to stay in bounds has it; now and then all is forgotten.
    static at::Tensor drawDecay(Draw& draws, at::IntArrayRef sizes)
    {
        const at::Tensor a = draws.uniform(sizes) * 0.6 + 0.4;
        return a.masked_fill(draws.uniform(sizes) < 0.02, 0);
    }
    const at::Tensor& factor(const ScanNumbers& n) const { return hasTime() ? n.sequences[3] : n.constants[0]; }

    at::Tensor overState(const at::Tensor& a) const
    {
        return ofKeys() ? a.unsqueeze(-1) : a.unsqueeze(-1).unsqueeze(-1);
    }
};

std::unique_ptr<ScanCase> outerScanVariant(const ScanShape& shape, unsigned round)
{
    auto c = std::make_unique<OuterScanCase>();
    c->shape = shape;
    c->heads = shape.width == 0 ? 0 : round % 4 == 3 ? 1 : 2;
    constexpr std::int64_t sizes[] = {16, 8, 20, 4, 33};
    c->keys = shape.width == 0 ? 3 : shape.width <= 64 ? shape.width : sizes[(round + round / 5) % std::size(sizes)];
    c->values = round % 3 == 0 ? c->keys : sizes[round % std::size(sizes)] + (round % 2);
    c->decay = static_cast<Decay>(round % static_cast<unsigned>(Decay::Count));
    c->reverse = round % 3 == 1;
    c->masked = round / 3 % 2 == 1;
    c->initial = round % 7 < 5;
    c->layout = static_cast<Layout>(round / 5 % static_cast<unsigned>(Layout::Count));
    c->gradients = 1 + round % 3;
    return c;
}

} // namespace

ScanKernel outerScanKernel()
{
    return {"outer_scan", outerScanVariant};
}

} // namespace unroll::kernels::test
