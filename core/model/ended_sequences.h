// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Inside of Model::forward: a node that is run step by step, where some sequences are over.

#include "core/model/plan.h"

#include <utility>
#include <vector>

namespace unroll {

/// What a step of a node becomes in sequences that are over, as a block with a mask has it.
class EndedSequences {
public:
    /// real [B], false where a sequence is over.
    EndedSequences(const PlanStep& step, at::Tensor real) : m_step(step), m_real(std::move(real)) {}

    /// The state stays what it was.
    void keepState(std::vector<Value>& made, const Value& before) const;
    /// Outputs are those of `shown`, 0 at a port where it has none.
    void showOutputs(std::vector<Value>& made, const std::vector<Value>& shown) const;

private:
    /// m_real beside values whose sequences lie along `dim`.
    at::Tensor rows(const at::Tensor& like, std::int64_t dim) const;

    const PlanStep& m_step;
    at::Tensor m_real;
};

} // namespace unroll
