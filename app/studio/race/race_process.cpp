// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/race/race_process.h"

namespace unroll {

RaceProcess::RaceProcess(QObject* parent) : QObject(parent)
{
    // What the lines say is in the folder too, so that an ended run is all the news.
    connect(&m_process, &CliProcess::lineRead, this, [this](const QByteArray& line) {
        if (line.contains("\"kind\": \"run\""))
            Q_EMIT changed();
    });
    connect(&m_process, &CliProcess::ended, this, [this](const CliEnd& end) { Q_EMIT ended(troubleOf(end)); });
}

void RaceProcess::start(const QString& program, const QString& folder, int parallel)
{
    m_folder = folder;
    m_process.start(program, {"race", "--out", folder, "--parallel", QString::number(parallel), "--json"});
}

QString RaceProcess::troubleOf(const CliEnd& end)
{
    switch (end.kind) {
    case CliEnd::Kind::NotStarted: return end.words;
    case CliEnd::Kind::Killed: return tr("The system ended the race. Resume continues from its checkpoints.");
    case CliEnd::Kind::Failed:
        return end.words.isEmpty() ? tr("A lane was refused or a run failed; its row in the table gives the reason.")
                                   : tr("The race stopped. %1").arg(end.words);
    default: return {};
    }
}

} // namespace unroll
