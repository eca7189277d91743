// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/corpus_script.h"

namespace unroll {

/// Says one fable: a title, an opening, some sentences, an ending with its moral, and an empty line. Fables are
/// independent of each other. Every loop and every nesting is bounded.
void tellFable(Script& script);

} // namespace unroll
