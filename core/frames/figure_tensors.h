// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/tensor_view.h"
#include "core/lens/figure.h"

#include <vector>

namespace unroll {

/// The figure as tensors: its numbers in pools (number_pools.h), all else as JSON in the tensor "text", where a list
/// of numbers is its place in a pool. Values are kept near enough to be drawn (Nearness::Largest; Relative where their
/// axis is of logarithms), places on an axis and indices as they are; with `exact` all of them.
std::vector<format::OwnedTensor> figureTensors(const Figure& figure, bool exact = false);

/// The figure again. Errors: tensors that are not a figure, lists of different lengths.
Result<Figure> figureFrom(std::vector<format::OwnedTensor> tensors);

} // namespace unroll
