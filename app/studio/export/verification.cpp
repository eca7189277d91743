// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/export/verification.h"

#include "app/studio/run/end_with_studio.h"

#include "core/export/python_program.h"

#include <QDir>
#include <QStandardPaths>
#include <utility>

namespace unroll {

QString findPython()
{
    if (const std::string beside = pythonBesideTorch(); !beside.empty())
        return QString::fromStdString(beside);
    const QString python = QStandardPaths::findExecutable("python3");
    return python.isEmpty() ? QStandardPaths::findExecutable("python") : python;
}

Verification::Verification(QString python, QObject* parent) : QObject(parent), m_python(std::move(python))
{
    endWithStudio(m_process);
    connect(&m_process, &QProcess::finished, this, &Verification::judge);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            Q_EMIT ended(Verdict::NotRun, tr("%1 cannot be started: %2").arg(m_python, m_process.errorString()));
    });
}

/// Killing it is not news to anybody.
Verification::~Verification()
{
    m_process.disconnect(this);
    m_process.kill();
    m_process.waitForFinished(1000);
}

void Verification::start(const QString& folder)
{
    m_stopped = false;
    if (m_python.isEmpty()) {
        Q_EMIT ended(Verdict::NotRun,
                     tr("No Python was found. Install Python 3 and torch (sudo apt install python3-pip; "
                        "pip install torch), then verify again."));
        return;
    }
    m_process.setWorkingDirectory(folder);
    m_process.start(m_python, {QDir(folder).filePath("model.py"), "--verify"}, QIODevice::ReadOnly);
}

void Verification::stop()
{
    m_stopped = isRunning();
    m_process.kill();
}

void Verification::judge()
{
    const QString said = QString::fromUtf8(m_process.readAllStandardOutput()).trimmed();
    const bool whole = m_process.exitStatus() == QProcess::NormalExit;
    if (m_stopped)
        Q_EMIT ended(Verdict::Stopped, {});
    else if (whole && m_process.exitCode() == 0)
        Q_EMIT ended(Verdict::Same, said);
    else if (whole && said.contains("FAILED"))
        Q_EMIT ended(Verdict::Different, said);
    else
        explain(QString::fromUtf8(m_process.readAllStandardError()).trimmed());
}

/// The last line of what Python complains about says it.
void Verification::explain(const QString& errors)
{
    if (errors.contains("No module named 'torch'"))
        Q_EMIT ended(
            Verdict::NotRun,
            tr("This Python has no torch. Install it, then verify again: %1 -m pip install torch").arg(m_python));
    else
        Q_EMIT ended(Verdict::NotRun, tr("%1 ended without results. %2").arg(m_python, errors.section('\n', -1)));
}

} // namespace unroll
