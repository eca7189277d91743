// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/weight.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

namespace unroll {

/// Initial values of a weight by its spec, part by part, drawn from `random`.
at::Tensor drawInitial(const WeightSpec& spec, at::Generator& random, at::ScalarType dtype);

} // namespace unroll
