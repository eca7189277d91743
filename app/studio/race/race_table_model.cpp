// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/race/race_table_model.h"

#include "app/studio/plot/chart_pen.h"
#include "app/studio/runs/run_order.h"
#include "app/studio/runs/run_text.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/number_text.h"

#include <QGuiApplication>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace unroll {

namespace {

constexpr QSize kLaneMark(26, 12); ///< as wide as the longest dash of a curve

struct Heading {
    const char* title;
    const char* tip;
    bool isFigure;
};

constexpr Heading kHeadings[] = {
    {QT_TRANSLATE_NOOP("RaceTableModel", "Lane"), "", false},
    {QT_TRANSLATE_NOOP("RaceTableModel", "Width"),
     QT_TRANSLATE_NOOP("RaceTableModel", "The parameter that was adjusted so that all lanes have the same size"),
     false},
    {QT_TRANSLATE_NOOP("RaceTableModel", "Runs"),
     QT_TRANSLATE_NOOP("RaceTableModel", "Finished runs of all seeds; figures are their means"), false},
    {QT_TRANSLATE_NOOP("RaceTableModel", "Loss"),
     QT_TRANSLATE_NOOP("RaceTableModel",
                       "On the whole validation split if it was evaluated, else at the last validation"),
     true},
    {QT_TRANSLATE_NOOP("RaceTableModel", "95 % interval"),
     QT_TRANSLATE_NOOP("RaceTableModel", "Bootstrap interval of the mean loss over seeds; two seeds or more"), true},
    {QT_TRANSLATE_NOOP("RaceTableModel", "Bits"), QT_TRANSLATE_NOOP("RaceTableModel", "The loss in bits"), true},
    {QT_TRANSLATE_NOOP("RaceTableModel", "Best"),
     QT_TRANSLATE_NOOP("RaceTableModel", "Lowest validation loss during training"), true},
    {QT_TRANSLATE_NOOP("RaceTableModel", "Accuracy"), "", true},
    {QT_TRANSLATE_NOOP("RaceTableModel", "Parameters"), "", true},
    {QT_TRANSLATE_NOOP("RaceTableModel", "State"),
     QT_TRANSLATE_NOOP("RaceTableModel", "Values carried from step to step, per sequence"), true},
    {QT_TRANSLATE_NOOP("RaceTableModel", "FLOPs/token"),
     QT_TRANSLATE_NOOP("RaceTableModel", "Forward and backward, as estimated by the check"), true},
    {QT_TRANSLATE_NOOP("RaceTableModel", "Tokens/s"),
     QT_TRANSLATE_NOOP("RaceTableModel", "Training speed, with whatever else the machine was running"), true},
    {QT_TRANSLATE_NOOP("RaceTableModel", "Memory"),
     QT_TRANSLATE_NOOP("RaceTableModel", "Peak memory of a run's process"), true},
    {QT_TRANSLATE_NOOP("RaceTableModel", "Time"), QT_TRANSLATE_NOOP("RaceTableModel", "Of training"), true},
};
static_assert(std::size(kHeadings) == RaceTableModel::ColumnCount);

QVariant known(const std::optional<double>& value)
{
    return value ? QVariant(*value) : QVariant();
}

/// A figure as a column shows it.
QString cellText(const QVariant& value, int column)
{
    if (!value.isValid())
        return {};
    const double figure = value.toDouble();
    switch (column) {
    case RaceTableModel::Accuracy: return QStringLiteral("%1 %").arg(100 * figure, 0, 'f', 1);
    case RaceTableModel::Parameters:
    case RaceTableModel::State: return countText(std::llround(figure));
    case RaceTableModel::Flops:
    case RaceTableModel::Speed: return scaledText(figure);
    case RaceTableModel::Memory: return bytesText(figure);
    case RaceTableModel::Time: return durationText(figure);
    default: return QString::number(figure, 'f', 4);
    }
}

} // namespace

std::optional<Theme::Role> laneColor(std::size_t lane)
{
    return lane < kOverlayColors.size() ? std::optional(kOverlayColors[lane]) : std::nullopt;
}

RaceTableModel::RaceTableModel(const Appearance& appearance, QObject* parent)
    : QAbstractItemModel(parent), m_appearance(appearance)
{}

