// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/model/model.h"

namespace unroll {

/// A batch as the model takes it, on the device: classes [T, B], numbers [T, B, width], mask [T, B].
ModelInput batchInput(const Batch& batch, at::Device device);

} // namespace unroll
