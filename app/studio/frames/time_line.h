// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QSlider>
#include <QToolBar>
#include <QToolButton>

namespace unroll {

class Appearance;
class TrainingTime;

/// The bar of training time of a window: play, a slider through the updates that are kept, whose end is live, what is
/// shown, and a toggle for the strip. Arrows move the slider, Space plays, Escape and End go live. Seen while the run
/// keeps something.
class TimeLine : public QToolBar {
    Q_OBJECT
public:
    TimeLine(TrainingTime& time, const Appearance& appearance, QWidget* parent = nullptr);

    QSlider& slider() const { return *m_slider; }
    QString shownText() const { return m_words->text(); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void showPlaying();
    void chosen(int place);

    TrainingTime& m_time;
    const Appearance& m_appearance;
    QToolButton* m_play;
    QSlider* m_slider;
    QLabel* m_words;
    QToolButton* m_strip;
    QToolButton* m_live;
};

} // namespace unroll
