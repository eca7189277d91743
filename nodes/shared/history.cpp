// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/history.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/cat.h>

namespace unroll::nodes {

History::History(const at::Tensor& x, const at::Tensor& state, const at::Tensor& mask)
    : m_all(at::cat({state.transpose(0, 1), x})), m_reach(state.size(1)), m_steps(x.size(0))
{
    if (!mask.defined())
        return;
    const at::Tensor order = at::argsort(mask.logical_not().to(at::kInt), /*stable=*/true, 0);
    const at::Tensor kept = at::arange(m_reach, order.options()).unsqueeze(1).expand({m_reach, x.size(1)});
    m_real = at::cat({kept, order + m_reach});
    m_passed = mask.cumsum(0) - mask.to(at::kLong);
    m_count = mask.sum(0);
}

at::Tensor History::before(std::int64_t back) const
{
    if (!m_real.defined() || back == 0)
        return m_all.narrow(0, m_reach - back, m_steps);
    return rows(m_passed + (m_reach - back));
}

at::Tensor History::last() const
{
    if (!m_real.defined())
        return m_all.narrow(0, m_steps, m_reach).transpose(0, 1);
    const at::Tensor newest = at::arange(m_reach, m_real.options()).unsqueeze(1) + m_count;
    return rows(newest).transpose(0, 1);
}

/// The real steps at these places in their order, [n, B] -> [n, B, in].
at::Tensor History::rows(const at::Tensor& places) const
{
    const at::Tensor index = m_real.gather(0, places).unsqueeze(-1);
    return m_all.gather(0, index.expand({index.size(0), index.size(1), m_all.size(2)}));
}

} // namespace unroll::nodes
