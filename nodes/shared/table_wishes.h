// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters of nodes/shared/table_format.h as a reader of tables takes them.
#pragma once

#include "core/block/source.h"
#include "core/data/table_format.h"

namespace unroll::nodes {

/// Of any table.
inline TableWishes layoutWishes(const SourceSetup& setup)
{
    return {.delimiter = setup.text("delimiter"),
            .headerRows = setup.text("header_rows"),
            .skipRows = setup.text("skip_rows"),
            .quote = setup.text("quote"),
            .encoding = setup.text("encoding")};
}

/// Of a table of numbers.
inline TableWishes tableWishes(const SourceSetup& setup)
{
    TableWishes wishes = layoutWishes(setup);
    wishes.decimal = setup.text("decimal");
    wishes.thousands = setup.text("thousands");
    wishes.comment = setup.text("comment");
    wishes.missing = setup.text("missing");
    return wishes;
}

} // namespace unroll::nodes
