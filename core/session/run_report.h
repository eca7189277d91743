// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/experiment/experiment.h"
#include "core/runs/run_folder.h"
#include "core/session/mailbox.h"
#include "core/session/stopwatch.h"
#include "core/train/trainer.h"

#include <optional>
#include <set>
#include <string>

namespace unroll {

/// What is told of a run, to viewers and in its folder: state, rows, samples, log and troubles. Owns the folder from
/// takeFolder() on. It decides nothing.
class RunReport {
public:
    /// All must outlive the report; `metrics` and `box` are the ways out.
    RunReport(const Experiment& experiment, MetricQueue& metrics, SnapshotBox& box);

    Snapshot& view() { return m_view; } ///< what the next snapshot is copied from
    const Snapshot& view() const { return m_view; }
    RunState state() const { return m_view.state; }
    /// Tells it in the folder, and publishes.
    void setState(RunState state);
    /// A snapshot of the view; not `now`: unless the one before is too new for that.
    void publish(bool now);
    /// Whether a viewer has read the newest snapshot.
    bool wasRead() const { return m_box.wasRead(); }

    /// From here on the run is written; what was noted so far joins its log.
    void takeFolder(RunFolder folder);
    RunFolder* folder() { return m_folder ? &*m_folder : nullptr; } ///< null: nothing is written
    void folderMoved(const std::string& path);

    void startClock() { m_training.start(); }
    void stopClock() { m_training.stop(); }
    double secondsHere() const { return m_training.seconds(); } ///< spent training in this session, pauses left out
    double secondsTrained() const { return m_secondsBefore + m_training.seconds(); } ///< before it was resumed too
    void setSecondsBefore(double seconds) { m_secondsBefore = seconds; }

    /// Begins the row of an update, and sends the one before. It stays open until its evaluation has joined.
    void addRow(const StepReport& report, std::optional<double> loss, std::optional<double> norm);
    /// Takes this one as the open row; it is sent whatever log_every says. Nothing: there is none.
    void setRow(std::optional<MetricRow> row);
    const std::optional<MetricRow>& row() const { return m_row; }
    /// For what joins the open row, which is sent from now on whatever log_every says; null: none is open.
    MetricRow* rowToKeep();
    void sendRow();

    void addSample(const Sample& sample);
    void note(const std::string& line);
    /// `node` as a path of names, "body.2.lstm"; empty: it is not a node's.
    void problem(const std::string& code, const std::string& node, const std::string& sentence,
                 std::optional<Fix> fix = {}, Severity severity = Severity::Error);
    /// Of the run folder: once for each kind of file.
    void tellOnce(const Error& error);
    /// Whether this was not asked of the same words before.
    bool isFirst(const std::string& what) { return m_told.insert(what).second; }

private:
    const Experiment& m_experiment;
    MetricQueue& m_metrics;
    SnapshotBox& m_box;
    Snapshot m_view;
    std::optional<RunFolder> m_folder;
    std::set<std::string> m_told;   ///< troubles of the run folder and limits that were said
    std::optional<MetricRow> m_row; ///< of the newest step
    bool m_rowIsDue = false;        ///< by log_every, or because it was evaluated: else it is dropped
    Stopwatch m_training;
    double m_secondsBefore = 0; ///< trained before this run was resumed
    Throughput m_throughput;
    double m_published = -1; ///< on the clock
};

} // namespace unroll
