// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/initial.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

namespace unroll::nodes {

at::Tensor uniformWeight(const BlockSetup& setup, at::IntArrayRef sizes, double bound)
{
    return at::empty(sizes, setup.dtype).uniform_(-bound, bound, setup.init);
}

at::Tensor normalWeight(const BlockSetup& setup, at::IntArrayRef sizes, double deviation)
{
    return at::empty(sizes, setup.dtype).normal_(0, deviation, setup.init);
}

at::Tensor constantWeight(const BlockSetup& setup, at::IntArrayRef sizes, double value)
{
    return at::full(sizes, value, setup.dtype);
}

} // namespace unroll::nodes
