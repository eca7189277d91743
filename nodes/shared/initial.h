// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"

#include <ATen/core/Tensor.h>

namespace unroll::nodes {

/// Initial weights in the setup's type, drawn from its generator.
at::Tensor uniformWeight(const BlockSetup& setup, at::IntArrayRef sizes, double bound);    ///< U(-bound, bound)
at::Tensor normalWeight(const BlockSetup& setup, at::IntArrayRef sizes, double deviation); ///< N(0, deviation^2)
at::Tensor constantWeight(const BlockSetup& setup, at::IntArrayRef sizes, double value);

} // namespace unroll::nodes
