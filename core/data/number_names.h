// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/table_header.h"

namespace unroll {

/// Where nothing is named yet: the first row of numbers may be names, as years are, or 0 1 2 ...
Result<void> takeNumbersAsNames(std::string_view text, const TableChoices& choices, const Layout& layout,
                                const NumberSigns& signs, TableTop& top);

} // namespace unroll
