// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run_looks.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace unroll {

RunLooks::RunLooks(RunParts& parts, RunReport& report, double budget, std::stop_token end)
    : m_parts(parts), m_report(report), m_budget(budget), m_end(std::move(end))
{}

void RunLooks::ask(std::vector<LensQuery> open)
{
    m_open = std::move(open);
    look();
}

void RunLooks::setReading(const ReadingRequest& reading)
{
    if (!m_parts.data)
        return;
    take(reading);
    look();
}

void RunLooks::take(const ReadingRequest& reading)
{
    m_text = makeProbeText(*m_parts.data, reading.text);
    if (!m_text.trouble.empty())
        m_report.note("the start of the validation text is used as probe text: " + m_text.trouble);
}

void RunLooks::look()
{
    if (m_parts.trainer && !m_open.empty())
        lookNow();
}

void RunLooks::lookIfWorthIt()
{
    if (m_open.empty() || !m_report.wasRead() || m_seconds > m_budget * m_report.secondsHere())
        return;
    lookNow();
}

void RunLooks::lookNow()
{
    Stopwatch watch;
    watch.start();
    takeLook(m_parts.trainer->stepsDone());
    m_seconds += watch.seconds();
    m_report.publish(true);
}

/// Forecasts are recorded where a query needs them: what the loss compares is then recorded too.
void RunLooks::takeLook(std::int64_t step)
{
    const LensNeeds needs = needsOf(m_open);
    ProbeText text = m_text;
    if (needs.forecasts)
        text.told = m_parts.compared;
    const ProbeFrame look = probe(*m_parts.model, text, needs.watched, step);
    m_report.view().frames = framesOf({look, m_parts.model.get(), m_parts.data.get(), &text, m_end}, m_open);
}

bool RunLooks::isTaken(std::int64_t step) const
{
    const auto& frames = m_report.view().frames;
    return std::equal(
        frames.begin(), frames.end(), m_open.begin(), m_open.end(),
        [step](const auto& frame, const LensQuery& query) { return frame->step == step && frame->query == query; });
}

void RunLooks::freshen(std::int64_t step)
{
    if (m_open.empty() || !m_parts.model || m_end.stop_requested() || isTaken(step))
        return;
    try {
        takeLook(step);
    } catch (const std::exception& error) { // torch's too; what ends the run is something else
        const std::string words = error.what();
        m_report.note(
            fmt::format("the state of step {} could not be read: {}", step, words.substr(0, words.find('\n'))));
    }
}

} // namespace unroll
