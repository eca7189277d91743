// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>

namespace unroll {

/// The Python that runs exported models: the one beside our torch, else the first on PATH; empty where there is none.
QString findPython();

/// Runs an exported model.py with --verify, as a user would: a process of Python's own that computes the golden values
/// again.
class Verification : public QObject {
    Q_OBJECT
public:
    enum class Verdict {
        Same,      ///< within the bounds
        Different, ///< computed, and not the same
        NotRun,    ///< could not be computed: no Python, no torch, no file
        Stopped,   ///< by stop()
    };
    Q_ENUM(Verdict)

    explicit Verification(QString python = findPython(), QObject* parent = nullptr);
    ~Verification() override; ///< ends the process

    void start(const QString& folder); ///< that model.py lies in; only while none is running
    void stop();
    bool isRunning() const { return m_process.state() != QProcess::NotRunning; }

Q_SIGNALS:
    /// `words`: the figures as Python printed them, or what to do.
    void ended(unroll::Verification::Verdict verdict, const QString& words);

private:
    void judge();
    void explain(const QString& errors);

    QString m_python;
    QProcess m_process;
    bool m_stopped = false;
};

} // namespace unroll
