// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/run/cli_process.h"

namespace unroll {

/// Trains what is left of a race: `unroll-cli race --out FOLDER`, whose runs end with it.
class RaceProcess : public QObject {
    Q_OBJECT
public:
    explicit RaceProcess(QObject* parent = nullptr);

    /// Only while none is running. `program`: unroll-cli; empty: the one that is found.
    void start(const QString& program, const QString& folder, int parallel);
    /// The runs in progress save their checkpoints and end; ended() comes when they have.
    void stop() { m_process.stop(); }
    bool isRunning() const { return m_process.isRunning(); }
    bool isStopping() const { return m_process.isStopping(); }
    const QString& folder() const { return m_folder; } ///< of the race that was started last

Q_SIGNALS:
    void changed(); ///< a run has ended
    /// There is nothing left, it was stopped, or, with a sentence, something went wrong.
    void ended(const QString& trouble);

private:
    static QString troubleOf(const CliEnd& end);

    QString m_folder;
    CliProcess m_process;
};

} // namespace unroll
