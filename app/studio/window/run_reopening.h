// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/diagnostic.h"
#include "core/session/run_record.h"

#include <QObject>

namespace unroll {

class MainWindow;
class RunCommands;
struct Experiment;

/// Actions of a window on runs on disk: shows one as it was left, goes on with one from its newest checkpoint, opens
/// the experiment that one trained. Knows beside which run the runs of a document without a file lie.
class RunReopening : public QObject {
    Q_OBJECT
public:
    /// `commands` are those of the run in the window, which outlive it.
    RunReopening(MainWindow& window, const RunCommands& commands);

    /// The run's experiment, in a window that is free for it. Null: it cannot be opened, and this window says why.
    MainWindow* openExperiment(const QString& path);
    /// Shows a run as it ended, in the window that it fits: that window.
    MainWindow* reopen(const RunRecord& record);
    /// Another document takes the place of what a run trained.
    void forgetPlace() { m_place.clear(); }

private:
    void refreshPlace();
    void resumeShown(std::int64_t steps);
    void take(const Experiment& experiment, const QString& folder);
    MainWindow& windowFor(const RunRecord& record);
    bool release(const RunRecord& record);
    void resume(const RunRecord& record);
    void resumeFolder(const QString& folder);
    bool isHeldElsewhere(const QString& run);
    void offerMore(const RunRecord& record);
    void resumeWith(RunRecord record, const std::vector<Fix>& changes);

    MainWindow& m_window;
    QString m_place; ///< where the run lies that the document without a file came from; empty: from none
};

} // namespace unroll
