// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/update_keeping.h"

namespace unroll {

namespace {

void copyInto(at::Tensor& copy, const at::Tensor& tensor)
{
    if (copy.defined() && copy.sizes() == tensor.sizes() && copy.options().type_equal(tensor.options()))
        copy.copy_(tensor);
    else
        copy = tensor.clone();
}

} // namespace

void UpdateKeeping::keep(const Model& model, std::int64_t step)
{
    if (!m_update)
        m_update.emplace();
    const std::vector<Weight>& weights = model.weights();
    m_update->before.resize(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
        copyInto(m_update->before[i], weights[i].tensor.detach());
    m_update->step = step;
}

const LastUpdate* UpdateKeeping::of(std::int64_t step) const
{
    return m_update && m_update->step == step ? &*m_update : nullptr;
}

} // namespace unroll
