// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/session/run_loop.h"
#include "core/session/run_parts.h"
#include "core/session/run_report.h"
#include "core/session/session.h"

#include <string>

namespace unroll {

/// One run, as its worker drives it: puts its parts together, builds, and ends where something is thrown. Lives on
/// the worker thread alone; everything of torch is made and freed there.
class Runner {
public:
    /// `metrics` and `box` are the ways out and must outlive the runner.
    Runner(Experiment experiment, const BlockRegistry& registry, Builders builders, SessionOptions options,
           MetricQueue& metrics, SnapshotBox& box, Hurry hurry);
    Runner(const Runner&) = delete; // its parts know each other
    Runner& operator=(const Runner&) = delete;

    /// Data, device, model, run folder; resumes where asked. A failure ends the run with words.
    void build();
    /// One update with all that is due after it; where it rests, one answer that is owed. Called while wantsWork().
    void advance() { m_loop.wantsWork() ? m_loop.advance() : m_loop.looks().answerOwed(); }
    bool wantsWork() const { return m_loop.wantsWork() || m_loop.looks().owes(); }

    /// The parts that commands are for.
    RunLoop& loop() { return m_loop; }
    RunLooks& looks() { return m_loop.looks(); }
    Checkpointing& checkpoints() { return m_loop.checkpoints(); }
    void folderMoved(const std::string& folder);

    /// An exception reached the top of the worker: the run ends, the node that ran is named. RunLoop::rescue comes
    /// before.
    void fail(const std::string& what, const std::string& code);

private:
    Result<void> prepare();
    void openEnded();
    void giveUpEnded(const std::string& reason);

    Experiment m_experiment;
    const BlockRegistry& m_registry;
    Builders m_builders;
    SessionOptions m_options;
    RunParts m_parts;
    RunReport m_report;
    RunLoop m_loop;
};

} // namespace unroll
