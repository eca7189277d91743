// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/figure_lens_view.h"

#include <algorithm>
#include <utility>

namespace unroll {

FigureLensView::FigureLensView(const std::string& lens, const LensDesk& desk, QWidget* parent)
    : FigureLensView(lens, desk, new FigureView(desk.appearance), parent)
{}

FigureLensView::FigureLensView(const std::string& lens, const LensDesk& desk, FigureView* view, QWidget* parent)
    : SignalLensView(lens, desk, view, "heat", parent), m_view(view), m_save(new FigureSaveButton(desk.appearance))
{
    addToBar(m_save);
    join();
    share();
}

void FigureLensView::join()
{
    ReadingCursor& cursor = desk().cursor;
    connect(&cursor, &ReadingCursor::changed, this, &FigureLensView::share);
    connect(m_view, &FigureView::stepPointed, &cursor, &ReadingCursor::pointAt);
    connect(m_view, &FigureView::stepHeld, &cursor, &ReadingCursor::hold);
    connect(m_view, &FigureView::released, &cursor, &ReadingCursor::release);
    connect(m_view, &FigureView::spanBrushed, &cursor, &ReadingCursor::setSpan);
    connect(m_view, &FigureView::unitsChosen, this, &FigureLensView::choose);
    connect(m_save, &FigureSaveButton::noted, this, &FigureLensView::noted);
    connect(m_save, &FigureSaveButton::failed, this, &FigureLensView::failed);
}

void FigureLensView::draw(const std::shared_ptr<const LensFrame>& frame)
{
    m_shown = shownFigure(frame);
    m_view->setFigure(m_shown.figure);
    timeShown();
    share();
}

void FigureLensView::timeShown()
{
    const ShownFigure kept = keptFigure();
    m_save->setShown(kept.figure ? kept : m_shown, *m_view);
}

/// Units of another signal are none of what is shown.
void FigureLensView::share()
{
    const ReadingCursor& cursor = desk().cursor;
    m_view->setShared({.step = cursor.step(),
                       .held = cursor.isHeld(),
                       .from = cursor.from(),
                       .to = cursor.to(),
                       .units = isSelectionHere() ? cursor.selection().units : std::vector<std::int64_t>{},
                       .mark = {}});
}

void FigureLensView::choose(std::string node, std::string signal, const std::vector<std::int64_t>& units)
{
    const bool own = node.empty() && signal.empty();
    desk().cursor.select({own ? this->node() : std::move(node), own ? this->signal() : std::move(signal), units});
}

/// Own views come before the general one.
const std::vector<LensViewEntry>& lensViews()
{
    static const std::vector<LensViewEntry> all = [] {
        std::vector<LensViewEntry> views;
        for (const auto& lens : allLenses()) {
            const std::string& id = lens->spec().id;
            const auto& own = ownLensViews();
            const auto found =
                std::find_if(own.begin(), own.end(), [&](const LensViewEntry& entry) { return entry.id == id; });
            views.push_back(found != own.end() ? *found : LensViewEntry{id, [id](const LensDesk& desk) {
                                                                            return new FigureLensView(id, desk);
                                                                        }});
        }
        return views;
    }();
    return all;
}

} // namespace unroll
