// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/run/cli_process.h"

namespace unroll {

/// Trains what is left of a study: `unroll-cli study FILE`, whose trainings end with it.
class StudyProcess : public QObject {
    Q_OBJECT
public:
    explicit StudyProcess(QObject* parent = nullptr);

    /// Only while none is running. `program`: unroll-cli; empty: the one that is found.
    void start(const QString& program, const QString& file, int workers);
    /// Trainings in progress save their checkpoints and end; ended() comes when they have.
    void stop() { m_process.stop(); }
    bool isRunning() const { return m_process.isRunning(); }
    bool isStopping() const { return m_process.isStopping(); }
    qint64 processId() const { return m_process.processId(); }

Q_SIGNALS:
    void changed();                   ///< a trial has begun or ended
    void noted(const QString& words); ///< something is wrong that stops no training
    /// There is nothing left, it was stopped, or, with a sentence, something went wrong.
    void ended(const QString& trouble);

private:
    void take(const QByteArray& line);
    QString troubleOf(const CliEnd& end) const;

    QString m_failure; ///< that a worker has told
    CliProcess m_process;
};

} // namespace unroll