void RaceTableModel::setResults(std::shared_ptr<const RaceResults> results)
{
    const auto isAsBefore = [&] {
        return m_results && results && results->folder == m_results->folder && results->race == m_results->race;
    };
    const bool stays = isAsBefore();
    if (!stays)
        beginResetModel();
    m_results = std::move(results);
    m_rows.clear();
    if (m_results)
        for (const RaceLaneResults& lane : m_results->lanes)
            m_rows.push_back(raceRow(lane));
    if (!stays)
        return endResetModel();
    for (int lane = 0; lane < rowCount(); ++lane) {
        const QModelIndex of = index(lane, 0);
        Q_EMIT dataChanged(index(0, 0, of), index(rowCount(of) - 1, ColumnCount - 1, of));
    }
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

QModelIndex RaceTableModel::index(int row, int column, const QModelIndex& parent) const
{
    if (row < 0 || row >= rowCount(parent) || column < 0 || column >= ColumnCount)
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr{0});
}

QModelIndex RaceTableModel::parent(const QModelIndex& index) const
{
    return !index.isValid() || isLane(index) ? QModelIndex()
                                             : createIndex(static_cast<int>(index.internalId()) - 1, 0, quintptr{0});
}

int RaceTableModel::rowCount(const QModelIndex& parent) const
{
    if (!m_results)
        return 0;
    if (!parent.isValid())
        return static_cast<int>(m_rows.size());
    return isLane(parent) && parent.column() == 0 ? static_cast<int>(laneOf(parent).runs.size()) : 0;
}

int RaceTableModel::columnCount(const QModelIndex&) const
{
    return ColumnCount;
}

const RaceLaneResults& RaceTableModel::laneOf(const QModelIndex& index) const
{
    const auto lane = isLane(index) ? static_cast<std::size_t>(index.row()) : index.internalId() - 1;
    return m_results->lanes[lane];
}

const RaceRun& RaceTableModel::runOf(const QModelIndex& index) const
{
    return laneOf(index).runs[static_cast<std::size_t>(index.row())];
}

QVariant RaceTableModel::laneValue(std::size_t lane, int column) const
{
    const RaceRow& row = m_rows[lane];
    if (!row.refused.empty() && column > Runs)
        return {};
    switch (column) {
    case Name: return QString::fromStdString(row.lane);
    case Width: return QString::fromStdString(row.width);
    case Runs: return static_cast<qlonglong>(row.done);
    case Loss: return known(row.loss);
    case Spread: return row.low ? QVariant(*row.high - *row.low) : QVariant();
    case Bits: return known(row.bits);
    case Best: return known(row.best);
    case Accuracy: return known(row.accuracy);
    case Parameters: return static_cast<double>(row.parameters);
    case State: return row.state;
    case Flops: return row.flops;
    case Speed: return known(row.tokensPerSecond);
    case Memory: return known(row.memory);
    default: return known(row.seconds);
    }
}

/// A single run is the mean of one.
QVariant RaceTableModel::runValue(const RaceRun& run, const RaceLaneResults& lane, int column) const
{
    if (column == Name)
        return static_cast<qulonglong>(run.seed);
    if (column == Parameters || column == State || column == Flops || column == Width || column == Spread)
        return {}; // as its lane
    if (column == Runs)
        return run.samples.empty() ? QVariant() : QVariant(static_cast<qlonglong>(run.samples.back().step));
    RaceRun alone = run;
    alone.isDone = !run.samples.empty();
    const RaceRow row = raceRow({lane.lane, {std::move(alone)}});
    switch (column) {
    case Loss: return known(row.loss);
    case Bits: return known(row.bits);
    case Best: return known(row.best);
    case Accuracy: return known(row.accuracy);
    case Speed: return known(row.tokensPerSecond);
    case Memory: return known(row.memory);
    default: return known(row.seconds);
    }
}

QString RaceTableModel::laneText(std::size_t lane, int column) const
{
    const RaceRow& row = m_rows[lane];
    switch (column) {
    case Name:
    case Width: return laneValue(lane, column).toString();
    case Runs: {
        if (!row.refused.empty())
            return tr("refused: %1").arg(QString::fromStdString(row.refused));
        const QString done = tr("%1 / %2").arg(row.done).arg(row.runs);
        return row.diverged == 0 ? done : tr("%1, %2 diverged").arg(done).arg(row.diverged);
    }
    case Spread: return row.low ? tr("%1 – %2").arg(cellText(*row.low, Loss), cellText(*row.high, Loss)) : QString();
    default: return cellText(laneValue(lane, column), column);
    }
}

