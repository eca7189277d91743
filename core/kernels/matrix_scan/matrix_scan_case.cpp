// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/matrix_scan/matrix_scan_op.h"
#include "core/kernels/testing/scan_kernels.h"
#include "core/kernels/testing/scan_op_case.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/matmul.h>

#include <iterator>

namespace unroll::kernels::test {
namespace {

at::Tensor rotations(const at::Tensor& tensor)
{
    return std::get<0>(at::linalg_qr(tensor));
}

/// `sequences` is m. The width of the shape is the size of the matrices, as far as the kernel takes it; else one that a
/// GPU's kernel has registers for, or cuts into no chunks.
class MatrixScanCase : public ScanOpCase<MatrixScanSpec> {
public:
    MatrixScanCase() { elementwise = false; }

    std::int64_t heads = 1;
    std::int64_t size = 1;
    bool transposed = false; ///< m lies column by column

    std::string describe() const override
    {
        return ScanCase::describe() + " heads " + std::to_string(heads) + " n " + std::to_string(size) +
               (transposed ? " transposed" : "");
    }
    std::vector<std::string> inputs() const override { return {"m"}; }

    /// Rotations, stretched a little: long products of them neither fade nor blow up.
    ScanNumbers draw(Draw& draws) const override
    {
        ScanNumbers n;
        const at::Tensor stretched = draws.uniform({shape.steps, shape.batch, heads, 1, 1}) * 0.04 + 0.98;
        n.sequences = {rotations(draws.normal({shape.steps, shape.batch, heads, size, size})) * stretched};
        n.initial = draws.normal({shape.batch, heads, size, size});
        n.mask = draws.uniform({shape.steps, shape.batch}) < 0.7;
        return n;
    }

    at::Tensor start(const at::Tensor& state) const override
    {
        return at::eye(size, state.options()).expand(state.sizes());
    }

    PlainStep step(const ScanNumbers& at, const at::Tensor& before) const override
    {
        return {at::matmul(before, at.sequences[0]), {}};
    }

    MatrixScanArguments arguments(const ScanNumbers& in) const override
    {
        const at::Tensor &m = in.sequences[0], laidOut = inLayout(m, layout);
        return {transposed ? m.transpose(3, 4).contiguous().transpose(3, 4) : laidOut, ifDefined(in.initial),
                ifDefined(in.mask), reverse};
    }

    std::vector<Extreme> extremes() const override
    {
        std::vector<Extreme> all{stretched("rotations, whose products neither decay nor grow", 1),
                                 stretched("forgotten almost at once, rotations times 1e-6", 1e-6),
                                 stretched("a state that grows, rotations times 1.0005", 1.0005)};
        if (initial) // else every state begins at I
            for (const double by : kOtherSizes)
                all.push_back({"states of " + factorText(by), [by](ScanNumbers& n) { n.initial.mul_(by); }});
        return all;
    }

private:
    static Extreme stretched(const char* what, double by)
    {
        return {what, [by](ScanNumbers& n) { n.sequences[0] = rotations(n.sequences[0]) * by; }};
    }
};

std::unique_ptr<ScanCase> matrixScanVariant(const ScanShape& shape, unsigned round)
{
    auto c = std::make_unique<MatrixScanCase>();
    c->shape = shape;
    c->heads = shape.width == 0 ? 0 : round % 4 == 3 ? 1 : 2;
    constexpr std::int64_t sizes[] = {16, 8, 20, 4, 2};
    c->size = shape.width == 0 ? 3 : shape.width <= 64 ? shape.width : sizes[(round + round / 5) % std::size(sizes)];
    c->reverse = round % 3 == 2;
    c->masked = round / 3 % 2 == 1;
    c->initial = round % 7 < 5;
    c->layout = static_cast<Layout>(round / 5 % static_cast<unsigned>(Layout::Count));
    c->transposed = round % 5 == 2;
    c->gradients = 1 + round % 3;
    return c;
}

} // namespace

ScanKernel matrixScanKernel()
{
    return {"matrix_scan", matrixScanVariant, {2, 4, 8, 16}};
}

} // namespace unroll::kernels::test
