// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace unroll::nodes {

/// The real steps that lie before each step of a sequence: those of the sequence itself, and before them those that a
/// state has kept.
class History {
public:
    /// x [T, B, in]; state [B, reach, in], the oldest first; mask [T, B], or undefined: every step is real.
    History(const at::Tensor& x, const at::Tensor& state, const at::Tensor& mask);

    /// What came `back` real steps before each step, 0 (the step itself) to reach: [T, B, in]. Masked steps see real
    /// ones before them too.
    at::Tensor before(std::int64_t back) const;
    /// The last real steps, as `state` holds them.
    at::Tensor last() const;

private:
    at::Tensor rows(const at::Tensor& places) const;

    at::Tensor m_all; // [reach + T, B, in]
    std::int64_t m_reach, m_steps;
    at::Tensor m_real;   // [reach + T, B]: rows of m_all, real ones in order; undefined without a mask
    at::Tensor m_passed; // [T, B]: real steps before each
    at::Tensor m_count;  // [B]: all real steps
};

} // namespace unroll::nodes
