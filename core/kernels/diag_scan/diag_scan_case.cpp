// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/diag_scan/diag_scan_op.h"
#include "core/kernels/testing/scan_kernels.h"
#include "core/kernels/testing/scan_op_case.h"

#include <ATen/ops/complex.h>
#include <ATen/ops/polar.h>

namespace unroll::kernels::test {
namespace {

/// `sequences` are b, and a where it is one a step; a constant a is in `constants`.
class DiagScanCase : public ScanOpCase<DiagScanSpec> {
public:
    bool constant = false; ///< a is (d)

    std::string describe() const override { return ScanCase::describe() + (constant ? " constant" : ""); }
    std::vector<std::string> inputs() const override { return {"b", "a"}; }

    ScanNumbers draw(Draw& draws) const override
    {
        const auto [steps, batch, width] = shape;
        const auto normal = [&](at::IntArrayRef sizes) {
            const at::Tensor real = draws.normal(sizes);
            return complex ? at::complex(real, draws.normal(sizes)) : real;
        };
        ScanNumbers n;
        n.sequences = {normal({steps, batch, width})};
        (constant ? n.constants : n.sequences).push_back(drawFactor(draws));
        n.initial = normal({batch, width});
        n.mask = draws.uniform({steps, batch}) < 0.7;
        return n;
    }

    PlainStep step(const ScanNumbers& at, const at::Tensor& before) const override
    {
        return {factor(at) * before + at.sequences[0], {}};
    }

    DiagScanArguments arguments(const ScanNumbers& in) const override
    {
        return {constant ? factor(in) : inLayout(factor(in), layout), inLayout(in.sequences[0], layout),
                ifDefined(in.initial), ifDefined(in.mask), reverse};
    }

    std::vector<Extreme> extremes() const override
    {
        std::vector<Extreme> all{modulus("a memory that hardly decays, modulus 0.9995", 0.9995),
                                 modulus("no decay, modulus 1", 1),
                                 modulus("a state that grows, modulus 1.0005", 1.0005),
                                 modulus("forgotten almost at once, modulus 1e-6", 1e-6)};
        for (const double size : kOtherSizes)
            all.push_back(sized(size));
        return all;
    }

private:
    const at::Tensor& factor(const ScanNumbers& n) const { return constant ? n.constants[0] : n.sequences[1]; }

    /// Moduli below 1, as a recurrence that is to stay in bounds has.
    at::Tensor drawFactor(Draw& draws) const
    {
        const auto [steps, batch, width] = shape;
        const std::vector<std::int64_t> sizes =
            constant ? std::vector<std::int64_t>{width} : std::vector<std::int64_t>{steps, batch, width};
        const at::Tensor size = draws.uniform(sizes) * 0.6 + 0.4;
        return complex ? at::polar(size, draws.uniform(sizes) * 6.28) : size;
    }

    /// All that the state is made of, times `size`.
    static Extreme sized(double size)
    {
        return {"states of " + factorText(size), [size](ScanNumbers& n) {
                    n.sequences[0].mul_(size);
                    n.initial.mul_(size);
                }};
    }

    /// Every a gets this modulus and keeps its angle.
    Extreme modulus(const char* what, double size) const
    {
        return {what, [this, size](ScanNumbers& n) {
                    at::Tensor& a = constant ? n.constants[0] : n.sequences[1];
                    a = a / a.abs() * size;
                }};
    }
};

std::unique_ptr<ScanCase> diagScanVariant(const ScanShape& shape, unsigned round)
{
    auto c = std::make_unique<DiagScanCase>();
    c->shape = shape;
    c->complex = round % 2 == 1;
    c->constant = round / 2 % 2 == 1;
    c->reverse = round % 3 == 1;
    c->masked = round / 3 % 2 == 1;
    c->initial = round % 7 < 5;
    c->layout = static_cast<Layout>(round / 5 % static_cast<unsigned>(Layout::Count));
    c->gradients = 1 + round % 3;
    return c;
}

} // namespace

ScanKernel diagScanKernel()
{
    return {"diag_scan", diagScanVariant};
}

} // namespace unroll::kernels::test
