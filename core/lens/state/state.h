// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

namespace unroll {

/// One signal as it was read, with the labels of its steps: what a heat map draws.
struct StateData : LensData {
    ProbeFrame look; ///< this one signal alone, no forecasts

    Figure figure() const override;
};

LensQuery stateQuery(const WatchedSignal& watched);

/// What a frame of the State shows; null where it shows nothing.
inline std::shared_ptr<const ProbeFrame> stateLook(const std::shared_ptr<const LensFrame>& frame)
{
    const auto data = dataOf<StateData>(frame);
    return data ? std::shared_ptr<const ProbeFrame>(data, &data->look) : nullptr;
}

} // namespace unroll
