// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/run/cli_process.h"

#include "app/studio/run/end_with_studio.h"
#include "app/studio/run/run_elsewhere.h"

#include <QCoreApplication>
#include <QTimer>
#include <utility>

namespace unroll {

namespace {

constexpr int kCliInterrupted = 130; ///< its exit code, as app/study says it
constexpr int kStopMilliseconds = 2000;
constexpr const char* kLeft = "leftProcess"; ///< object name of one that nobody follows any more

/// Those that have not ended when the program does.
void endLeft()
{
    for (QProcess* left : qApp->findChildren<QProcess*>(kLeft, Qt::FindDirectChildrenOnly)) {
        const std::unique_ptr<QProcess> process(left);
        process->disconnect();
        if (!process->waitForFinished(kStopMilliseconds)) {
            process->kill();
            process->waitForFinished(kStopMilliseconds);
        }
    }
}

/// Asks a running process to stop, kills it where that takes long, and waits for neither.
void letEnd(std::unique_ptr<QProcess> running)
{
    static const bool once = (qAddPostRoutine(&endLeft), true);
    Q_UNUSED(once);
    QProcess* const process = running.release();
    process->setObjectName(kLeft);
    process->setParent(qApp);
    QObject::connect(process, &QProcess::stateChanged, process, [process](QProcess::ProcessState state) {
        if (state == QProcess::NotRunning)
            process->deleteLater();
    });
    QTimer::singleShot(kStopMilliseconds, process, [process] { process->kill(); });
    process->terminate();
}

} // namespace

CliProcess::CliProcess(QObject* parent) : QObject(parent)
{
    endWithStudio(*m_process);
    connect(m_process.get(), &QProcess::readyReadStandardOutput, this, &CliProcess::read);
    connect(m_process.get(), &QProcess::finished, this, &CliProcess::end);
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            Q_EMIT ended(
                {CliEnd::Kind::NotStarted, tr("%1 cannot be started: %2.").arg(m_program, m_process->errorString())});
    });
}

CliProcess::~CliProcess()
{
    m_process->disconnect(this);
    if (isRunning())
        letEnd(std::move(m_process));
}

void CliProcess::start(const QString& program, const QStringList& words)
{
    m_program = program.isEmpty() ? cliProgram() : program;
    m_isStopping = false;
    m_line.clear();
    m_process->start(m_program, words, QIODevice::ReadOnly);
}

void CliProcess::stop()
{
    if (!isRunning() || std::exchange(m_isStopping, true))
        return;
    m_process->terminate();
}

void CliProcess::read()
{
    m_line += m_process->readAllStandardOutput();
    for (qsizetype end = m_line.indexOf('\n'); end >= 0; end = m_line.indexOf('\n')) {
        const QByteArray line = m_line.left(end);
        m_line.remove(0, end + 1);
        Q_EMIT lineRead(line);
    }
}

void CliProcess::end(int code, QProcess::ExitStatus status)
{
    read();
    const QString said = QString::fromUtf8(m_process->readAllStandardError()).trimmed().section('\n', -1);
    if (m_isStopping || (status == QProcess::NormalExit && (code == 0 || code == kCliInterrupted)))
        Q_EMIT ended({});
    else if (status == QProcess::CrashExit)
        Q_EMIT ended({CliEnd::Kind::Killed, {}});
    else
        Q_EMIT ended({CliEnd::Kind::Failed, said.startsWith("error: ") ? said.mid(7) : said});
}

} // namespace unroll
