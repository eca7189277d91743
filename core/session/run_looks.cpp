// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run_looks.h"

#include "core/session/lens_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace unroll {

RunLooks::RunLooks(RunParts& parts, RunReport& report, double budget, std::stop_token end)
    : m_parts(parts), m_report(report), m_budget(budget), m_end(std::move(end)), m_keeping(report, budget)
{}

bool RunLooks::trains() const
{
    return m_report.state() == RunState::Running;
}

bool RunLooks::hasHeavy() const
{
    return std::any_of(m_open.begin(), m_open.end(), [](const Open& open) { return open.heavy; });
}

double RunLooks::sharedRate() const
{
    return hasHeavy() ? m_budget / 2 : m_budget;
}

bool RunLooks::lacksShared() const
{
    return std::any_of(m_open.begin(), m_open.end(), [](const Open& open) { return !open.heavy && !open.frame; });
}

/// Answers to queries that stay open stay, too.
void RunLooks::ask(std::vector<LensQuery> open)
{
    std::vector<Open> next;
    for (LensQuery& query : open) {
        const auto known =
            std::find_if(m_open.begin(), m_open.end(), [&](const Open& each) { return each.query == query; });
        const Lens* lens = findLens(query.lens);
        next.push_back(
            {std::move(query), lens != nullptr && lens->spec().heavy, known == m_open.end() ? nullptr : known->frame});
    }
    m_open = std::move(next);
    if (!m_parts.trainer || m_open.empty())
        return;
    if (trains() && lacksShared() && (m_budget <= 0 || m_shared.isDue(m_report.secondsHere(), sharedRate())))
        return timeShared();
    if (!trains()) {
        answerAll(m_parts.trainer->stepsDone());
        keepNow(m_parts.trainer->stepsDone());
    }
    show();
    m_report.publish(true);
}

void RunLooks::begin(const ReadingRequest& reading)
{
    take(reading);
    m_keeping.begin(m_parts.trainer->stepsDone());
}

void RunLooks::setReading(const ReadingRequest& reading)
{
    if (!m_parts.data || !m_parts.model)
        return;
    take(reading);
    look();
}

void RunLooks::take(const ReadingRequest& reading)
{
    m_text = textOf(reading);
    m_keeping.setReading(m_text);
    for (Open& open : m_open)
        open.frame.reset();
    m_report.view().notRead = m_text.trouble;
    if (!m_text.trouble.empty())
        m_report.note("the start of validation is read: " + m_text.trouble);
}

ProbeText RunLooks::textOf(const ReadingRequest& reading)
{
    if (reading.from != ReadingRequest::From::Sample)
        return makeReading(*m_parts.data, reading);
    auto text = written(reading);
    if (text)
        return std::move(*text);
    ProbeText start = makeReading(*m_parts.data, {.length = reading.length});
    start.trouble = text.error().text();
    return start;
}

Result<ProbeText> RunLooks::written(const ReadingRequest& reading)
{
    return writtenReading(*m_parts.model, factsOf(*m_parts.data), reading, m_parts.trainer->stepsDone(), m_end);
}

void RunLooks::look()
{
    if (!m_parts.trainer || m_open.empty())
        return;
    if (trains())
        return timeShared();
    answerAll(m_parts.trainer->stepsDone());
    keepNow(m_parts.trainer->stepsDone());
    show();
    m_report.publish(true);
}

/// One thing at a time: an update may come between two.
void RunLooks::lookIfDue()
{
    if (m_open.empty() || m_budget <= 0)
        return;
    const double now = m_report.secondsHere();
    const bool wasRead = m_report.wasRead();
    const bool isShared = std::any_of(m_open.begin(), m_open.end(), [](const Open& open) { return !open.heavy; });
    if (isShared && (wasRead || lacksShared()) && m_shared.isDue(now, sharedRate()))
        timeShared();
    else if (Open* const open = dueHeavy(now); open != nullptr && (wasRead || !open->frame))
        timeHeavy(*open);
}

/// The lens that waits longest of those whose cost allows it: what was never answered first. One that was never
/// measured waits until those before it are paid for.
RunLooks::Open* RunLooks::dueHeavy(double now)
{
    std::map<std::string, Open*> oldest; // of each lens
    for (Open& open : m_open) {
        if (!open.heavy)
            continue;
        Open*& kept = oldest[open.query.lens];
        const auto stepOf = [](const Open& each) { return each.frame ? each.frame->step : -1; };
        if (kept == nullptr || stepOf(open) < stepOf(*kept))
            kept = &open;
    }
    const double share = m_budget / 2;
    Open* found = nullptr;
    for (const auto& [lens, open] : oldest) {
        const LookClock& own = m_heavy[lens];
        const bool isDue = own.isMeasured() ? own.isDue(now, share / static_cast<double>(oldest.size()))
                                            : m_anyHeavy.isDue(now, share);
        if (isDue && (found == nullptr || (!open->frame && found->frame)))
            found = open;
    }
    return found;
}

