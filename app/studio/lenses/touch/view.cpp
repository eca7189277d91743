// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/touch/touch_view.h"

namespace unroll::lenses::touch {

LensView* makeView(const LensDesk& desk)
{
    return new TouchView(desk);
}

} // namespace unroll::lenses::touch
