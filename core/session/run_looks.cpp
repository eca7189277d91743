// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run_looks.h"

#include "core/session/lens_answers.h"

#include <c10/util/Exception.h>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace unroll {

RunLooks::RunLooks(RunParts& parts, RunReport& report, double budget, KeptSummaries kept, std::stop_token end)
    : m_parts(parts),
      m_report(report),
      m_budget(budget),
      m_summaries(report, kept),
      m_end(std::move(end)),
      m_keeping(report, budget)
{}

bool RunLooks::trains() const
{
    return m_report.state() == RunState::Running;
}

bool RunLooks::hasHeavy() const
{
    return std::any_of(m_open.begin(), m_open.end(), [](const Open& open) { return open.heavy; });
}

bool RunLooks::isSharedDue() const
{
    const bool others =
        hasHeavy() || (m_summaries.isFree() && !m_summaries.wanted(m_parts.trainer->stepsDone()).empty());
    return m_budget.isSharedDue(m_report.secondsHere(), others);
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
        const bool needsUpdate = needsOf({query}).update;
        next.push_back({std::move(query), lens != nullptr && lens->spec().heavy, needsUpdate,
                        known == m_open.end() ? nullptr : known->frame});
    }
    m_open = std::move(next);
    if (!m_parts.trainer || m_open.empty())
        return;
    if (trains() && lacksShared() && (!m_budget.isOpen() || isSharedDue()))
        return timeShared();
    if (!trains()) {
        answerAll(m_parts.trainer->stepsDone());
        keepNow(m_parts.trainer->stepsDone());
    }
    show();
    m_report.publish(true);
}

