// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/weight_gradient.h"

#include "core/kernels/common/dense_product.h"
#include "core/kernels/common/outer_products.h"
#include "core/kernels/common/parallel_columns.h"
#include "core/kernels/common/tensor_checks.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>

namespace unroll::kernels {
namespace {

/// (..., n) as rows, each contiguous.
at::Tensor asRows(const at::Tensor& tensor)
{
    return withContiguousRows(tensor.reshape({-1, tensor.size(-1)}));
}

template <typename T>
void addProducts(const at::Tensor& left, const at::Tensor& right, at::Tensor& sum, bool begins)
{
    const OuterProducts<T> products{left.const_data_ptr<T>(),
                                    left.stride(0),
                                    left.size(1),
                                    right.const_data_ptr<T>(),
                                    right.stride(0),
                                    right.size(1),
                                    left.size(0),
                                    sum.mutable_data_ptr<T>(),
                                    begins};
    constexpr std::int64_t elements = 4; // a column is a whole row of the sum: threads may take a few, for even shares
    parallelColumns(
        1, left.size(1), left.size(0), [&](ColumnRange columns) { addOuterProducts(products, columns); }, elements);
}

} // namespace

PackedWeight::PackedWeight(const at::Tensor& matrix) : m_rows(matrix.size(0)), m_columns(matrix.size(1))
{
    const std::int64_t whole = wholePanels(m_columns);
    m_panels = at::constant_pad_nd(matrix, {0, whole - m_columns})
                   .view({m_rows, whole / panelColumns, panelColumns})
                   .transpose(0, 1)
                   .contiguous();
}

WeightGradient::WeightGradient(std::int64_t rows, std::int64_t columns, const at::TensorOptions& options)
    : m_columns(columns), m_sum(at::empty({rows, options.device().is_cpu() ? wholePanels(columns) : columns}, options))
{}

void WeightGradient::add(const at::Tensor& left, const at::Tensor& right)
{
    if (libraryForWeights(left, right) != ProductLibrary::Split) {
        addOuterProducts(left, right);
        return;
    }
    const at::Tensor product = gradientOfWeight(asRows(left), asRows(right), ProductLibrary::Split);
    at::Tensor sum = m_sum.narrow(1, 0, m_columns);
    if (m_begun)
        sum.add_(product);
    else
        sum.copy_(product);
    m_begun = true;
}

void WeightGradient::addOuterProducts(const at::Tensor& left, const at::Tensor& right)
{
    if (left.numel() == 0 || right.numel() == 0)
        return;
    const at::Tensor leftRows = asRows(left), rightRows = asRows(right);
    if (!m_sum.is_cpu())
        m_sum.addmm_(leftRows.t(), rightRows, m_begun ? 1 : 0);
    else if (m_sum.scalar_type() == at::kDouble)
        addProducts<double>(leftRows, rightRows, m_sum, !m_begun);
    else
        addProducts<float>(leftRows, rightRows, m_sum, !m_begun);
    m_begun = true;
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

at::Tensor WeightGradient::sum()
{
    if (!m_begun)
        m_sum.zero_();
    return m_sum.narrow(1, 0, m_columns).contiguous();
}

} // namespace unroll::kernels
