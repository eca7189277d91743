// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/remote/channel.h"
#include "core/remote/engine_socket.h"
#include "core/remote/wire_snapshot.h"
#include "core/session/session.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace unroll {

/// Serves a session to a viewer in another process: commands in, rows and snapshots out. One viewer at a time; who
/// comes later takes its place. A viewer that takes its messages slowly gets fewer snapshots and all rows. Nothing here
/// waits but turn(). On the one thread that uses the session.
class SessionHost {
public:
    /// `experiment` as viewers are told of it; `own`: queries that stay open whatever viewers ask. The session must
    /// outlive the host.
    SessionHost(Session& session, const Experiment& experiment, std::string runFolder, std::vector<LensQuery> own = {});

    /// Opens a door for viewers that come later. An error: there is none then.
    Result<void> openDoor();
    /// A viewer that has seen all rows before the step `from`; rows of earlier processes are read from the folder.
    void take(std::unique_ptr<Channel> viewer, std::int64_t from);
    /// Lets viewers in, follows commands, sends what is new. Waits at most so long for something to do.
    void turn(double seconds);
    /// Rows that were taken from the session: they are kept for viewers, and merged when there are very many. Called
    /// after every turn(), also without rows: a snapshot goes after the rows that were there before it.
    void keep(const std::vector<MetricRow>& rows);
    /// The newest of all goes to the viewer, then `failure` (empty: it was not a failure); waits until that is written,
    /// so long at most. Nobody can come any more.
    void end(const std::string& failure, double seconds = 5);

    bool hasViewer() const { return m_viewer != nullptr; }
    /// A viewer has said that the session is to end.
    bool wantsEnd() const { return m_wantsEnd; }
    /// The newest thing that went wrong with a viewer, for a log; empty: nothing.
    const std::string& trouble() const { return m_trouble; }

    static constexpr double kPingSeconds = 5;
    static constexpr double kSilenceSeconds = 60; ///< after which a viewer counts as gone

private:
    /// A command of someone who does not view the run: it is answered once it is done.
    struct Errand {
        std::unique_ptr<Channel> channel;
        std::string command;
        std::int64_t step = 0; ///< at which it came
        bool isAnswered = false;
    };
    void letIn();
    void readWaiting();
    void takeErrand(std::unique_ptr<Channel> channel, const Message& message);
    void answerErrands();
    static bool isDone(const Errand& errand, const Snapshot& snapshot);
    void readViewer();
    void follow(const Message& message);
    void send(const Message& message);
    void sendNews();
    void sendRows();
    void sendSnapshot(const std::shared_ptr<const Snapshot>& snapshot);
    void sendStarted();
    void forgetSent();
    void drop(const std::string& why);
    void mergeRows();

    Session& m_session;
    Json m_experiment;
    std::string m_experimentFolder;
    std::string m_runFolder;
    std::vector<LensQuery> m_own;
    std::vector<MetricRow> m_rows;  ///< of this process
    std::vector<MetricRow> m_older; ///< of earlier ones, for this viewer
    std::size_t m_rowsSent = 0;
    std::unique_ptr<EngineDoor> m_door;
    std::vector<std::unique_ptr<Channel>> m_waiting; ///< have not said yet what they want
    std::vector<Errand> m_errands;
    std::unique_ptr<Channel> m_viewer;
    SnapshotSender m_sender;
    std::shared_ptr<const Snapshot> m_sent;
    std::shared_ptr<const Snapshot> m_next; ///< goes once the rows that came before it are kept and sent
    bool m_nextIsDue = false;               ///< they are
    double m_sentAt = 0, m_heardAt = 0;
    double m_snapshotAt = 0; ///< when the last snapshot went
    std::uint64_t m_heardBytes = 0;
    bool m_wantsEnd = false;
    std::string m_note, m_trouble;
};

} // namespace unroll
