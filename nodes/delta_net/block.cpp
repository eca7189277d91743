// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/delta_block.h"

namespace unroll::nodes::delta_net {

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<DeltaBlock>(setup, DeltaKind{});
}

} // namespace unroll::nodes::delta_net
