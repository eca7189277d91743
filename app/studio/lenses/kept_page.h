// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/figure/figure_view.h"
#include "app/studio/frames/training_time.h"
#include "app/studio/lenses/figure_save_button.h"
#include "app/studio/theme/empty_state.h"

#include <QStackedWidget>
#include <optional>

namespace unroll {

class ReadingCursor;

/// What a lens showed when it was kept, in the place of its live view: the figure of one update, or a strip of several;
/// or why there is none.
class KeptPage : public QStackedWidget {
    Q_OBJECT
public:
    KeptPage(TrainingTime& time, const Appearance& appearance, ReadingCursor& cursor, QWidget* parent = nullptr);

    /// Of this query from now on; nothing: nothing is asked, since no signal is chosen.
    void setQuery(std::optional<LensQuery> query);
    bool isEmpty() const { return currentIndex() != 1; }
    bool waits() const { return m_waits; }       ///< for frames from the disk
    FigureView& view() const { return *m_view; } ///< once the page was seen
    ShownFigure shown() const;                   ///< without a figure: a reason is shown

    /// "Update 1,200", and where that is not the one that was wished which one that was.
    static QString updateText(std::int64_t shown, std::int64_t wished);
    /// Why nothing of it can be seen at an update.
    static QString reasonForNone(const LensQuery& query);

Q_SIGNALS:
    void drawn(); ///< something else is shown

protected:
    void showEvent(QShowEvent* event) override;

private:
    void make();
    void join();
    void refresh();
    void take(const Result<TrainingTime::Frames>& frames, bool strip);
    void showReason(const QString& sentence);
    void share();

    TrainingTime& m_time;
    const Appearance& m_appearance;
    ReadingCursor& m_cursor;
    std::optional<LensQuery> m_query;
    EmptyState* m_empty = nullptr; ///< with the next two: null until the page is seen
    QLabel* m_words = nullptr;
    FigureView* m_view = nullptr;
    bool m_strip = false;    ///< is what is drawn
    bool m_waits = false;    ///< for frames from the disk
    std::int64_t m_step = 0; ///< of what is drawn, the newest of a strip
};

} // namespace unroll
