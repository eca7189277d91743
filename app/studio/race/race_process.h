// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>

namespace unroll {

/// unroll-cli beside this program, or where the build tree has it; empty: it is not there.
QString findCommandLine();

/// Trains what is left of a race: `unroll-cli race --out FOLDER` as a process of its own, whose runs end with it.
class RaceProcess : public QObject {
    Q_OBJECT
public:
    explicit RaceProcess(QObject* parent = nullptr);
    /// Ends it. Its runs see that, save their checkpoints and end by themselves.
    ~RaceProcess() override;

    /// Only while none is running. `program`: unroll-cli; empty: the one that is found.
    void start(const QString& program, const QString& folder, int parallel);
    /// The runs in progress save their checkpoints and end; ended() comes when they have.
    void stop();
    bool isRunning() const { return m_process.state() != QProcess::NotRunning; }
    bool isStopping() const { return m_isStopping && isRunning(); }
    const QString& folder() const { return m_folder; } ///< of the race that was started last

Q_SIGNALS:
    void changed(); ///< a run has ended
    /// There is nothing left, it was stopped, or, with a sentence, something went wrong.
    void ended(const QString& trouble);

private:
    void read();
    void end(int code, QProcess::ExitStatus status);

    QString m_program;
    QString m_folder;
    QProcess m_process;
    QByteArray m_line; ///< that is not whole yet
    bool m_isStopping = false;
};

} // namespace unroll
