// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/runs/column_settings.h"

#include <QSettings>

namespace unroll {

namespace {

QString keyOf(const char* what, RunsModel::Column column)
{
    constexpr const char* words[] = {"name",       "state",      "best", "last", "steps",  "time", "begun",
                                     "experiment", "parameters", "seed", "rate", "device", "size", "note"};
    static_assert(std::size(words) == RunsModel::ColumnCount);
    return QStringLiteral("runs/%1/%2").arg(QLatin1String(what), QLatin1String(words[column]));
}

QString widthKey(RunsModel::Column column)
{
    return keyOf("width", column);
}

} // namespace

std::optional<int> ColumnSettings::width(RunsModel::Column column) const
{
    const int width = m_settings.value(widthKey(column)).toInt();
    return width > 0 ? std::optional(width) : std::nullopt;
}

void ColumnSettings::chooseWidth(RunsModel::Column column, int width)
{
    m_settings.setValue(widthKey(column), width);
}

void ColumnSettings::forgetWidth(RunsModel::Column column)
{
    m_settings.remove(widthKey(column));
}

std::optional<bool> ColumnSettings::isWanted(RunsModel::Column column) const
{
    const QVariant stored = m_settings.value(keyOf("show", column));
    return stored.isValid() ? std::optional(stored.toBool()) : std::nullopt;
}

void ColumnSettings::want(RunsModel::Column column, bool wanted)
{
    m_settings.setValue(keyOf("show", column), wanted);
}

void ColumnSettings::forgetWanted()
{
    m_settings.remove(QStringLiteral("runs/show"));
}

} // namespace unroll
