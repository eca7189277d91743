// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/study/study_process.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace unroll {

StudyProcess::StudyProcess(QObject* parent) : QObject(parent)
{
    connect(&m_process, &CliProcess::lineRead, this, &StudyProcess::take);
    connect(&m_process, &CliProcess::ended, this, [this](const CliEnd& end) { Q_EMIT ended(troubleOf(end)); });
}

void StudyProcess::start(const QString& program, const QString& file, int workers)
{
    m_failure.clear();
    m_process.start(program, {"study", file, "--workers", QString::number(workers), "--json"});
}

/// What trials have reached is read from the study's file; a failure that a worker tells stands here alone.
void StudyProcess::take(const QByteArray& line)
{
    const QJsonObject said = QJsonDocument::fromJson(line).object();
    if (said["kind"] == "error")
        m_failure = said["failure"].toString();
    else if (said["kind"] == "note")
        Q_EMIT noted(said["text"].toString());
    else if (said["kind"] == "begin" || said["kind"] == "trial")
        Q_EMIT changed();
}

QString StudyProcess::troubleOf(const CliEnd& end) const
{
    switch (end.kind) {
    case CliEnd::Kind::NotStarted: return end.words;
    case CliEnd::Kind::Killed: return tr("The system ended the study. Start continues from its checkpoints.");
    case CliEnd::Kind::Failed: {
        const QString why = end.words.isEmpty() ? m_failure : end.words;
        return why.isEmpty() ? tr("The study stopped; the states of its trials give the reason.")
                             : tr("The study stopped: %1.").arg(why.endsWith('.') ? why.chopped(1) : why);
    }
    default: return {};
    }
}

} // namespace unroll
