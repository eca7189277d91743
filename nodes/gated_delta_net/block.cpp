// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/delta_block.h"

namespace unroll::nodes::gated_delta_net {

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<DeltaBlock>(setup, DeltaKind{.gated = true});
}

} // namespace unroll::nodes::gated_delta_net
