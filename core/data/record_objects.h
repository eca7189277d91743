// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/records.h"

namespace unroll {

/// The rows of a text of JSON Lines, as readRecords() says; columns stand in the order in which their keys come first.
Result<void> readObjects(std::string_view text, RecordKind kind, Records& records);

/// Whether the text is one JSON list: it has no lines of objects.
bool isJsonList(std::string_view text);

} // namespace unroll