std::vector<RunLooks::Open*> RunLooks::owed(std::int64_t step, bool heavy)
{
    std::vector<Open*> found;
    for (Open& open : m_open)
        if (open.heavy == heavy && !isTaken(open, step))
            found.push_back(&open);
    return found;
}

void RunLooks::timeShared()
{
    const double began = m_report.secondsHere();
    Stopwatch watch;
    watch.start();
    m_report.view().looksPerMinute = m_shared.perMinute();
    answerShared(m_parts.trainer->stepsDone());
    show();
    m_report.publish(true);
    std::vector<std::shared_ptr<const LensFrame>> frames;
    for (const Open& open : m_open)
        if (!open.heavy)
            frames.push_back(open.frame);
    m_keeping.keep(frames, FrameKeeping::When::IfDue);
    m_shared.took(began, watch.seconds());
}

void RunLooks::timeHeavy(Open& open)
{
    const double began = m_report.secondsHere();
    Stopwatch watch;
    watch.start();
    const auto queries = std::count_if(m_open.begin(), m_open.end(), [](const Open& each) { return each.heavy; });
    m_report.view().heavyLooksPerMinute = m_anyHeavy.perMinute() / static_cast<double>(queries);
    answerHeavy(open, m_parts.trainer->stepsDone());
    show();
    m_report.publish(true);
    m_keeping.keep({open.frame}, FrameKeeping::When::IfDue);
    m_heavy[open.query.lens].took(began, watch.seconds());
    m_anyHeavy.took(began, watch.seconds());
}

void RunLooks::answerShared(std::int64_t step)
{
    std::vector<LensQuery> queries;
    for (const Open& open : m_open)
        if (!open.heavy)
            queries.push_back(open.query);
    const auto frames = answersTo(queries, step);
    auto frame = frames.begin();
    for (Open& open : m_open)
        if (!open.heavy)
            open.frame = *frame++;
}

void RunLooks::answerHeavy(Open& open, std::int64_t step)
{
    open.frame = answersTo({open.query}, step).front();
}

std::vector<std::shared_ptr<const LensFrame>> RunLooks::answersTo(const std::vector<LensQuery>& queries,
                                                                  std::int64_t step)
{
    return queries.empty() ? std::vector<std::shared_ptr<const LensFrame>>{}
                           : answersOf(*m_parts.model, m_parts.data.get(), m_text, queries, step, m_end);
}

/// What is not of this step: the shared ones now, the heavy ones when nothing else is to be done. After a failure
/// nothing is done by itself.
void RunLooks::answerAll(std::int64_t step)
{
    if (!owed(step, false).empty())
        answerShared(step);
    if (m_report.state() == RunState::Failed)
        for (Open* const open : owed(step, true))
            answerHeavy(*open, step);
}

bool RunLooks::owes() const
{
    const RunState state = m_report.state();
    if (!m_parts.trainer || m_end.stop_requested() || trains() || state == RunState::Failed)
        return false;
    const std::int64_t step = m_parts.trainer->stepsDone();
    return std::any_of(m_open.begin(), m_open.end(),
                       [&](const Open& open) { return open.heavy && !isTaken(open, step); });
}

void RunLooks::answerOwed()
{
    if (!owes())
        return;
    const std::int64_t step = m_parts.trainer->stepsDone();
    answerHeavy(*owed(step, true).front(), step);
    keepNow(step);
    show();
    m_report.publish(true);
}

/// Where the run rests: all that is of this step.
void RunLooks::keepNow(std::int64_t step)
{
    std::vector<std::shared_ptr<const LensFrame>> frames;
    for (const Open& open : m_open)
        if (isTaken(open, step))
            frames.push_back(open.frame);
    m_keeping.keep(frames, FrameKeeping::When::Now);
}

/// When nothing is open any more, the last answers stay on show.
void RunLooks::show()
{
    auto& frames = m_report.view().frames;
    frames.clear();
    for (const Open& open : m_open)
        if (open.frame)
            frames.push_back(open.frame);
}

void RunLooks::freshen(std::int64_t step, Heavy heavy)
{
    if (m_open.empty() || !m_parts.model || m_end.stop_requested())
        return;
    try {
        answerAll(step);
        if (heavy == Heavy::Now)
            for (Open* const open : owed(step, true))
                answerHeavy(*open, step);
        keepNow(step);
        show();
    } catch (const std::exception& error) { // torch's too; what ends the run is something else
        const std::string words = error.what();
        m_report.note(
            fmt::format("the state of step {} could not be read: {}", step, words.substr(0, words.find('\n'))));
    }
}

} // namespace unroll
