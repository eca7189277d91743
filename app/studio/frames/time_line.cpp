// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/frames/time_line.h"

#include "app/studio/frames/training_time.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <algorithm>

namespace unroll {

TimeLine::TimeLine(TrainingTime& time, const Appearance& appearance, QWidget* parent)
    : QToolBar(tr("Training time"), parent),
      m_time(time),
      m_appearance(appearance),
      m_play(new QToolButton),
      m_slider(new QSlider(Qt::Horizontal)),
      m_words(new QLabel),
      m_strip(new QToolButton),
      m_live(new QToolButton)
{
    setObjectName("timeLine");
    setMovable(false);
    setFloatable(false);
    auto* body = new QWidget;
    auto* row = new QHBoxLayout(body);
    row->setContentsMargins(space::m, 0, space::m, 0);
    row->setSpacing(space::s);
    m_play->setObjectName("play");
    m_slider->setObjectName("keptUpdates");
    m_slider->setAccessibleName(tr("Kept updates"));
    m_slider->setToolTip(tr("What lenses showed at each kept update; the right end is live"));
    m_slider->installEventFilter(this);
    m_words->setObjectName("timeText");
    m_words->setProperty("tone", "dim");
    m_strip->setObjectName("strip");
    m_strip->setCheckable(true);
    m_strip->setIcon(appearance.icon("columns"));
    m_strip->setAccessibleName(tr("Updates side by side"));
    m_strip->setToolTip(tr("What each lens showed at eight updates, side by side on one scale"));
    m_live->setObjectName("toggle");
    m_live->setText(tr("live"));
    m_live->setCheckable(true);
    m_live->setAccessibleName(tr("Live"));
    m_live->setToolTip(tr("Show the newest"));
    for (QWidget* part : std::initializer_list<QWidget*>{m_play, m_slider, m_words, m_strip, m_live})
        row->addWidget(part, part == m_slider ? 1 : 0);
    addWidget(body);
    connect(m_play, &QToolButton::clicked, this, [this] { m_time.isPlaying() ? m_time.pause() : m_time.play(); });
    connect(m_slider, &QSlider::valueChanged, this, &TimeLine::chosen);
    connect(m_strip, &QToolButton::clicked, &m_time, &TrainingTime::setStrip);
    connect(m_live, &QToolButton::clicked, this, [this](bool live) {
        if (live || !m_time.hasKept())
            m_time.goLive();
        else
            m_time.goTo(m_time.updates().back());
        refresh();
    });
    connect(&m_time, &TrainingTime::changed, this, &TimeLine::refresh);
    connect(&m_time, &TrainingTime::keptChanged, this, &TimeLine::refresh);
    connect(&m_time, &TrainingTime::playingChanged, this, &TimeLine::showPlaying);
    appearance.follow(*this, [this] { // updates count up all the time: their room does not change
        m_words->setMinimumWidth(m_words->fontMetrics().horizontalAdvance(tr("update %1").arg(countText(1000000))));
    });
    showPlaying();
    refresh();
}

void TimeLine::showPlaying()
{
    const bool plays = m_time.isPlaying();
    m_play->setIcon(m_appearance.icon(plays ? "pause" : "run"));
    m_play->setAccessibleName(plays ? tr("Pause the playback") : tr("Play"));
    m_play->setToolTip(plays ? tr("Stay at this update") : tr("Play what lenses showed from update to update"));
}

void TimeLine::refresh()
{
    const auto& updates = m_time.updates();
    const auto live = static_cast<int>(updates.size());
    int place = live;
    if (m_time.shows() == TrainingTime::Shows::Update) {
        const auto at = std::lower_bound(updates.begin(), updates.end(), m_time.update());
        place = std::min(static_cast<int>(at - updates.begin()), std::max(live - 1, 0));
    }
    {
        const QSignalBlocker quiet(m_slider); // nobody moved it
        m_slider->setRange(0, live);
        m_slider->setPageStep(std::max(1, live / 10));
        m_slider->setValue(place);
    }
    m_live->setChecked(m_time.isLive());
    m_strip->setChecked(m_time.shows() == TrainingTime::Shows::Strip);
    m_words->setText(m_time.isLive()                                ? tr("the newest")
                     : m_time.shows() == TrainingTime::Shows::Strip ? tr("side by side")
                                                                    : tr("update %1").arg(countText(m_time.update())));
    m_slider->setAccessibleDescription(m_words->text());
    setVisible(m_time.hasKept());
}

void TimeLine::chosen(int place)
{
    m_time.pause();
    const auto& updates = m_time.updates();
    if (place >= static_cast<int>(updates.size()))
        m_time.goLive();
    else
        m_time.goTo(updates[static_cast<std::size_t>(place)]);
}

bool TimeLine::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_slider || event->type() != QEvent::KeyPress)
        return QToolBar::eventFilter(watched, event);
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Space: m_time.isPlaying() ? m_time.pause() : m_time.play(); return true;
    case Qt::Key_Escape: m_time.goLive(); return true;
    default: return QToolBar::eventFilter(watched, event);
    }
}

} // namespace unroll
