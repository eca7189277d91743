// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/op/weight_gradient.h"

#include "core/linalg/products.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/zeros.h>

#include <utility>

namespace unroll::kernels {

PackedWeight::PackedWeight(const at::Tensor& matrix) : m_rows(matrix.size(0)), m_columns(matrix.size(1))
{
    const std::int64_t whole = wholePanels(m_columns);
    m_panels = at::constant_pad_nd(matrix, {0, whole - m_columns})
                   .view({m_rows, whole / kPanelColumns, kPanelColumns})
                   .transpose(0, 1)
                   .contiguous();
}

WeightGradient::WeightGradient(std::int64_t rows, std::int64_t columns, const at::TensorOptions& options)
    : m_sum(at::zeros({rows, columns}, options))
{}

void WeightGradient::add(const at::Tensor& left, const at::Tensor& right)
{
    if (left.numel() == 0 || right.numel() == 0)
        return;
    const at::Tensor g = left.reshape({-1, left.size(-1)}), x = right.reshape({-1, right.size(-1)});
    const at::Tensor product = linalg::gradientOfWeight(g, x, linalg::multiplierForWeight(g, x));
    if (std::exchange(m_isStarted, true))
        m_sum.add_(product);
    else
        m_sum = product;
}

void WeightGradient::addBeforeSteps(const at::Tensor& left, const at::Tensor& states, const at::Tensor& initial,
                                    bool reverse)
{
    const std::int64_t steps = states.size(0);
    if (steps == 0)
        return;
    const std::int64_t later = reverse ? 0 : 1, earlier = 1 - later;
    if (initial.defined())
        add(left.select(0, reverse ? steps - 1 : 0), initial);
    add(left.narrow(0, later, steps - 1), states.narrow(0, earlier, steps - 1));
}

} // namespace unroll::kernels
