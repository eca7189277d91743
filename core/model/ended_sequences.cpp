// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/ended_sequences.h"

#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

namespace unroll {

at::Tensor EndedSequences::rows(const at::Tensor& like, std::int64_t dim) const
{
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(like.dim()), 1);
    sizes[static_cast<std::size_t>(dim)] = m_real.size(0);
    return m_real.view(sizes);
}

void EndedSequences::keepState(std::vector<Value>& made, const Value& before) const
{
    Value& state = made[m_step.stateOutput];
    for (std::size_t j = 0; j < state.size(); ++j) {
        if (!state[j].defined())
            continue;
        const at::Tensor was = before.empty() || !before[j].defined() ? at::zeros_like(state[j]) : before[j];
        TORCH_CHECK(was.sizes() == state[j].sizes(), "the state of ", m_step.node,
                    " grows with the steps, so that it cannot be changed where some sequences are over");
        state[j] = at::where(rows(state[j], 0), state[j], was);
    }
}

void EndedSequences::showOutputs(std::vector<Value>& made, const std::vector<Value>& shown) const
{
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (i == m_step.stateOutput || !comesPerStep(m_step, m_step.spec->outputs[i]))
            continue;
        for (std::size_t j = 0; j < made[i].size(); ++j) {
            at::Tensor& value = made[i][j];
            if (!value.defined())
                continue;
            const bool told = i < shown.size() && j < shown[i].size() && shown[i][j].defined();
            value = at::where(rows(value, 1), value, told ? shown[i][j] : at::zeros_like(value));
        }
    }
}

} // namespace unroll
