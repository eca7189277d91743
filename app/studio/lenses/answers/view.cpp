// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/answers/answers_view.h"

namespace unroll::lenses::answers {

LensView* makeView(const LensDesk& desk)
{
    return new AnswersView(desk);
}

} // namespace unroll::lenses::answers
