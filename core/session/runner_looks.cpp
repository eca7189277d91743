// SPDX-License-Identifier: GPL-3.0-or-later
// Looks at the model while it trains: one forward pass over the probe text answers all open queries.
#include "core/session/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace unroll {

void Runner::ask(std::vector<LensQuery> open)
{
    m_open = std::move(open);
    look();
}

void Runner::setProbeText(const std::string& text)
{
    if (!m_data)
        return;
    takeProbeText(text);
    look();
}

void Runner::takeProbeText(const std::string& text)
{
    m_probeText = makeProbeText(*m_data, text);
    if (!m_probeText.trouble.empty())
        note("the start of the validation text is used as probe text: " + m_probeText.trouble);
}

void Runner::look()
{
    if (m_model && !m_open.empty())
        probeNow();
}

void Runner::probeIfWorthIt()
{
    if (m_open.empty() || !m_box.wasRead() || m_probeSeconds > m_options.lookBudget * m_training.seconds())
        return;
    probeNow();
}

void Runner::probeNow()
{
    Stopwatch watch;
    watch.start();
    takeLook(m_trainer->stepsDone());
    m_probeSeconds += watch.seconds();
    publish(true);
}

/// Forecasts are recorded where a query needs them: what the loss compares is then recorded too.
void Runner::takeLook(std::int64_t step)
{
    const LensNeeds needs = needsOf(m_open);
    ProbeText text = m_probeText;
    if (needs.forecasts)
        text.told = m_compared;
    m_view.frames = framesOf(probe(*m_model, std::move(text), needs.watched, step), m_open);
}

bool Runner::isLookedAt(std::int64_t step) const
{
    return std::equal(
        m_view.frames.begin(), m_view.frames.end(), m_open.begin(), m_open.end(),
        [step](const auto& frame, const LensQuery& query) { return frame->step == step && frame->query == query; });
}

/// Where a run rests or ends its state is that of this step, whatever the budget says: that is when people look. The next snapshot shows it.
void Runner::freshen(std::int64_t step)
{
    if (m_open.empty() || !m_model || m_hurry.session.stop_requested() || isLookedAt(step))
        return;
    try {
        takeLook(step);
    } catch (const std::exception& error) { // torch's too; what ends the run is something else
        const std::string words = error.what();
        note(fmt::format("the state of step {} could not be read: {}", step, words.substr(0, words.find('\n'))));
    }
}

} // namespace unroll