QString RaceTableModel::runText(const RaceRun& run, const RaceLaneResults& lane, int column) const
{
    if (column == Name)
        return tr("seed %1").arg(run.seed);
    if (column == Runs) {
        if (run.samples.empty())
            return run.state == RunState::Idle ? tr("waits") : lookOf(run.state).word;
        const QString at = countText(run.samples.back().step);
        return run.isDone && run.state != RunState::Failed ? tr("step %1").arg(at)
                                                           : tr("%1, step %2").arg(lookOf(run.state).word, at);
    }
    return cellText(runValue(run, lane, column), column);
}

/// A line as the lane's curve is drawn.
QVariant RaceTableModel::mark(std::size_t lane) const
{
    const auto color = laneColor(lane);
    if (!color)
        return {};
    const qreal scale = qGuiApp->devicePixelRatio();
    QPixmap picture(kLaneMark * scale);
    picture.setDevicePixelRatio(scale);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setPen(chartPen(m_appearance.theme(), *color, 2.5));
    painter.drawLine(QPointF(0, kLaneMark.height() / 2.0), QPointF(kLaneMark.width(), kLaneMark.height() / 2.0));
    return picture;
}

QString RaceTableModel::tip(const QModelIndex& index) const
{
    const RaceLaneResults& lane = laneOf(index);
    if (isLane(index) && !lane.lane.refused.empty())
        return tr("%1: %2").arg(QString::fromStdString(lane.lane.wish), QString::fromStdString(lane.lane.refused));
    if (isLane(index))
        return tr("%1, off by %2 %").arg(QString::fromStdString(lane.lane.wish)).arg(100 * lane.lane.error, 0, 'f', 2);
    const RaceRun& run = runOf(index);
    const std::string& why = run.failure.empty() ? run.trouble : run.failure;
    return why.empty() ? QString::fromStdString(run.folder.string()) : QString::fromStdString(why);
}

QString RaceTableModel::folder(const QModelIndex& index) const
{
    if (!isLane(index))
        return runOf(index).state == RunState::Idle ? QString() : QString::fromStdString(runOf(index).folder.string());
    const RaceRun* best = nullptr;
    for (const RaceRun& run : laneOf(index).runs)
        if (run.state != RunState::Idle && (best == nullptr || (run.loss && (!best->loss || *run.loss < *best->loss))))
            best = &run;
    return best == nullptr ? QString() : QString::fromStdString(best->folder.string());
}

QVariant RaceTableModel::data(const QModelIndex& index, int role) const
{
    const RaceLaneResults& lane = laneOf(index);
    const auto number = static_cast<std::size_t>(&lane - m_results->lanes.data());
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole: return isLane(index) ? laneText(number, column) : runText(runOf(index), lane, column);
    case SortRole: return isLane(index) ? laneValue(number, column) : runValue(runOf(index), lane, column);
    case FolderRole: return folder(index);
    case Qt::ToolTipRole: return tip(index);
    case Qt::DecorationRole: return column == Name && isLane(index) ? mark(number) : QVariant();
    case Qt::TextAlignmentRole:
        return kHeadings[column].isFigure ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::ForegroundRole: return isLane(index) ? QVariant() : QVariant(m_appearance.theme()[Theme::Role::TextDim]);
    default: return {};
    }
}

QVariant RaceTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical || section < 0 || section >= ColumnCount)
        return {};
    const Heading& heading = kHeadings[section];
    if (role == Qt::DisplayRole)
        return tr(heading.title);
    if (role == Qt::ToolTipRole && *heading.tip != '\0')
        return tr(heading.tip);
    if (role == Qt::TextAlignmentRole)
        return QVariant((heading.isFigure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

RaceOrder::RaceOrder(RaceTableModel& model, QObject* parent) : QSortFilterProxyModel(parent)
{
    setSourceModel(&model);
    setSortRole(RaceTableModel::SortRole);
}

bool RaceOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    const QVariant a = left.data(RaceTableModel::SortRole), b = right.data(RaceTableModel::SortRole);
    return sortOrder() == Qt::AscendingOrder ? comesBefore(a, b, sortOrder()) : comesBefore(b, a, sortOrder());
}

} // namespace unroll
