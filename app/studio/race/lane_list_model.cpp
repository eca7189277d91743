// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/race/lane_list_model.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/glyph.h"
#include "app/studio/theme/number_text.h"

#include <QPainter>
#include <QRegularExpression>
#include <cmath>
#include <utility>

namespace unroll {

namespace {

QPixmap blockMark(const BlockSpec& spec, const Appearance& appearance)
{
    constexpr double kRatio = 2; // sharp on dense screens
    const int side = appearance.iconSide();
    QPixmap mark(QSize(side, side) * kRatio);
    mark.setDevicePixelRatio(kRatio);
    mark.fill(Qt::transparent);
    QPainter painter(&mark);
    painter.setRenderHint(QPainter::Antialiasing);
    paintBlockTile(painter, &spec, QRectF(0, 0, side, side), appearance.theme());
    return mark;
}

QString deviationText(const LaneFit& fit)
{
    const double percent = 100 * fit.deviation;
    return std::abs(percent) < 0.005 ? QStringLiteral("0 %")
                                     : QStringLiteral("%1%2 %")
                                           .arg(percent > 0 ? QStringLiteral("+") : QString(QChar(0x2212)))
                                           .arg(std::abs(percent), 0, 'f', 2);
}

} // namespace

LaneListModel::LaneListModel(const Appearance& appearance, QObject* parent)
    : QAbstractTableModel(parent), m_appearance(appearance)
{}

void LaneListModel::setPlace(const RacePlace& place)
{
    beginResetModel();
    m_rows.clear();
    m_inside = place.inside;
    for (const RaceChoice& choice : place.choices)
        m_rows.push_back({choice, {}, m_rows.empty(), {}});
    endResetModel();
    Q_EMIT ticksChanged();
}

QString LaneListModel::titleAt(int row) const
{
    return QString::fromStdString(m_rows[static_cast<std::size_t>(row)].choice.title);
}

void LaneListModel::setSizeTitle(const QString& title)
{
    m_sizeTitle = title;
    Q_EMIT headerDataChanged(Qt::Horizontal, Size, Size);
}

int LaneListModel::addVariant(int row)
{
    const RaceChoice choice = m_rows[static_cast<std::size_t>(row)].choice;
    const int at = row + 1;
    beginInsertRows({}, at, at);
    m_rows.insert(m_rows.begin() + at, Row{choice, {}, true, {}});
    endInsertRows();
    Q_EMIT wishChanged(at);
    Q_EMIT ticksChanged();
    return at;
}

void LaneListModel::setFit(int row, const QString& wish, LaneFit fit)
{
    if (row >= rowCount() || wishAt(row) != wish)
        return;
    m_rows[static_cast<std::size_t>(row)].fit = std::move(fit);
    rowChanged(row);
}

void LaneListModel::forgetFits()
{
    for (Row& row : m_rows)
        row.fit.reset();
    if (!m_rows.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

QString LaneListModel::wishAt(int row) const
{
    static const QRegularExpression between("[\\s,;:]+");
    const Row& of = m_rows[static_cast<std::size_t>(row)];
    QString settings = of.settings;
    settings.replace(QRegularExpression("\\s*=\\s*"), "=");
    return (QStringList{QString::fromStdString(of.choice.word)} + settings.split(between, Qt::SkipEmptyParts))
        .join(':');
}

void LaneListModel::tick(int row, bool ticked)
{
    Row& of = m_rows[static_cast<std::size_t>(row)];
    if (of.ticked == ticked)
        return;
    of.ticked = ticked;
    rowChanged(row);
    Q_EMIT ticksChanged();
}

std::vector<int> LaneListModel::tickedRows() const
{
    std::vector<int> rows;
    for (int row = 0; row < rowCount(); ++row)
        if (isTicked(row))
            rows.push_back(row);
    return rows;
}

int LaneListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int LaneListModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString LaneListModel::text(const Row& row, int column) const
{
    const bool isSolved = row.fit && row.fit->fault.isEmpty();
    switch (column) {
    case Block: return QString::fromStdString(row.choice.title);
    case Settings: return row.settings;
    case Width: return !row.fit ? QStringLiteral("…") : isSolved ? row.fit->width : tr("cannot match");
    case Size: return isSolved ? countText(std::llround(row.fit->size)) : QString();
    default: return isSolved ? deviationText(*row.fit) : QString();
    }
}

QVariant LaneListModel::tip(const Row& row) const
{
    return row.fit && !row.fit->fault.isEmpty() ? row.fit->fault : QString::fromStdString(row.choice.help);
}

QVariant LaneListModel::data(const QModelIndex& index, int role) const
{
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const bool isFault = row.fit && !row.fit->fault.isEmpty();
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole: return text(row, index.column());
    case Qt::DecorationRole:
        return index.column() == Block ? QVariant(blockMark(*row.choice.spec, m_appearance)) : QVariant();
    case Qt::ToolTipRole: return tip(row);
    case Qt::AccessibleDescriptionRole: return isFault ? row.fit->fault : QString();
    case Qt::CheckStateRole:
        return index.column() == Block ? QVariant(row.ticked ? Qt::Checked : Qt::Unchecked) : QVariant();
    case Qt::TextAlignmentRole:
        return index.column() >= Size ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::ForegroundRole:
        return isFault && index.column() != Settings ? QVariant(m_appearance.theme()[Theme::Role::TextDim])
                                                     : QVariant();
    default: return {};
    }
}

bool LaneListModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role == Qt::CheckStateRole && index.column() == Block) {
        tick(index.row(), value.toInt() == Qt::Checked);
        return true;
    }
    Row& row = m_rows[static_cast<std::size_t>(index.row())];
    if (role != Qt::EditRole || index.column() != Settings || value.toString() == row.settings)
        return false;
    row.settings = value.toString().trimmed();
    row.fit.reset();
    rowChanged(index.row());
    Q_EMIT wishChanged(index.row());
    return true;
}

QVariant LaneListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section >= Size ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Settings && !m_inside.empty())
        return tr("Settings of this lane's group: %1=gru puts a block there, %1.units=64 sets a parameter, repeat=2 "
                  "its "
                  "copies. A name without a value (%1.units) is adjusted to match the size; else all widths inside "
                  "together. F2 edits them.")
            .arg(QString::fromStdString(m_inside.front()));
    if (role == Qt::ToolTipRole && section == Settings)
        return tr("Parameters of this lane: num_heads=4, bias=false. A name without a value is adjusted to match the "
                  "size. F2 edits them.");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Block: return tr("Block");
    case Settings: return tr("Settings");
    case Width: return tr("Width");
    case Size: return m_sizeTitle;
    default: return tr("Off by");
    }
}

Qt::ItemFlags LaneListModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    if (index.column() == Block)
        flags |= Qt::ItemIsUserCheckable;
    if (index.column() == Settings)
        flags |= Qt::ItemIsEditable;
    return flags;
}

void LaneListModel::rowChanged(int row)
{
    Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

} // namespace unroll
