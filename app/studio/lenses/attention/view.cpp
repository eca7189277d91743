// SPDX-License-Identifier: GPL-3.0-or-later
// The general view, which opens on a signal that the lens can show.
#include "app/studio/lenses/figure_lens_view.h"

namespace unroll::lenses::attention {

LensView* makeView(const LensDesk& desk)
{
    auto* view = new FigureLensView("attention", desk);
    view->picker().preferKind(SignalKind::Attention);
    return view;
}

} // namespace unroll::lenses::attention
