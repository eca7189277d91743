// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/state_panel.h"

namespace unroll::lenses::state {

LensView* makeView(const LensDesk& desk)
{
    return new StatePanel(desk);
}

} // namespace unroll::lenses::state
