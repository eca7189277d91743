// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace unroll {

class Document;

/// Whether numbers are told, to be drawn beside those that came, and not text or labels; false while that is not known.
bool forecasts(const Document& document);

} // namespace unroll
