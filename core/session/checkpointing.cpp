// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/checkpointing.h"

#include "core/train/checkpoint.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace unroll {

namespace {

constexpr std::size_t kCheckpointsKept = 3; ///< beside the best

} // namespace

Checkpointing::Checkpointing(const Experiment& experiment, const SessionOptions& options, RunParts& parts,
                             RunReport& report)
    : m_experiment(experiment), m_options(options), m_parts(parts), m_report(report)
{}

RunProgress Checkpointing::progress() const
{
    const TrainerState state = m_parts.trainer->state();
    RunProgress result = m_parts.progress;
    result.step = state.step;
    result.tokens = state.tokens;
    result.seconds = m_report.secondsTrained();
    result.peakLearningRate = state.peakLearningRate;
    result.plan = state.plan;
    result.learningRate = m_experiment.training.learningRate;
    result.streams = state.streams;
    return result;
}

Result<void> Checkpointing::write(RunCheckpoints& checkpoints, const TrainerState& state)
{
    auto folder = checkpoints.begin(state.step);
    if (!folder)
        return tl::unexpected(folder.error());
    if (auto written = writeCheckpoint(folder->string(), *m_parts.model, *m_parts.trainer, progress(), state); !written)
        return written;
    return checkpoints.finish(state.step, kCheckpointsKept);
}

bool Checkpointing::isDue() const
{
    return m_report.folder() != nullptr && m_report.view().checkpointed != m_parts.trainer->stepsDone();
}

void Checkpointing::save()
{
    if (!m_parts.ranks) {
        if (isDue())
            saveAs(m_parts.trainer->state());
        return;
    }
    if (!m_parts.ranks->decide(isDue())) // what rank 0 lacks
        return;
    const TrainerState whole = m_parts.trainer->wholeState();
    if (m_report.folder() != nullptr)
        saveAs(whole);
    else
        m_report.view().checkpointed = whole.step;
}

void Checkpointing::saveAlone()
{
    if (isDue() && m_parts.trainer->state().carried.empty() && weightThatIsNotFinite(*m_parts.model).empty())
        saveAs(m_parts.trainer->state());
}

void Checkpointing::saveAs(const TrainerState& state)
{
    const std::int64_t step = state.step;
    RunFolder* const folder = m_report.folder();
    m_report.sendRow();
    folder->sync();
    if (auto written = write(folder->checkpoints(), state); written) {
        m_report.view().checkpointed = step;
        m_report.publish(true);
    } else {
        folder->checkpoints().discard(step);
        m_report.tellOnce(written.error());
    }
}

Result<RunProgress> Checkpointing::read(const std::vector<CheckpointPlace>& places)
{
    std::optional<Error> newest; // what is wrong with it
    for (const CheckpointPlace& place : places) {
        auto read =
            readCheckpoint(place.folder.string(), m_experiment.training.learningRate, *m_parts.model, *m_parts.trainer);
        if (read) {
            for (const std::string& line : read->notes)
                m_report.note(line);
            return read->progress;
        }
        if (read.error().isOfAnotherModel) // and so are those before it
            return fail(read.error().message, read.error().place);
        m_report.note("skipped checkpoint: " + read.error().text());
        if (!newest)
            newest = read.error();
    }
    if (newest)
        return tl::unexpected(*newest);
    return fail("has no checkpoint to resume from", m_options.runFolder);
}

void Checkpointing::keepWeights()
{
    Snapshot& view = m_report.view();
    view.keptWeights.reset();
    view.notKept = "the weights can no longer be read";
    const std::string spoilt = m_parts.trainer ? weightThatIsNotFinite(*m_parts.model) : std::string();
    if (!m_parts.trainer) {
        view.notKept = "there are no weights yet";
    } else if (!spoilt.empty()) {
        view.notKept = spoilt + " contains non-finite values";
    } else {
        const std::string run = m_options.runFolder.empty() ? "the previous run" : m_options.runFolder;
        view.keptWeights = std::make_shared<const KeptWeights>(unroll::keepWeights(
            *m_parts.model, fmt::format("{}, step {}", run, m_parts.trainer->stepsDone()), legendOf(*m_parts.data)));
        view.notKept.clear();
    }
    m_report.publish(true);
}

std::string Checkpointing::keptText() const
{
    const std::int64_t step = m_report.view().checkpointed;
    return step >= 0 ? fmt::format("; the checkpoint of step {} was kept", step) : std::string();
}

} // namespace unroll
