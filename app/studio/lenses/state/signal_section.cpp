// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/signal_section.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"
#include "core/lens/state/state.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace unroll {

SignalSection::SignalSection(const LensDesk& desk, FrameHistories& histories, QWidget* parent)
    : QWidget(parent),
      m_desk(desk),
      m_histories(histories),
      m_picker(new SignalPicker(desk.document)),
      m_words(new QLabel),
      m_views(new SignalViews(desk.appearance, desk.cursor))
{
    m_words->setProperty("tone", "dim");
    auto* remove = new QToolButton;
    remove->setObjectName("removeSignal");
    remove->setIcon(desk.appearance.icon("close"));
    remove->setAutoRaise(true);
    remove->setAccessibleName(tr("Remove this signal"));
    remove->setToolTip(tr("Remove this signal from the view"));
    auto* head = new QHBoxLayout;
    head->setContentsMargins(space::m, 0, space::m, 0);
    head->setSpacing(space::s);
    head->addWidget(m_picker);
    head->addWidget(m_words, 1);
    head->addWidget(remove);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(m_views, 1);
    connect(remove, &QToolButton::clicked, this, &SignalSection::removeAsked);
    connect(m_picker, &SignalPicker::picked, this, &SignalSection::watch);
    watch();
}

void SignalSection::setRun(std::optional<Graph> graph)
{
    m_picker->setRun(std::move(graph));
}

void SignalSection::watch()
{
    WatchedSignal wanted{m_picker->node(), m_picker->signal()};
    if (wanted == m_watched)
        return;
    m_watched = std::move(wanted);
    const bool any = !m_watched.node.empty() && !m_watched.signal.empty();
    m_desk.controller.ask(*this, any ? std::optional(stateQuery(m_watched)) : std::nullopt);
    forget();
    Q_EMIT picked();
}

void SignalSection::forget()
{
    m_shown.reset();
    m_views->setFrame({});
    showText({});
}

void SignalSection::take()
{
    if (const auto frame = stateLook(m_desk.controller.snapshot()->frameOf(stateQuery(m_watched))))
        m_histories.of(m_watched).add(frame);
}

void SignalSection::showAt(std::optional<std::int64_t> step)
{
    const FrameHistory& kept = m_histories.of(m_watched);
    if (kept.isEmpty())
        return showText(step);
    const FrameHistory::Frame frame = step ? kept.at(kept.nearest(*step)) : kept.newest();
    if (frame != m_shown) {
        m_shown = frame;
        m_views->setFrame(frame);
    }
    showText(step);
}

void SignalSection::showKept(const FrameHistory::Frame& frame, const QString& words)
{
    m_shown = frame;
    m_views->setFrame(frame);
    m_words->setText(words);
}

/// Where the snapshot is not of the step that is held.
void SignalSection::showText(std::optional<std::int64_t> wanted)
{
    m_words->setText(!m_shown                             ? tr("Waiting for the first snapshot")
                     : wanted && *wanted != m_shown->step ? tr("step %1").arg(countText(m_shown->step))
                                                          : QString());
}

} // namespace unroll
