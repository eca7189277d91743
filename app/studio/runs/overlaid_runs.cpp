// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/runs/overlaid_runs.h"

#include "core/session/run_record.h"

#include <QFileInfo>

namespace unroll {

namespace {

constexpr std::size_t kMostRows = 8192; // of one run: several are copied at every tick, and a chart has fewer points

} // namespace

OverlaidRuns::OverlaidRuns(RunsModel& model, DiskThread& disk, QObject* parent)
    : QObject(parent), m_model(model), m_disk(disk)
{
    connect(&model, &RunsModel::overlaidChanged, this, &OverlaidRuns::refresh);
}

void OverlaidRuns::refresh()
{
    const std::set<QString>& wanted = m_model.overlaid();
    const std::size_t before = m_read.size();
    std::erase_if(m_read, [&](const auto& entry) { return !wanted.contains(entry.first); });
    if (m_read.size() != before)
        tell();
    for (const QString& folder : wanted) {
        const int row = m_model.rowOf(folder);
        if (row >= 0 && m_read[folder].step != m_model.at(row).step)
            read(folder, m_model.at(row).step);
    }
}

void OverlaidRuns::read(const QString& folder, std::int64_t step)
{
    m_read[folder].step = step;
    m_disk.ask([this, folder](const std::stop_token&) -> DiskThread::Answer {
        auto rows = readRunRows(folder.toStdString(), kMostRows);
        return [this, folder, rows = std::move(rows)] {
            const auto entry = m_read.find(folder);
            if (entry == m_read.end())
                return; // not wanted any more
            if (!rows)
                return Q_EMIT failed(QString::fromStdString(rows.error().text()));
            entry->second.rows = *rows;
            tell();
        };
    });
}

void OverlaidRuns::tell()
{
    std::vector<CurveOverlay> curves;
    for (const auto& [folder, read] : m_read)
        if (const int row = m_model.rowOf(folder); read.rows && row >= 0)
            curves.push_back({QFileInfo(folder).fileName(), folder, *read.rows, m_model.at(row).measures});
    Q_EMIT changed(curves);
}

} // namespace unroll
