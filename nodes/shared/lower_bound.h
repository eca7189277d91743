// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>

#include <cstdint>

namespace unroll::nodes {

/// A forget gate f that never falls below a learned bound l: f = l + (1 - l) sigmoid(a), and the share that is let in,
/// 1 - f = (1 - l) sigmoid(-a), which keeps its digits where f is near 1. HGRN's, Qin et al. 2023, arXiv:2311.04823.
class BoundedGate {
public:
    /// `table` [layers, units], or undefined: l = 0, as in the first layer.
    BoundedGate(const at::Tensor& table, std::int64_t layer)
    {
        if (layer > 0 && table.defined())
            m_bound = at::softmax(table, 0).narrow(0, 1, layer).sum(0);
    }

    at::Tensor kept(const at::Tensor& a) const
    {
        return m_bound.defined() ? m_bound + (1 - m_bound) * at::sigmoid(a) : at::sigmoid(a);
    }

    at::Tensor letIn(const at::Tensor& a) const
    {
        const at::Tensor open = at::sigmoid(a.neg());
        return m_bound.defined() ? (1 - m_bound) * open : open;
    }

private:
    at::Tensor m_bound; ///< [units]: the shares of layers 1 to `layer`, the first one's apart; or undefined
};

} // namespace unroll::nodes