void RunLooks::begin(const ReadingRequest& reading, const std::string& run)
{
    m_summaries.begin(run);
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

const LastUpdate* RunLooks::update() const
{
    return m_updates.of(m_parts.trainer->stepsDone());
}

void RunLooks::beforeUpdate(bool isLast)
{
    const bool isShown = std::any_of(m_open.begin(), m_open.end(), [](const Open& open) { return open.needsUpdate; });
    const bool isKept = m_summaries.isFixed(m_parts.trainer->stepsDone() + 1) || (isLast && m_summaries.keeps());
    if (!isShown)
        m_updates.release();
    if (!std::exchange(m_wantsUpdate, false) && !isShown && !isKept)
        return;
    Stopwatch watch;
    watch.start();
    m_updates.keep(*m_parts.model, m_parts.trainer->stepsDone() + 1);
    m_budget.spent(watch.seconds());
}

/// One thing at a time: an update may come between two.
void RunLooks::lookIfDue()
{
    if (m_summaries.isFixed(m_parts.trainer->stepsDone()))
        summariseAll();
    if (!m_budget.isOpen())
        return;
    const bool isShared = std::any_of(m_open.begin(), m_open.end(), [](const Open& open) { return !open.heavy; });
    if (isShared && (m_report.wasRead() || lacksShared()) && isSharedDue())
        return timeShared();
    const auto found = due();
    if (!found)
        return;
    if (found->needsUpdate && update() == nullptr)
        m_wantsUpdate = true; // and then
    else if (found->open != nullptr)
        timeHeavy(*found->open);
    else
        timeSummary(*found);
}

/// Of each heavy lens what waits longest, what was never answered first; what is not read by anybody need not be
/// answered again.
std::vector<RunLooks::Candidate> RunLooks::candidates()
{
    std::vector<Open*> oldest; // of each lens
    const bool wasRead = m_report.wasRead();
    const auto stepOf = [](const Open& each) { return each.frame ? each.frame->step : -1; };
    for (Open& open : m_open) {
        if (!open.heavy || (open.frame && !wasRead))
            continue;
        const auto same = std::find_if(oldest.begin(), oldest.end(),
                                       [&](const Open* each) { return each->query.lens == open.query.lens; });
        if (same == oldest.end())
            oldest.push_back(&open);
        else if (stepOf(open) < stepOf(**same))
            *same = &open;
    }
    std::stable_partition(oldest.begin(), oldest.end(), [](const Open* open) { return !open->frame; });
    std::vector<Candidate> all;
    for (Open* const open : oldest)
        all.push_back({open->query.lens, open, nullptr, open->needsUpdate});
    if (!m_summaries.isFree())
        return all;
    for (const Lens* lens : m_summaries.wanted(m_parts.trainer->stepsDone()))
        all.push_back({"summary of " + lens->spec().id, nullptr, lens, lens->spec().readsUpdate});
    return all;
}

/// A question that somebody has just asked comes first, as far as it can be paid for soon.
std::optional<RunLooks::Candidate> RunLooks::due()
{
    const double now = m_report.secondsHere();
    std::vector<Candidate> all = candidates();
    for (const Candidate& each : all)
        if (each.open != nullptr && !each.open->frame && m_budget.mayHurry(now, each.who))
            return each;
    std::vector<std::string> names;
    for (const Candidate& each : all)
        names.push_back(each.who);
    const auto place = m_budget.due(now, names);
    return place ? std::optional(std::move(all[*place])) : std::nullopt;
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
    m_report.view().looksPerMinute = m_budget.sharedPerMinute();
    answerShared(m_parts.trainer->stepsDone());
    std::vector<std::shared_ptr<const LensFrame>> frames;
    for (const Open& open : m_open)
        if (!open.heavy)
            frames.push_back(open.frame);
    m_keeping.keep(frames, whenToKeep()); // before it is shown: who sees the last answers sees how many are kept
    show();
    m_report.publish(true);
    m_budget.tookShared(began, watch.seconds());
}

void RunLooks::timeHeavy(Open& open)
{
    const double began = m_report.secondsHere();
    Stopwatch watch;
    watch.start();
    const auto queries = std::count_if(m_open.begin(), m_open.end(), [](const Open& each) { return each.heavy; });
    m_report.view().heavyLooksPerMinute = m_budget.othersPerMinute() / static_cast<double>(queries);
    m_keeping.keep(answerSides(open, m_parts.trainer->stepsDone()), whenToKeep());
    show();
    m_report.publish(true);
    m_budget.took(open.query.lens, began, watch.seconds());
}

void RunLooks::timeSummary(const Candidate& candidate)
{
    const double began = m_report.secondsHere();
    Stopwatch watch;
    watch.start();
    summarise(*candidate.summarised, m_parts.trainer->stepsDone());
    m_budget.took(candidate.who, began, watch.seconds());
}

/// It is none of what training has to do: what goes wrong with it is noted.
void RunLooks::summarise(const Lens& lens, std::int64_t step)
{
    const ProbeFrame nothing{.step = step, .characters = {}, .signalFrames = {}};
    const LensSubject subject{
        nothing, m_parts.model.get(), m_parts.data.get(), nullptr, m_end, &m_summaries.histories(), update()};
    try {
        m_summaries.keep(lens, subject);
    } catch (const c10::AcceleratorError&) {
        throw;                              // nothing more can be computed there
    } catch (const std::exception& error) { // torch's too
        const std::string words = error.what();
        m_summaries.giveUp(lens, words.substr(0, words.find('\n')));
    }
}

void RunLooks::summariseAll()
{
    const std::int64_t step = m_parts.trainer->stepsDone();
    for (const Lens* lens : m_summaries.wanted(step))
        if (!m_end.stop_requested())
            summarise(*lens, step);
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

/// With the same question under other edits: both sides of a comparison are of one step.
std::vector<std::shared_ptr<const LensFrame>> RunLooks::answerSides(const Open& asked, std::int64_t step)
{
    std::vector<std::shared_ptr<const LensFrame>> frames;
    for (Open& open : m_open)
        if (open.heavy && isSameButEdits(open.query, asked.query)) {
            answerHeavy(open, step);
            frames.push_back(open.frame);
        }
    return frames;
}

std::vector<std::shared_ptr<const LensFrame>> RunLooks::answersTo(const std::vector<LensQuery>& queries,
                                                                  std::int64_t step)
{
    return queries.empty() ? std::vector<std::shared_ptr<const LensFrame>>{}
                           : answersOf(*m_parts.model, {m_parts.data.get(), &m_summaries.histories(), update()}, m_text,
                                       queries, step, m_end);
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
    const auto all = owed(step, true);
    const auto asked = std::find_if(all.begin(), all.end(), [](const Open* open) { return !open->frame; });
    answerSides(asked == all.end() ? *all.front() : **asked, step); // what was just asked comes first
    keepNow(step);
    show();
    m_report.publish(true);
}

/// The last update may have ended the training that the snapshot was due in.
FrameKeeping::When RunLooks::whenToKeep() const
{
    return trains() ? FrameKeeping::When::IfDue : FrameKeeping::When::Now;
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
