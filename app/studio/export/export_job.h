// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export.h"

#include <QObject>
#include <thread>

namespace unroll {

/// Exports on a thread of its own, one export at a time. The registry must outlive it.
class ExportJob : public QObject {
    Q_OBJECT
public:
    ExportJob(const BlockRegistry& registry, Builders builders, QObject* parent = nullptr);
    ~ExportJob() override; ///< cancels, and waits for the current file unless a Python is writing it

    /// Only while none is running.
    void start(const ExportRequest& request);
    void cancel(); ///< no file after the current one is written, nor that one where a Python is writing it
    bool isRunning() const { return m_running; }

Q_SIGNALS:
    void fileStarted(const QString& path);
    void done(const unroll::ExportReport& report);
    void failed(const QString& sentence); ///< with the file or folder that it is about
    void cancelled();

private:
    void work(const std::stop_token& stop, ExportRequest request);
    void finish(const Result<ExportReport>& outcome, bool stopped);

    const BlockRegistry& m_registry;
    const Builders m_builders;
    bool m_running = false; ///< until the outcome was reported
    std::jthread m_thread;  ///< last member: joined before the others go
};

} // namespace unroll
