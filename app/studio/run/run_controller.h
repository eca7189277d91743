// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/run/start_run.h"
#include "core/session/run_record.h"

#include <QObject>
#include <QTimer>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

namespace unroll {

/// The one object of a window that talks to a run. Asks it every 33 ms for new metrics and the newest snapshot and
/// passes them on; nothing is posted by the worker. GUI thread only.
class RunController : public QObject {
    Q_OBJECT
public:
    RunController(StartRun start, QObject* parent = nullptr);
    ~RunController() override; ///< ends the run: stop, checkpoint, join

    static constexpr int kTickMilliseconds = 33;

    /// Where runs begin from now on; at first as the constructor was told.
    void setStart(StartRun start) { m_start = std::move(start); }
    /// Shows a run that another process trains, and steers it. Only while no run is in progress here.
    void attach(const Experiment& experiment, std::unique_ptr<Session> session);
    /// The run goes on in its process when this window closes.
    bool outlivesWindow() const;
    /// Trains: begins a run of this experiment when none is in progress, goes on with a paused one.
    void run(const Experiment& experiment, const SessionOptions& options) { step(experiment, options, 0); }
    void step(const Experiment& experiment, const SessionOptions& options, std::int64_t count);
    /// The run has ended here, and goes on from its last step when it is asked to.
    bool canGoOn() const { return m_run && !m_isRecord && m_snapshot->canGoOn; }
    /// Trains it on, with this peak of the learning rate: so many steps, also beyond those planned, or to the end (0).
    /// Only where canGoOn().
    void goOn(double learningRate, std::int64_t steps);
    /// What a run that takes another one's place begins with.
    enum class Weights {
        Drawn, ///< by its seed
        Kept,  ///< those of the run before that fit, by name and shape
    };
    /// Ends the run in progress, saved, and begins one of this experiment at step 0 when it has gone; until then that
    /// is being waited for. `options` is called then: only now is it known which folders are taken.
    void restart(const Experiment& experiment, std::function<SessionOptions()> options, Weights weights);
    /// Shows a run that is on disk as it was left: curves, figures and samples, and what its newest checkpoint holds
    /// once that is read. `shown` is the experiment as the document has it; `checkpoint` as SessionOptions::checkpoint.
    /// Only while no run is in progress.
    void show(const Experiment& shown, const RunRecord& record, const std::string& checkpoint = kNewestCheckpoint);
    /// Goes on with it from its newest checkpoint, likewise; with the learning rate of `shown`.
    void resume(const Experiment& shown, const RunRecord& record, std::int64_t steps = 0);
    /// The run that began last is the one that was here before it: what is kept of that one still counts.
    bool continuesRun() const { return m_continues; }
    /// The folder of a run has another path now; no matter whether it is this one's.
    void folderMoved(const std::string& from, const std::string& to);
    void pause();
    void stop();       ///< also calls off the run that was to follow
    void checkpoint(); ///< now; Snapshot::checkpointed tells when it is on disk
    void setLearningRate(double peak);
    /// Lets go of the folder of a run that has ended: what is shown stays, and nothing more can be asked of it.
    void release();
    /// Ends the run, waiting for it if it is in progress, and knows of none from now on.
    void forget();
    /// What `asker` is shown of every run from now on, in Snapshot::frames; nothing: it asks for nothing more. Kept
    /// between runs, for as long as the asker lives.
    void ask(const QObject& asker, std::optional<LensQuery> query);
    /// What this run and those after it read for their lenses. Who shows another document says what is read of that
    /// one.
    void setReading(const ReadingRequest& reading);
    /// Until it is told: the probe text of the experiment that is trained.
    ReadingRequest reading() const;
    void look(); ///< a snapshot now, also while paused or when the run has ended
    void sample(const std::string& prompt, std::int64_t tokens, const SamplingRule& rule);

    bool isWaitingForNext() const { return m_next.has_value(); } ///< see restart
    bool isUnderWay() const;                                     ///< building, running or paused
    bool isTraining() const;                                     ///< building or running
    /// There is a run that can be probed and sampled: running, or ended with its model available.
    bool canBeAsked() const;
    bool isRecord() const { return m_isRecord; } ///< shown from the disk, see show(): nothing of it is trained here
    RunState state() const { return m_snapshot->state; }
    /// Where the run is written, also before it says so itself; empty: nowhere.
    const std::string& folder() const { return m_snapshot->runFolder.empty() ? m_folder : m_snapshot->runFolder; }
    /// Never null; before the first run an empty one.
    const std::shared_ptr<const Snapshot>& snapshot() const { return m_snapshot; }
    /// The copy that is (or was last) trained; nothing where no run is known.
    const std::optional<Experiment>& experiment() const { return m_experiment; }

Q_SIGNALS:
    void runChanged(); ///< another run, or none: what is shown of the last one is void
    void metricsArrived(const std::vector<MetricRow>& rows);
    void snapshotChanged();
    void stateChanged();                        ///< it is in another state, or can be asked by now, or no more
    void weightsNotKept(const QString& reason); ///< the run that was to begin with them has not started
    void ticked();                              ///< all news of this tick are out: the time to redraw

private:
    struct Next {
        Experiment experiment;
        std::function<SessionOptions()> options;
        Weights weights;
    };
    void begin(const Experiment& experiment, const SessionOptions& options);
    void begin(const Experiment& shown, const Experiment& trained, const SessionOptions& options,
               std::shared_ptr<const Snapshot> first);
    void announce(const Experiment& shown, const Experiment& trained, const SessionOptions& options,
                  std::shared_ptr<const Snapshot> first);
    void follow(std::unique_ptr<Session> run);
    void train(std::int64_t steps);
    void tellRate(double peak);
    void dropRun();
    bool nextMayBegin() const;
    void beginNext();
    void forgetNext();
    void poll();
    void tellDrawn();
    void announceState();
    std::vector<LensQuery> open() const;
    void tellOpen();

    StartRun m_start;
    std::unique_ptr<Session> m_run;
    std::optional<Experiment> m_experiment;
    std::string m_folder; ///< that the run was started with
    bool m_isRecord = false;
    bool m_continues = false;
    double m_rate = 0; ///< peak of the learning rate that the run knows of
    std::optional<Next> m_next;
    std::shared_ptr<const Snapshot> m_snapshot;
    std::pair<RunState, bool> m_announced{RunState::Idle, false};              ///< and whether it could be asked
    std::vector<std::pair<const QObject*, std::optional<LensQuery>>> m_askers; ///< in the order in which they came
    std::optional<ReadingRequest> m_reading; ///< nothing: the probe text of the experiment
    std::uint64_t m_samplesAsked = 0;
    bool m_draws = false;    ///< new frames came with the tick before
    double m_drawnUntil = 0; ///< processor seconds of this thread, up to it
    double m_otherwise = 0;  ///< what a tick without new frames takes
    QTimer m_timer;
    std::jthread m_going; ///< ends a run from the disk that is shown no more
};

} // namespace unroll
