// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <memory>

namespace unroll {

/// How a process of unroll-cli ended.
struct CliEnd {
    enum class Kind {
        Done,       ///< nothing is left, or it was stopped
        NotStarted, ///< `words`: why
        Killed,     ///< by the system
        Failed      ///< `words`: what it said last, without "error: "; may be empty
    };
    Kind kind = Kind::Done;
    QString words;
};

/// unroll-cli with a command, as a process of its own. It ends with this program, however that ends: the system then
/// asks it to stop, and runs that it trains save their checkpoints.
class CliProcess : public QObject {
    Q_OBJECT
public:
    explicit CliProcess(QObject* parent = nullptr);
    /// Asks it to stop, and ends it where that takes long, without waiting: at the latest when the program ends. Its
    /// runs see that, save their checkpoints and end by themselves.
    ~CliProcess() override;

    /// Only while none is running. `program`: unroll-cli; empty: cliProgram().
    void start(const QString& program, const QStringList& words);
    /// The runs in progress save their checkpoints and end; ended() comes when they have.
    void stop();
    bool isRunning() const { return m_process->state() != QProcess::NotRunning; }
    bool isStopping() const { return m_isStopping && isRunning(); }
    qint64 processId() const { return m_process->processId(); } ///< 0: none is running

Q_SIGNALS:
    void lineRead(const QByteArray& line); ///< of its output, without the end of the line
    void ended(const unroll::CliEnd& end);

private:
    void read();
    void end(int code, QProcess::ExitStatus status);

    QString m_program;
    std::unique_ptr<QProcess> m_process = std::make_unique<QProcess>();
    QByteArray m_line; ///< that is not whole yet
    bool m_isStopping = false;
};

} // namespace unroll
