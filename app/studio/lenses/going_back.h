// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/kept_page.h"
#include "app/studio/lenses/lens_view.h"

namespace unroll {

/// Has a view of a lens go back with the training time of its window: what was kept stands in the place of its picture,
/// the choices of the view stay. Belongs to the view.
class GoingBack : public QObject {
    Q_OBJECT
public:
    enum class By {
        Page, ///< updates and the strip
        Strip ///< the strip alone: the view shows an update itself
    };
    /// The time may go before the view does.
    GoingBack(LensView& view, TrainingTime& time, const Appearance& appearance, ReadingCursor& cursor,
              By by = By::Page);

    /// That of a view; null: it has none.
    static GoingBack* of(const LensView& view)
    {
        return view.findChild<GoingBack*>(QString(), Qt::FindDirectChildrenOnly);
    }
    KeptPage& page() const { return *m_page; }

private:
    void follow();
    void ask();

    LensView& m_view;
    TrainingTime& m_time;
    By m_by;
    KeptPage* m_page; ///< the view's pages own it
};

} // namespace unroll
