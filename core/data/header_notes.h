// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/table_header.h"

namespace unroll {

/// What is to be told of the rows above the numbers: what was taken for a part of the header, what was left out, and
/// that there are no names.
void noteHeader(TableTop& top, const TableChoices& choices, const Layout& layout);

/// The sentence for a table without a column of numbers.
std::string noNumbers(const TableChoices& choices, const Layout& layout);

} // namespace unroll
