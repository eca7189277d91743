// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/lens/spectrum/spectrum.h"
#include "core/model/model.h"

namespace unroll::lenses::spectrum {

/// Eigenvalues of the weights that multiply the state (WeightSpec::recurrent), of each gate and head. Errors: the node
/// has none, or none of which they can be taken.
Result<void> takeWeights(SpectrumData& data, const Model& model);

} // namespace unroll::lenses::spectrum
