// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/delta_block.h"

namespace unroll::nodes::delta_product {

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<DeltaBlock>(setup, DeltaKind{.products = true, .gated = true});
}

} // namespace unroll::nodes::delta_product
