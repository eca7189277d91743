// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace unroll::nodes {

/// Gathers the wanted ones among a block's signals step by step, [B, width] each, in one walk along time or several,
/// and shows those of all walks side by side, [T, B, walks * width].
class StepSignals {
public:
    StepSignals(const PassContext& context, const std::vector<std::string>& names);

    bool any() const { return !m_wanted.empty(); }
    /// What the signals are at the next step, in the order of the names.
    void add(const std::vector<at::Tensor>& values);
    /// All steps of a walk at once, [T, B, width] each, in the order of time.
    void addWalk(const std::vector<at::Tensor>& values);
    /// All steps of a walk are there; `back`: it began at the last one.
    void endWalk(bool back);
    void show() const;

private:
    struct Wanted {
        std::size_t index; // among the names
        std::string name;
        std::vector<at::Tensor> steps; // of the walk that goes on
        std::vector<at::Tensor> walks; // [T, B, width] each
    };
    const PassContext& m_context;
    std::vector<Wanted> m_wanted;
};

} // namespace unroll::nodes
