// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/masked_output.h"
#include "core/model/block.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace unroll::nodes {

/// What a recurrent cell gives at masked steps, by its parameter masked_output (maskedOutputParam in spec_parts.h): 0;
/// what it gave at the last real step before, as Keras's RNN does; or what is read from the state that is held.
class MaskedOutput {
public:
    explicit MaskedOutput(const BlockSetup& setup);

    bool reads() const { return m_rule == MaskedRule::Read; }

    /// y [T, B, directions width], at masked steps as read from the held state where `reads()`, else any numbers; mask
    /// [T, B], or undefined. Held are outputs of this pass: before its first real step they are 0. The second direction
    /// holds what its walk, from the last step on, came by before.
    at::Tensor of(const at::Tensor& y, const at::Tensor& mask, std::int64_t directions = 1) const;
    bool isZero() const { return m_rule == MaskedRule::Zero; }
    /// The same of y that is 0 at masked steps already, as kernels give it, where it is not read there.
    at::Tensor ofZeroed(const at::Tensor& y, const at::Tensor& mask, std::int64_t directions = 1) const;

private:
    MaskedRule m_rule;
};

} // namespace unroll::nodes
