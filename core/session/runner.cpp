// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/runner.h"

#include "core/session/run_builder.h"

#include <utility>

namespace unroll {

Runner::Runner(Experiment experiment, const BlockRegistry& registry, Builders builders, SessionOptions options,
               MetricQueue& metrics, SnapshotBox& box, Hurry hurry)
    : m_experiment(std::move(experiment)),
      m_registry(registry),
      m_builders(std::move(builders)),
      m_options(std::move(options)),
      m_report(m_experiment, metrics, box),
      m_loop(m_experiment, m_options, m_parts, m_report, std::move(hurry))
{
    if (m_options.ended)
        m_report.view() = *m_options.ended;
}

void Runner::build()
{
    if (m_options.ended)
        return openEnded();
    m_report.setState(RunState::Building);
    Snapshot& view = m_report.view();
    if (auto prepared = prepare(); !prepared) {
        view.failure = prepared.error().text();
        if (!hasErrors(view.problems))
            m_report.problem("build", prepared.error().place, prepared.error().message);
        if (m_parts.ranks)
            m_parts.ranks->group().leave(prepared.error().text());
        m_parts.giveUp();
        m_report.setState(RunState::Failed);
        return;
    }
    view.canGoOn = m_parts.trainer->done() && !m_parts.progress.closing;
    m_report.setState(view.canGoOn ? RunState::Finished : RunState::Paused);
}

Result<void> Runner::prepare()
{
    RunBuilder builder(m_experiment, m_registry, m_builders, m_options, m_parts, m_report, m_loop.checkpoints());
    if (auto built = builder.build(); !built)
        return built;
    m_loop.looks().begin(readingOfText(m_experiment.probeText), m_parts.leads() ? m_options.runFolder : std::string());
    return {};
}

/// It stays the run it was, whether its model can be had or not.
void Runner::openEnded()
{
    if (auto prepared = prepare(); prepared)
        m_report.publish(true);
    else
        giveUpEnded(prepared.error().text());
}

void Runner::giveUpEnded(const std::string& reason)
{
    m_parts.giveUp();
    m_report.view().problems = m_options.ended->problems;
    m_report.view().notOpened = reason;
    m_report.publish(true);
}

void Runner::fail(const std::string& what, const std::string& code)
{
    if (m_options.ended)
        giveUpEnded(what);
    else
        m_loop.fail(what, code);
}

void Runner::folderMoved(const std::string& folder)
{
    if (m_report.view().runFolder.empty())
        return;
    m_options.runFolder = folder;
    m_report.folderMoved(folder);
}

} // namespace unroll
