// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/runs/runs_model.h"

#include "app/studio/runs/run_text.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/number_text.h"

#include <QGuiApplication>
#include <QPainter>
#include <QPixmap>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr QSize kMarkSize{22, 10}; // as long as the longest dash with its gap

QVariant orMissing(const std::optional<double>& value)
{
    return value && std::isfinite(*value) ? QVariant(*value) : QVariant();
}

template <class T>
QVariant orMissing(T value)
{
    return value > 0 ? QVariant::fromValue(value) : QVariant();
}

bool isFigure(RunsModel::Column column)
{
    switch (column) {
    case RunsModel::Best:
    case RunsModel::Last:
    case RunsModel::Steps:
    case RunsModel::Time:
    case RunsModel::Parameters:
    case RunsModel::Seed:
    case RunsModel::Rate:
    case RunsModel::Size: return true;
    default: return false;
    }
}

int alignmentOf(RunsModel::Column column)
{
    return (Qt::AlignVCenter | (isFigure(column) ? Qt::AlignRight : Qt::AlignLeft)).toInt();
}

} // namespace

RunsModel::RunsModel(const Appearance& appearance, QObject* parent)
    : QAbstractTableModel(parent), m_appearance(appearance)
{}

QString RunsModel::folderAt(int row) const
{
    return QString::fromStdString(at(row).folder.string());
}

int RunsModel::rowOf(const QString& folder) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (folderAt(row) == folder)
            return row;
    return -1;
}

void RunsModel::setRuns(std::vector<RunSummary> runs)
{
    removeGone(runs);
    for (RunSummary& run : runs) {
        const int row = rowOf(QString::fromStdString(run.folder.string()));
        if (row >= 0) {
            update(row, std::move(run));
            continue;
        }
        beginInsertRows({}, rowCount(), rowCount());
        m_runs.push_back(std::move(run));
        endInsertRows();
    }
}

void RunsModel::removeGone(const std::vector<RunSummary>& runs)
{
    bool lostOverlay = false;
    for (int row = rowCount() - 1; row >= 0; --row) {
        if (std::any_of(runs.begin(), runs.end(), [&](const auto& run) { return run.folder == at(row).folder; }))
            continue;
        lostOverlay = m_overlaid.erase(folderAt(row)) > 0 || lostOverlay;
        beginRemoveRows({}, row, row);
        m_runs.erase(m_runs.begin() + row);
        endRemoveRows();
    }
    if (lostOverlay)
        Q_EMIT overlaidChanged();
}

/// A cell that is told of loses what is being typed into it: only what has changed is told.
void RunsModel::update(int row, RunSummary run)
{
    RunSummary& now = m_runs[static_cast<std::size_t>(row)];
    const bool otherNote = now.note != run.note;
    const bool otherTitle = now.title != run.title;
    now = std::move(run);
    figuresChanged(row);
    if (otherNote)
        Q_EMIT dataChanged(index(row, Note), index(row, Note));
    if (otherTitle)
        Q_EMIT dataChanged(index(row, Name), index(row, Name));
}

void RunsModel::figuresChanged(int row)
{
    Q_EMIT dataChanged(index(row, State), index(row, Size));
}

void RunsModel::follow(const Snapshot& snapshot)
{
    const int row = rowOf(QString::fromStdString(snapshot.runFolder));
    if (row < 0 || hasEnded(snapshot.state))
        return;
    RunSummary& run = m_runs[static_cast<std::size_t>(row)];
    run.state = RunState::Running;
    run.step = snapshot.step;
    if (snapshot.bestStep > 0) {
        run.best = snapshot.bestValidationLoss;
        run.bestStep = snapshot.bestStep;
    }
    run.checkpoint = snapshot.checkpointed;
    figuresChanged(row);
}

void RunsModel::setFolder(const QString& from, const QString& to)
{
    const int row = rowOf(from);
    if (row < 0)
        return;
    m_runs[static_cast<std::size_t>(row)].folder = to.toStdString();
    if (m_overlaid.erase(from) > 0)
        m_overlaid.insert(to);
    Q_EMIT dataChanged(index(row, Name), index(row, Name));
}

void RunsModel::setColors(std::map<QString, Theme::Role> colors)
{
    m_colors = std::move(colors);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, Name), index(rowCount() - 1, Name), {Qt::DecorationRole});
}

/// Names stay in line: while some are marked, the others have room for a mark.
QVariant RunsModel::mark(const QString& folder) const
{
    if (m_colors.empty())
        return {};
    const auto color = m_colors.find(folder);
    const qreal scale = qGuiApp->devicePixelRatio();
    QPixmap picture(kMarkSize * scale);
    picture.setDevicePixelRatio(scale);
    picture.fill(Qt::transparent);
    if (color != m_colors.end()) {
        QPainter painter(&picture);
        painter.setPen(chartPen(m_appearance.theme(), color->second, 2.5)); // as the curve is drawn
        painter.drawLine(QPointF(0, kMarkSize.height() / 2.0), QPointF(kMarkSize.width(), kMarkSize.height() / 2.0));
    }
    return picture;
}

int RunsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QString RunsModel::text(const RunSummary& run, Column column) const
{
    switch (column) {
    case Name: return QString::fromStdString(run.name());
    case State: return lookOf(run.state).word;
    case Best: return bestText(run);
    case Last: return run.last ? readingText(*run.last) : QString();
    case Steps: return stepsText(run);
    case Time: return run.seconds > 0 ? durationText(run.seconds) : QString();
    case Started: return momentText(run.started);
    case Experiment: return titleText(run);
    case Parameters: return parametersText(run);
    case Seed: return seedText(run);
    case Rate: return rateText(run);
    case Device: return QString::fromStdString(run.device);
    case Size: return bytesText(static_cast<double>(run.bytes));
    case Note: return run.note.empty() ? reasonText(run) : QString::fromStdString(run.note).simplified();
    case ColumnCount: break;
    }
    return {};
}

QVariant RunsModel::sortKey(const RunSummary& run, Column column) const
{
    switch (column) {
    case Best: return orMissing(run.best);
    case Last: return orMissing(run.last);
    case Steps: return run.steps > 0 ? QVariant(static_cast<qlonglong>(run.step)) : QVariant();
    case Time: return orMissing(run.seconds);
    case Started:
        return orMissing(
            static_cast<qlonglong>(std::max(run.started, run.state == RunState::Unknown ? run.changed : 0)));
    case Parameters: return orMissing(static_cast<qlonglong>(run.measures.parameters));
    case Seed: return run.seed ? QVariant(static_cast<qulonglong>(*run.seed)) : QVariant();
    case Rate: return orMissing(run.learningRate);
    case Size: return static_cast<qulonglong>(run.bytes);
    case Name:
    case State:
    case Experiment:
    case Device:
    case Note:
    case ColumnCount: break;
    }
    const QString words = text(run, column);
    return words.isEmpty() ? QVariant() : QVariant(words);
}

QVariant RunsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const RunSummary& run = at(index.row());
    const auto column = static_cast<Column>(index.column());
    const StateLook look = lookOf(run.state);
    const bool isReason = column == Note && run.note.empty();
    switch (role) {
    case Qt::DisplayRole: return text(run, column);
    case Qt::EditRole:
        return isReason ? QString() : column == Note ? QString::fromStdString(run.note) : text(run, column);
    case Qt::ToolTipRole: return runDetails(run);
    case Qt::TextAlignmentRole: return alignmentOf(column);
    case Qt::DecorationRole:
        if (column == Name)
            return mark(folderAt(index.row()));
        return column == State ? QVariant(m_appearance.icon(look.icon, look.role)) : QVariant();
    case Qt::ForegroundRole: return isReason ? QVariant(m_appearance.theme()[Theme::Role::TextDim]) : QVariant();
    case Qt::CheckStateRole:
        return column == Name ? QVariant(m_overlaid.contains(folderAt(index.row())) ? Qt::Checked : Qt::Unchecked)
                              : QVariant();
    case SortRole: return sortKey(run, column);
    case ExperimentRole:
        return run.state == RunState::Unknown ? QVariant() : QVariant(QString::fromStdString(run.title));
    case WordsRole:
        return QStringList{text(run, Name), QString::fromStdString(run.title), look.word, text(run, Note),
                           text(run, Device)}
            .join('\n');
    default: return {};
    }
}

bool RunsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid())
        return false;
    if (role == Qt::CheckStateRole && index.column() == Name)
        return setOverlaid(index, value.toInt() == Qt::Checked);
    if (role != Qt::EditRole || value == data(index, Qt::EditRole))
        return false;
    if (index.column() == Name)
        Q_EMIT renameAsked(folderAt(index.row()), value.toString());
    else if (index.column() == Note)
        Q_EMIT noteAsked(folderAt(index.row()), value.toString());
    return false; // it is so when the disk says so
}

bool RunsModel::setOverlaid(const QModelIndex& index, bool overlaid)
{
    if (overlaid && m_overlaid.size() >= kMostOverlaid) {
        Q_EMIT tooManyOverlaid();
        return false;
    }
    const QString folder = folderAt(index.row());
    if (overlaid == m_overlaid.contains(folder))
        return false;
    if (overlaid)
        m_overlaid.insert(folder);
    else
        m_overlaid.erase(folder);
    Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
    Q_EMIT overlaidChanged();
    return true;
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return alignmentOf(static_cast<Column>(section));
    if (role == Qt::ToolTipRole && section == Name)
        return tr("Tick to plot the run's curves with the current ones");
    if (role == Qt::ToolTipRole && section == Best)
        return tr("Lowest validation loss");
    if (role == Qt::ToolTipRole && section == Last)
        return tr("Last training loss");
    if (role == Qt::ToolTipRole && section == Rate)
        return tr("Peak learning rate of its schedule");
    if (role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case Name: return tr("Run");
    case State: return tr("State");
    case Best: return tr("Best loss");
    case Last: return tr("Last loss");
    case Steps: return tr("Steps");
    case Time: return tr("Time");
    case Started: return tr("Started");
    case Experiment: return tr("Experiment");
    case Parameters: return tr("Parameters");
    case Seed: return tr("Seed");
    case Rate: return tr("Rate");
    case Device: return tr("Device");
    case Size: return tr("Size");
    case Note: return tr("Note");
    case ColumnCount: break;
    }
    return {};
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid())
        return flags;
    flags |= Qt::ItemNeverHasChildren;
    if (index.column() == Name)
        flags |= Qt::ItemIsUserCheckable;
    if (index.column() == Name || index.column() == Note)
        flags |= Qt::ItemIsEditable;
    return flags;
}

} // namespace unroll
