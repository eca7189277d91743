// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/study/study_table_model.h"

#include "app/studio/runs/run_order.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/number_text.h"

#include <cmath>
#include <iterator>
#include <utility>

namespace unroll {

namespace {

struct StudyHeading {
    const char* title;
    const char* tip;
};

constexpr StudyHeading kStudyHeadings[] = {
    {QT_TRANSLATE_NOOP("StudyTableModel", "Trial"), ""},
    {QT_TRANSLATE_NOOP("StudyTableModel", "State"), ""},
    {QT_TRANSLATE_NOOP("StudyTableModel", "Objective"), ""}, // its name stands in the file
    {QT_TRANSLATE_NOOP("StudyTableModel", "Last report"),
     QT_TRANSLATE_NOOP("StudyTableModel", "Newest intermediate value: what the pruner compares")},
    {QT_TRANSLATE_NOOP("StudyTableModel", "Step"), ""},
    {QT_TRANSLATE_NOOP("StudyTableModel", "Time"), QT_TRANSLATE_NOOP("StudyTableModel", "Of training")},
    {QT_TRANSLATE_NOOP("StudyTableModel", "Parameters"), ""},
};
static_assert(std::size(kStudyHeadings) == StudyTableModel::FixedCount);

template <class T>
QVariant knownNumber(const std::optional<T>& value)
{
    return value ? QVariant(static_cast<double>(*value)) : QVariant();
}

} // namespace

StudyTableModel::StudyTableModel(const Appearance& appearance, QObject* parent)
    : QAbstractTableModel(parent), m_appearance(appearance)
{}

void StudyTableModel::setPlot(const StudyPlot& plot)
{
    const auto sameAxes = [&] {
        if (m_plot.results() == nullptr || plot.results() == nullptr ||
            m_plot.results()->file != plot.results()->file || m_plot.axisCount() != plot.axisCount())
            return false;
        for (std::size_t axis = 0; axis < plot.axisCount(); ++axis)
            if (plot.title(axis) != m_plot.title(axis))
                return false;
        return true;
    };
    const int before = rowCount();
    const int after = plot.results() != nullptr ? static_cast<int>(plot.results()->trials.size()) : 0;
    const bool stays = sameAxes() && after >= before;
    if (!stays)
        beginResetModel();
    else if (after > before)
        beginInsertRows({}, before, after - 1);
    m_plot = plot;
    m_best = m_plot.results() != nullptr ? m_plot.results()->best() : std::nullopt;
    if (!stays)
        return endResetModel();
    if (after > before)
        endInsertRows();
    if (before > 0)
        Q_EMIT dataChanged(index(0, 0), index(before - 1, columnCount() - 1));
}

int StudyTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_plot.results() == nullptr ? 0 : static_cast<int>(m_plot.results()->trials.size());
}

int StudyTableModel::columnCount(const QModelIndex& parent) const
{
    const std::size_t settings = m_plot.results() != nullptr ? m_plot.results()->axes.size() : 0;
    return parent.isValid() ? 0 : FixedCount + static_cast<int>(settings);
}

QVariant StudyTableModel::value(std::size_t trial, int column) const
{
    const StudyTrial& of = m_plot.results()->trials[trial];
    switch (column) {
    case Trial: return static_cast<qlonglong>(of.number);
    case State: return QString::fromStdString(of.state);
    case Value: return knownNumber(of.value);
    case Report: return knownNumber(of.report);
    case Step: return knownNumber(of.step ? of.step : of.reportStep);
    case Time: return knownNumber(of.seconds);
    case Parameters: return knownNumber(of.parameters);
    default: return knownNumber(of.places[static_cast<std::size_t>(column - FixedCount)]);
    }
}

