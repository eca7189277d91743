// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/gui/fixture.h"

namespace unroll::test {

/// What of the canvas, of the commands or of the inspector is not as the document says; empty: nothing. Every node with
/// all that its face tells, its place and its ports; every wire with its ends, its type and its shape; the level shown;
/// the selection.
QString differenceFromDocument(Studio& studio);

} // namespace unroll::test
