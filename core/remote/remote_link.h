// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/remote/data_files.h"
#include "core/remote/remote_desk.h"
#include "core/remote/remote_session.h"
#include "core/remote/wire_snapshot.h"
#include "core/session/mailbox.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll {

/// What a link is for: a run to begin, or one to attach to.
struct RemoteTask {
    std::string run; ///< to attach to; empty: a run begins
    Experiment experiment;
    SessionOptions options;
    const BlockRegistry* registry = nullptr; ///< of a run that begins
};

/// The thread of a remote session: connects, sends commands, takes rows and snapshots, and connects again.
class RemoteLink {
public:
    /// All references must outlive the link.
    RemoteLink(RemoteTask task, RemotePlace place, RemoteDesk& desk, MetricQueue& metrics, SnapshotBox& box);

    /// Until the session ends (`stop`), or the other side has nothing more to say.
    void serve(const std::stop_token& stop);

private:
    bool connect(const std::stop_token& stop);
    bool greet(const std::stop_token& stop);
    bool open();
    bool begin();
    Result<Message> beginMessage();
    void follow(const std::stop_token& stop);
    void sendCommands();
    void readMessages();
    void hear(const Message& message);
    void hearStarted(const Message& message);
    void hearRows(const Message& message);
    void hearSnapshot(const Message& message);
    void hearBye(const Message& message);
    void sendFile(const std::string& hash);
    void sendPieces();
    void lose(std::string reason);
    void leave();
    void fail(const std::string& failure, const char* code);
    void note(const std::string& line);
    void publish();
    std::string howItEnded();
    void waitToRetry(const std::stop_token& stop);

    RemoteTask m_task;
    RemotePlace m_place;
    RemoteDesk& m_desk;
    MetricQueue& m_metrics;
    SnapshotBox& m_box;
    RemotePipe m_pipe;
    SnapshotReceiver m_receiver;
    Snapshot m_snapshot; ///< as the other side has it
    std::vector<std::string> m_notes;
    std::optional<Diagnostic> m_lost;         ///< of the connection; nothing: it is there
    std::optional<Message> m_open, m_reading; ///< the newest of these commands: said again to a new connection
    std::vector<DataFile> m_files;
    std::vector<std::string> m_wanted; ///< hashes of files still to be sent
    std::uint64_t m_fileAt = 0;
    std::int64_t m_lastStep = -1;       ///< of the rows that came
    std::set<std::string> m_lastValues; ///< names that this step has had
    bool m_joins = false;               ///< rows of this connection may be known from the one before
    double m_heardAt = 0, m_saidAt = 0;
    std::uint64_t m_heardBytes = 0;
    int m_tries = 0;        ///< to connect again
    bool m_greeted = false; ///< this connection
    bool m_told = false;    ///< this connection, what is trained
    bool m_started = false; ///< the run is known there
    bool m_over = false;
};

} // namespace unroll