QString StudyTableModel::text(std::size_t trial, int column) const
{
    const QVariant known = value(trial, column);
    if (!known.isValid())
        return {};
    switch (column) {
    case Trial:
    case State: return known.toString();
    case Value:
    case Report: return QString::number(known.toDouble(), 'g', 5);
    case Step:
    case Parameters: return countText(std::llround(known.toDouble()));
    case Time: return durationText(known.toDouble());
    default: return m_plot.valueText(trial, static_cast<std::size_t>(column - FixedCount));
    }
}

bool StudyTableModel::isKnown(int column) const
{
    for (std::size_t trial = 0; trial < static_cast<std::size_t>(rowCount()); ++trial)
        if (value(trial, column).isValid())
            return true;
    return false;
}

bool StudyTableModel::isOfNumbers(int column) const
{
    return column >= FixedCount ? m_plot.choices(static_cast<std::size_t>(column - FixedCount)).empty()
                                : column != State;
}

QString StudyTableModel::tip(std::size_t trial) const
{
    const StudyTrial& of = m_plot.results()->trials[trial];
    return QString::fromStdString(of.failure.empty() ? of.run.string() : of.failure);
}

QVariant StudyTableModel::data(const QModelIndex& index, int role) const
{
    const auto trial = static_cast<std::size_t>(index.row());
    const int column = index.column();
    const StudyTrial& of = m_plot.results()->trials[trial];
    const bool isBest = m_best == trial;
    switch (role) {
    case Qt::DisplayRole: return text(trial, column);
    case SortRole: return value(trial, column);
    case NumberRole: return static_cast<qlonglong>(of.number);
    case FolderRole: return QString::fromStdString(of.run.string());
    case Qt::ToolTipRole: return isBest && column == Value ? tr("The best trial so far") : tip(trial);
    case Qt::TextAlignmentRole: return isOfNumbers(column) ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::FontRole: return isBest ? QVariant(m_appearance.font(Type::Strong)) : QVariant();
    case Qt::ForegroundRole:
        if (!of.failure.empty() && column == State)
            return m_appearance.theme()[Theme::Role::ErrorText];
        return of.value ? QVariant() : QVariant(m_appearance.theme()[Theme::Role::TextDim]);
    default: return {};
    }
}

QVariant StudyTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical || section < 0 || section >= columnCount())
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((isOfNumbers(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (section >= FixedCount) {
        const QString whole = m_plot.title(static_cast<std::size_t>(section - FixedCount));
        return role == Qt::DisplayRole   ? QVariant(whole.section('.', -1))
               : role == Qt::ToolTipRole ? whole
                                         : QVariant();
    }
    if (role == Qt::DisplayRole)
        return section == Value && m_plot.results() != nullptr ? m_plot.title(m_plot.valueAxis())
                                                               : tr(kStudyHeadings[section].title);
    if (role == Qt::ToolTipRole && section == Value && m_plot.results() != nullptr)
        return m_plot.results()->maximize ? tr("The objective, maximized") : tr("The objective, minimized");
    return role == Qt::ToolTipRole && *kStudyHeadings[section].tip != '\0' ? tr(kStudyHeadings[section].tip)
                                                                           : QVariant();
}

StudyOrder::StudyOrder(StudyTableModel& model, QObject* parent) : QSortFilterProxyModel(parent)
{
    setSourceModel(&model);
    setSortRole(StudyTableModel::SortRole);
}

void StudyOrder::setShown(std::set<std::int64_t> trials)
{
    if (trials == m_shown)
        return;
    m_shown = std::move(trials);
    invalidateFilter();
}

bool StudyOrder::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    return m_shown.contains(sourceModel()->index(row, 0, parent).data(StudyTableModel::NumberRole).toLongLong());
}

bool StudyOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    const QVariant a = left.data(StudyTableModel::SortRole), b = right.data(StudyTableModel::SortRole);
    return sortOrder() == Qt::AscendingOrder ? comesBefore(a, b, sortOrder()) : comesBefore(b, a, sortOrder());
}

} // namespace unroll
