// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"

#include <ATen/core/Tensor.h>

#include <initializer_list>
#include <optional>

namespace unroll::nodes {

/// The tensor at a port that holds one; undefined when the port is free.
inline at::Tensor only(const Value& value)
{
    return value.empty() ? at::Tensor() : value.front();
}

inline std::optional<at::Tensor> whereDefined(const at::Tensor& tensor)
{
    return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

/// What a block with one signal, its output y, gives back.
inline std::vector<Value> onlyOutput(const PassContext& context, at::Tensor y)
{
    if (context.wants("y"))
        context.show("y", y);
    return {{std::move(y)}};
}

/// Whether an editor changes one of the block's own signals; the block then computes by its formulas alone. All are
/// asked for, so that the editor learns what can be changed. Throws where the pass is not of one unmasked step: later
/// steps depend on the signals.
bool editsAny(const PassContext& context, std::initializer_list<const char*> signals, const at::Tensor& x,
              const at::Tensor& mask);

/// A dropout mask: 0 with probability `rate`, else 1 / (1 - rate). Drawn from the pass's own generator.
at::Tensor dropoutMask(const PassContext& context, at::IntArrayRef sizes, const at::Tensor& like, double rate);

} // namespace unroll::nodes
