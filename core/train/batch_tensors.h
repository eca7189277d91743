// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/model/model.h"

namespace unroll {

/// A batch as tensors of a device.
ModelInput tensorsOf(const Batch& batch, at::Device device);

} // namespace unroll
