// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/study/parallel_places.h"

#include <QPixmap>
#include <QWidget>

class QKeyEvent;

namespace unroll {

class Appearance;

/// Trials of a study as lines over an axis for each setting and one for the objective. A drag along an axis brushes a
/// range, a click beside it takes the brush away; a click on a line chooses its trial, a double click opens the run.
/// Keys: left and right go from axis to axis, up and down along one, with Shift they brush; Space chooses, Enter opens
/// the trial that is pointed at; Escape takes away this axis' brush, then all, then the choice.
class ParallelView : public QWidget {
    Q_OBJECT
public:
    explicit ParallelView(const Appearance& appearance, QWidget* parent = nullptr);

    void setPlot(const StudyPlot& plot, const StudyWatch& watch);
    const ParallelPlaces& places() const { return m_places; }
    std::optional<std::size_t> pointed() const { return m_pointed; } ///< by the pointer or the keys: a trial's index
    QString shownText() const;                                       ///< of it; empty: there is none
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void pointedAt(const QString& words);
    void brushed(std::size_t axis, const std::optional<unroll::StudyBrush>& brush); ///< nothing: none any more
    void brushesCleared();
    void chosen(std::optional<std::int64_t> trial);
    void openAsked(std::int64_t trial);
    void shown(const QPoint& at); ///< the keyboard is here: to be seen

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void layOut();
    void point(std::optional<std::size_t> trial);
    void drag(double share);
    void release(double share, bool moved);
    bool handle(const QKeyEvent& key, bool act);
    bool walkAxes(int by, bool act);
    bool walkAlong(int by, bool brushes, bool act);
    bool escape(bool act);
    double stepOf(std::size_t axis) const;
    std::optional<std::size_t> nearestOnAxis(std::size_t axis, double share) const;

    const Appearance& m_appearance;
    StudyPlot m_plot;
    StudyWatch m_watch;
    ParallelPlaces m_places;
    QPixmap m_picture; ///< all but what is pointed at; null: to be drawn
    std::optional<std::size_t> m_pointed;
    struct Press {
        std::size_t axis;
        QPointF at;
        double from;                      ///< the share where it began
        std::optional<StudyBrush> before; ///< moved along, where the hand took hold of it
        bool moved = false;
    };
    std::optional<Press> m_press;
    std::size_t m_axis = 0;         ///< of the keyboard
    double m_at = 1;                ///< its share there
    std::optional<double> m_anchor; ///< where Shift began
};

} // namespace unroll
