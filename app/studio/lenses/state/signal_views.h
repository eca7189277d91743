// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/reading_cursor.h"
#include "app/studio/lenses/state/heat_map_view.h"
#include "app/studio/lenses/state/matrix_view.h"
#include "app/studio/lenses/state/unit_lines.h"
#include "app/studio/lenses/token_text.h"

#include <QStackedWidget>

namespace unroll {

/// How a signal is drawn.
enum class StateDrawing {
    Map,
    Lines, ///< some units
    Text,  ///< coloured by one unit
    Matrix ///< where the signal is of matrices; else the map
};

/// One signal of a snapshot in all its drawings, of which one is seen. The step and the units are those that all views
/// of the reading share.
class SignalViews : public QWidget {
    Q_OBJECT
public:
    SignalViews(const Appearance& appearance, ReadingCursor& cursor, QWidget* parent = nullptr);

    void setFrame(const std::shared_ptr<const ProbeFrame>& frame); ///< its first signal; null: nothing
    void setDrawing(StateDrawing drawing);
    StateDrawing drawing() const { return m_drawing; }
    void setUnitScale(UnitScale scale);
    void showPhase(bool shown);
    void shareSteps(const std::shared_ptr<AxisZoom>& steps);
    void stepsMoved();
    void setLabelled(bool labelled);
    void setLeastHeight(int pixels); ///< 0: what the drawings ask for themselves

    HeatMapView& map() const { return *m_map; }
    UnitLines& lines() const { return *m_lines; }
    TokenText& text() const { return *m_text; }
    MatrixView& matrices() const { return *m_matrices; }
    /// Those that are selected; where none are of this signal, the ones of the largest mean size.
    std::vector<std::int64_t> units() const;
    QString shownText() const; ///< which units are drawn, where it is not all of them

Q_SIGNALS:
    void pointedAt(const QString& words); ///< empty: nothing is
    void stepsChanged();                  ///< what is seen of them, by hand

private:
    void listenTo(HeatMapView& map);
    void follow();
    void select(std::int64_t unit, bool adds);
    void fill();
    void fillText();
    std::vector<std::int64_t> selected() const;
    bool isSelected() const { return !selected().empty(); }
    QString wordsAt(std::int64_t step) const;

    const Appearance& m_appearance;
    ReadingCursor& m_cursor;
    HeatMapView* m_map;
    UnitLines* m_lines;
    TokenText* m_text;
    MatrixView* m_matrices;
    QStackedWidget* m_pages;
    StateDrawing m_drawing = StateDrawing::Map;
    bool m_wasHeld = false;
};

} // namespace unroll
