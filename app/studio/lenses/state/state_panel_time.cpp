// SPDX-License-Identifier: GPL-3.0-or-later
// The State at an update that was kept: its snapshots come from the run's folder, for each signal the nearest there is.
#include "app/studio/lenses/kept_page.h"
#include "app/studio/lenses/state/state_panel.h"
#include "core/lens/state/state.h"

#include <utility>

namespace unroll {

namespace {

/// The snapshot behind what was kept; null: it is none.
FrameHistory::Frame lookBehind(const KeptFrame& kept)
{
    auto look = lookOf(kept.figure, kept.query, kept.step, kept.of);
    return look ? std::make_shared<const ProbeFrame>(std::move(*look)) : nullptr;
}

} // namespace

void StatePanel::listenToTime()
{
    if (m_desk.time == nullptr)
        return;
    m_pages->addWidget(m_kept = new KeptPage(*m_desk.time, m_desk.appearance, m_desk.cursor));
    connect(m_desk.time, &TrainingTime::changed, this, &StatePanel::showTime);
    connect(m_desk.time, &TrainingTime::keptChanged, this, [this] {
        m_time->setVisible(!m_desk.time->hasKept()); // the window's bar goes through all that was kept
        if (showsUpdate())
            showTime();
    });
}

bool StatePanel::showsUpdate() const
{
    return m_desk.time && m_desk.time->shows() == TrainingTime::Shows::Update;
}

bool StatePanel::showsStrip() const
{
    return m_desk.time && m_desk.time->shows() == TrainingTime::Shows::Strip;
}

void StatePanel::showTime()
{
    if (m_kept == nullptr || !m_desk.time)
        return;
    m_kept->setQuery(m_watched && !m_watched->node.empty() ? std::optional(stateQuery(*m_watched)) : std::nullopt);
    if (!showsUpdate()) {
        leaveUpdate();
        return showEmpty();
    }
    if (!isVisible()) {
        m_dirty = true;
        return;
    }
    m_atUpdate = true;
    m_time->setFollowing(false);
    showKeptOf(*this, m_watched.value_or(WatchedSignal{}),
               [this](const FrameHistory::Frame& frame, const QString& reason) {
                   m_keptReason = reason;
                   if (frame)
                       return showFrame(frame);
                   m_shown.reset();
                   m_stack->first().setFrame({});
                   showEmpty();
               });
    for (SignalSection* section : m_stack->sections())
        showKeptOf(*section, section->watched(), [section](const FrameHistory::Frame& frame, const QString& reason) {
            section->showKept(frame, reason);
        });
}

/// The newest is shown again, where there is one.
void StatePanel::leaveUpdate()
{
    if (!std::exchange(m_atUpdate, false))
        return;
    m_keptReason.clear();
    m_desk.time->forget(*this);
    for (SignalSection* section : m_stack->sections()) {
        m_desk.time->forget(*section);
        section->forget();
    }
    m_shown.reset();
    m_stack->first().setFrame({});
    m_time->setFollowing(true);
    m_dirty = true;
    showIfNeeded();
}

/// `then` gets the look at the update that is nearest, or why there is none.
void StatePanel::showKeptOf(const QObject& asker, const WatchedSignal& watched,
                            const std::function<void(const FrameHistory::Frame&, const QString&)>& then)
{
    const KeptSeries* series = m_desk.time->seriesOf(stateQuery(watched));
    if (series == nullptr || series->frames.empty()) {
        m_desk.time->forget(asker);
        return then(nullptr, KeptPage::reasonForNone(stateQuery(watched)));
    }
    const std::int64_t update = series->frames[nearestFrame(series->frames, m_desk.time->update())].step;
    m_desk.time->fetch(asker, *series, {update}, [this, then](const Result<TrainingTime::Frames>& frames) {
        if (!showsUpdate())
            return;
        if (!frames)
            return then(nullptr, tr("The frame cannot be read. %1").arg(QString::fromStdString(frames.error().text())));
        const KeptFrame& kept = *frames->front();
        const FrameHistory::Frame look = lookBehind(kept);
        then(look, look ? KeptPage::updateText(kept.step, m_desk.time->update())
                        : tr("The frame kept at update %1 is not a State frame.").arg(kept.step));
    });
}

} // namespace unroll
