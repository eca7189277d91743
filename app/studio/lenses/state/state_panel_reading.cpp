// SPDX-License-Identifier: GPL-3.0-or-later
// What the State is computed on: the text of the experiment, or what was chosen for all lenses.
#include "app/studio/lenses/state/state_panel.h"
#include "core/lens/state/state.h"

#include <utility>

namespace unroll {

/// The check says whether the data have the characters of the text that was applied.
void StatePanel::showTrouble()
{
    m_probe->setNumbers(m_document.readsNumbers());
    showEmpty();
    const auto summary = m_document.sourceData();
    const QString trouble = summary ? QString::fromStdString(summary->probeTrouble) : QString();
    m_probe->setWrong(trouble);
    m_troubleLabel->setText(tr("%1. The start of the validation text is shown instead.").arg(trouble));
    m_trouble->setVisible(!trouble.isEmpty());
}

/// Whether it is a text, and no place or sample that was chosen for all lenses.
bool StatePanel::readsProbeText() const
{
    const ReadingRequest::From from = m_controller.reading().from;
    return !m_controller.canBeAsked() || from == ReadingRequest::From::Start || from == ReadingRequest::From::Text;
}

/// In the field, while nobody writes there.
void StatePanel::showWhatIsRead()
{
    const bool own = readsProbeText();
    const FrameHistory::Frame frame = stateLook(newest());
    const bool isNamed = frame && !frame->of.empty();
    m_probe->setElsewhere(own       ? QString()
                          : isNamed ? QString::fromStdString(frame->of)
                                    : tr("what was chosen for all lenses"));
    const QString text = own ? QString::fromStdString(m_document.probeText()) : QString();
    if (!m_probe->hasFocus() && m_probe->text() != text)
        m_probe->setText(text);
}

/// The looks so far were at another text. Enter goes back to it from what was chosen elsewhere.
void StatePanel::sendProbeText()
{
    const bool entered = std::exchange(m_probeEntered, false);
    if (!entered && !readsProbeText() && m_probe->text().isEmpty())
        return;
    const bool back = entered && !readsProbeText();
    const std::string text = back && m_probe->text().isEmpty() ? m_document.probeText() : m_probe->text().toStdString();
    if (text == m_document.probeText() && !back)
        return;
    m_histories.clear();
    m_time->setFollowing(true);
    m_document.setProbeText(text);
    m_controller.setReading(readingOfText(text));
    showLooks();
}

} // namespace unroll
