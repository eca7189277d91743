// SPDX-License-Identifier: GPL-3.0-or-later
// The torch side of a weight that every step multiplies to the state: packed for the walk on the CPU, and its gradient
// afterwards.
#pragma once

#include "core/kernels/cpu/packed_matrix.h"

#include <ATen/core/Tensor.h>

namespace unroll::kernels {

/// A matrix (rows, columns) of any strides as PackedMatrix holds it.
class PackedWeight {
public:
    PackedWeight() = default;
    explicit PackedWeight(const at::Tensor& matrix);

    template <typename T>
    PackedMatrix<T> view() const
    {
        return m_panels.defined() ? PackedMatrix<T>{m_panels.const_data_ptr<T>(), m_rows, m_columns}
                                  : PackedMatrix<T>{};
    }

private:
    at::Tensor m_panels;
    std::int64_t m_rows = 0, m_columns = 0;
};

/// Sums outer products over all steps and sequences.
class WeightGradient {
public:
    /// Of a weight (rows, columns), fp32 or fp64.
    WeightGradient(std::int64_t rows, std::int64_t columns, const at::TensorOptions& options);

    /// Adds left^T right: left (..., rows), right (..., columns), as many rows of each.
    void add(const at::Tensor& left, const at::Tensor& right);

    /// The same with the state before each step: `states` (T,B,columns) after each step, `initial` (B,columns) or
    /// undefined.
    void addBeforeSteps(const at::Tensor& left, const at::Tensor& states, const at::Tensor& initial, bool reverse);

    /// Zeros where nothing was added.
    at::Tensor sum() const { return m_sum; }

private:
    at::Tensor m_sum;
    bool m_isStarted = false;
};

} // namespace unroll::kernels
