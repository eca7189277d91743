// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/import/import_process.h"

#include <utility>

namespace unroll {

ImportProcess::ImportProcess(QObject* parent) : QObject(parent)
{
    connect(&m_process, &CliProcess::lineRead, this, [this](const QByteArray& line) { m_mapping.take(line); });
    connect(&m_process, &CliProcess::ended, this, &ImportProcess::end);
}

void ImportProcess::start(const ImportWish& wish)
{
    m_wish = wish;
    if (!m_process.isRunning())
        return begin();
    m_isStale = true;
    m_process.stop();
}

void ImportProcess::begin()
{
    m_mapping = {};
    QStringList words{"import", m_wish.weights, m_wish.experiment, "--json"};
    if (m_wish.all)
        words << "--all";
    for (const QString& node : m_wish.nodes)
        words << "--node" << node;
    if (!m_wish.out.isEmpty())
        words << "--out" << m_wish.out;
    m_process.start({}, words);
}

void ImportProcess::end(const CliEnd& end)
{
    if (std::exchange(m_isStale, false))
        return begin();
    if (end.kind == CliEnd::Kind::Done && m_mapping.isWhole)
        Q_EMIT done(m_mapping);
    else if (end.kind == CliEnd::Kind::Killed)
        Q_EMIT failed(tr("The system ended the import."));
    else
        Q_EMIT failed(end.words.isEmpty() ? tr("The import ended without an answer.") : end.words);
}

} // namespace unroll
