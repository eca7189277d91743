// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/session/run_loop.h"
#include "core/session/run_parts.h"
#include "core/session/run_report.h"
#include "core/session/session.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// One run, as its worker drives it: puts its parts together and hands each command to the one that does it. Lives on
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
    /// Checkpoints what is not on disk yet, for a window that closes.
    void close() { m_loop.close(); }

    /// These two also go on with a run that has ended, where Snapshot::canGoOn; `hurry` is that of Hurry::run from then
    /// on.
    void run(std::stop_token hurry) { m_loop.run(std::move(hurry)); }
    /// Also beyond the steps that were planned.
    void step(std::int64_t count, std::stop_token hurry) { m_loop.step(count, std::move(hurry)); }
    void pause() { m_loop.pause(); }
    void stop() { m_loop.stop(); }
    void setLearningRate(double peak) { m_loop.setLearningRate(peak); }
    void ask(std::vector<LensQuery> open) { m_loop.looks().ask(std::move(open)); }
    void setReading(const ReadingRequest& reading) { m_loop.looks().setReading(reading); }
    void drew(double seconds) { m_loop.looks().drew(seconds); }
    void look() { m_loop.looks().look(); }
    void sample(const SampleRequest& request) { m_loop.sample(request); }
    void checkpoint() { m_loop.checkpoint(); }
    void keepWeights() { m_loop.checkpoints().keepWeights(); }
    void folderMoved(const std::string& folder);

    /// An exception reached the top of the worker: the run ends, the node that ran is named.
    void fail(const std::string& what, const std::string& code);
    /// Before that: takes back an update that was not brought to its end and checkpoints. Throws what torch throws.
    void rescue() { m_loop.rescue(); }

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
