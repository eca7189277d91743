// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/runs/column_widths.h"

#include <QSettings>

namespace unroll {

namespace {

QString keyOf(RunsModel::Column column)
{
    constexpr const char* words[] = {"name", "state", "best",   "last", "steps",
                                     "time", "begun", "device", "size", "note"};
    static_assert(std::size(words) == RunsModel::ColumnCount);
    return QStringLiteral("runs/width/%1").arg(QLatin1String(words[column]));
}

} // namespace

std::optional<int> ColumnWidths::of(RunsModel::Column column) const
{
    const int width = m_settings.value(keyOf(column)).toInt();
    return width > 0 ? std::optional(width) : std::nullopt;
}

void ColumnWidths::choose(RunsModel::Column column, int width)
{
    m_settings.setValue(keyOf(column), width);
}

void ColumnWidths::forget(RunsModel::Column column)
{
    m_settings.remove(keyOf(column));
}

} // namespace unroll
