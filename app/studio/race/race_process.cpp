// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/race/race_process.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <utility>

namespace unroll {

namespace {

constexpr int kInterrupted = 130; // as app/study says it

} // namespace

QString findCommandLine()
{
    const QDir here(QCoreApplication::applicationDirPath());
    for (const char* place : {"unroll-cli", "../cli/unroll-cli"})
        if (QFileInfo(here.filePath(place)).isExecutable())
            return QDir::cleanPath(here.filePath(place));
    return {};
}

RaceProcess::RaceProcess(QObject* parent) : QObject(parent)
{
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &RaceProcess::read);
    connect(&m_process, &QProcess::finished, this, &RaceProcess::end);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            Q_EMIT ended(tr("%1 cannot be started: %2.").arg(m_program, m_process.errorString()));
    });
}

RaceProcess::~RaceProcess()
{
    m_process.disconnect(this);
    m_process.kill(); // its runs notice, save and end
    m_process.waitForFinished(1000);
}

void RaceProcess::start(const QString& program, const QString& folder, int parallel)
{
    m_program = program.isEmpty() ? findCommandLine() : program;
    m_folder = folder;
    m_isStopping = false;
    m_line.clear();
    if (m_program.isEmpty()) {
        Q_EMIT ended(tr("unroll-cli, which trains the runs, was not found beside this program."));
        return;
    }
    m_process.start(m_program, {"race", "--out", folder, "--parallel", QString::number(parallel), "--json"},
                    QIODevice::ReadOnly);
}

void RaceProcess::stop()
{
    if (std::exchange(m_isStopping, true) || !isRunning())
        return;
    m_process.terminate();
}

/// A line a row of metrics and a run: what they say is in the folder too, so that an ended run is all the news.
void RaceProcess::read()
{
    m_line += m_process.readAllStandardOutput();
    const qsizetype end = m_line.lastIndexOf('\n');
    if (end < 0)
        return;
    const bool hasEnded = m_line.left(end).contains("\"kind\": \"run\"");
    m_line.remove(0, end + 1);
    if (hasEnded)
        Q_EMIT changed();
}

void RaceProcess::end(int code, QProcess::ExitStatus status)
{
    const QString said = QString::fromUtf8(m_process.readAllStandardError()).trimmed().section('\n', -1);
    if (m_isStopping || (status == QProcess::NormalExit && (code == 0 || code == kInterrupted)))
        Q_EMIT ended({});
    else if (status == QProcess::CrashExit)
        Q_EMIT ended(tr("The system ended the race. Resume continues from its checkpoints."));
    else
        Q_EMIT ended(said.isEmpty() ? tr("A lane was refused or a run failed; its row in the table gives the reason.")
                                    : tr("The race stopped. %1").arg(said.startsWith("error: ") ? said.mid(7) : said));
}

} // namespace unroll
