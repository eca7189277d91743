// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace unroll {

class Document;

/// Whether numbers are predicted (shown beside the actual ones) and not text or labels; false while unknown.
bool forecasts(const Document& document);

} // namespace unroll
