// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/delta_scan/delta_scan_op.h"
#include "core/kernels/testing/scan_kernels.h"
#include "core/kernels/testing/scan_op_case.h"

#include <ATen/ops/matmul.h>
#include <ATen/ops/where.h>

#include <iterator>

namespace unroll::kernels::test {
namespace {

/// What decays before a step removes and stores: a number for each key or for a head, or nothing.
enum class Fading { Keys, Heads, None, Count };

/// `sequences` are q, k, v, z, then b where it is not k, and w where something decays. The width of the shape is the
/// number of keys, as far as the plain loop can be waited for.
class DeltaScanCase : public ScanOpCase<DeltaScanSpec> {
public:
    DeltaScanCase() { elementwise = stepByStep = false; }

    std::int64_t heads = 1, keys = 1, values = 1;
    Fading fading = Fading::Keys;
    bool own = false; ///< b is k

    std::string describe() const override
    {
        return ScanCase::describe() + " heads " + std::to_string(heads) + " keys " + std::to_string(keys) + " values " +
               std::to_string(values) + " fading " + std::to_string(static_cast<int>(fading)) + (own ? " b is k" : "");
    }
    std::vector<std::string> inputs() const override
    {
        std::vector<std::string> names{"q", "k", "v", "z"};
        if (!own)
            names.emplace_back("b");
        if (fades())
            names.emplace_back("w");
        return names;
    }
    bool givesStates() const override { return false; }
    std::vector<std::int64_t> sizesOfAStep(at::IntArrayRef state) const override
    {
        return {state[0], state[1], state[3]};
    }

    /// Directions of length 1 that are taken out by up to 1.4 of what is there: eigenvalues from -0.4 on.
    ScanNumbers draw(Draw& draws) const override
    {
        const auto [steps, batch, width] = shape;
        const std::vector<std::int64_t> sizes{steps, batch, heads, keys};
        const auto direction = [&] {
            const at::Tensor drawn = draws.normal(sizes);
            return drawn / (drawn.norm(2, {-1}, true) + 1e-6);
        };
        ScanNumbers n;
        n.sequences = {draws.normal(sizes), direction(), draws.normal({steps, batch, heads, values}), at::Tensor()};
        if (!own)
            n.sequences.push_back(direction());
        const at::Tensor share = draws.uniform({steps, batch, heads, 1}) * 1.4;
        n.sequences[3] = -share * n.sequences[own ? 1 : 4] + direction() * 0.1;
        if (fades())
            n.sequences.push_back(drawFactor(draws, fading == Fading::Keys ? sizes : allButLast(sizes)));
        n.initial = draws.normal({batch, heads, keys, values});
        n.mask = draws.uniform({steps, batch}) < 0.7;
        return n;
    }

    PlainStep step(const ScanNumbers& at, const at::Tensor& before) const override
    {
        const Tensors& s = at.sequences;
        const at::Tensor found = at::matmul(s[3].unsqueeze(-2), before).squeeze(-2);
        at::Tensor kept = before;
        if (fades())
            kept = (fading == Fading::Keys ? s.back().unsqueeze(-1) : s.back().unsqueeze(-1).unsqueeze(-1)) * before;
        const at::Tensor state =
            kept + s[own ? 1 : 4].unsqueeze(-1) * found.unsqueeze(-2) + s[1].unsqueeze(-1) * s[2].unsqueeze(-2);
        return {state, {at::matmul(s[0].unsqueeze(-2), state).squeeze(-2), found}};
    }

    DeltaScanArguments arguments(const ScanNumbers& in) const override
    {
        const auto laid = [&](std::size_t i) { return inLayout(in.sequences[i], layout); };
        DeltaScanArguments all{laid(0), laid(1), laid(2), laid(3), {}, {}, ifDefined(in.initial), ifDefined(in.mask),
                               reverse};
        if (!own)
            all.b = laid(4);
        if (fades())
            all.w = laid(in.sequences.size() - 1);
        return all;
    }

    std::vector<Extreme> extremes() const override
    {
        std::vector<Extreme> all;
        for (const double size : kOtherSizes)
            all.push_back({"states of " + factorText(size), [size](ScanNumbers& n) {
                               n.sequences[2].mul_(size);
                               n.initial.mul_(size);
                           }});
        for (const double share : {0.0, 1.0, 2.0}) // nothing removed, a projection, a reflection
            all.push_back({"removed " + std::to_string(share) + " times",
                           [this, share](ScanNumbers& n) { n.sequences[3].copy_(n.sequences[own ? 1 : 4] * -share); }});
        if (!fades())
            return all;
        for (const double w : {1.0, 0.9995, 1e-30, 0.0})
            all.push_back({"every factor " + std::to_string(w), [w](ScanNumbers& n) { n.sequences.back().fill_(w); }});
        all.push_back({"factors from 1 down to 1e-30", [](ScanNumbers& n) {
                           n.sequences.back().copy_((n.sequences.back() * -69).exp()); // drawn from 0 to 1
                       }});
        all.push_back({"factors of either sign", [](ScanNumbers& n) {
                           const at::Tensor w = n.sequences.back().clone();
                           n.sequences.back().copy_(at::where(w < 0.7, -w, w));
                       }});
        return all;
    }

private:
    bool fades() const { return fading != Fading::None; }

    static std::vector<std::int64_t> allButLast(std::vector<std::int64_t> sizes)
    {
        sizes.pop_back();
        return sizes;
    }
    /// As a memory that is to stay in bounds has it; now and then all is forgotten.
    static at::Tensor drawFactor(Draw& draws, at::IntArrayRef sizes)
    {
        const at::Tensor w = draws.uniform(sizes) * 0.6 + 0.4;
        return w.masked_fill(draws.uniform(sizes) < 0.02, 0);
    }
};

std::unique_ptr<ScanCase> deltaScanVariant(const ScanShape& shape, unsigned round)
{
    auto c = std::make_unique<DeltaScanCase>();
    c->shape = shape;
    c->heads = shape.width == 0 ? 0 : round % 4 == 3 ? 1 : 2;
    constexpr std::int64_t sizes[] = {16, 8, 20, 4, 33};
    c->keys = shape.width == 0 ? 3 : shape.width <= 64 ? shape.width : sizes[(round + round / 5) % std::size(sizes)];
    c->values = round % 5 == 0 ? c->keys : sizes[round % std::size(sizes)] + (round % 2);
    c->fading = static_cast<Fading>(round % static_cast<unsigned>(Fading::Count));
    c->own = round / 3 % 2 == 0;
    c->reverse = round / 2 % 3 == 1;
    c->masked = round / 4 % 2 == 1;
    c->initial = round % 7 < 5;
    c->layout = static_cast<Layout>(round / 5 % static_cast<unsigned>(Layout::Count));
    c->gradients = 1 + round % 7;
    return c;
}

} // namespace

ScanKernel deltaScanKernel()
{
    return {"delta_scan", deltaScanVariant};
}

} // namespace unroll::kernels::test
