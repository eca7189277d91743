// SPDX-License-Identifier: GPL-3.0-or-later
// What sources of labelled sequences are opened with.
#pragma once

#include "core/block/source.h"
#include "core/data/labelled_dataset.h"
#include "core/data/learned_data.h"

namespace unroll::nodes {

inline LabelledSplit labelledSplit(const SourceSetup& setup)
{
    return {.byOrder = setup.text("split") == "order",
            .validationFraction = setup.real("validation_fraction"),
            .testFraction = setup.real("test_fraction"),
            .seed = static_cast<uint64_t>(setup.integer("split_seed")),
            .toTrain = setup.toTrain};
}

} // namespace unroll::nodes
