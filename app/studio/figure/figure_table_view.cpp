// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/figure/figure_table_view.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QHeaderView>
#include <QScrollBar>
#include <QSignalBlocker>
#include <algorithm>

namespace unroll {

namespace {

constexpr int kLeastRows = 3;  ///< that are seen at once
constexpr int kUsualRows = 12; ///< likewise, where there is room
constexpr int kMeasured = 60;  ///< rows that the widths of columns go by

/// A number stands at the right.
bool isNumber(QString text)
{
    bool is = false;
    (void)text.replace(QChar(0x2212), '-').remove(',').remove('%').trimmed().toDouble(&is);
    return is;
}

} // namespace

FigureTableView::FigureTableView(const Appearance& appearance, QWidget* parent) : QTreeWidget(parent)
{
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setSelectionBehavior(SelectRows);
    setFrameShape(NoFrame);
    setTextElideMode(Qt::ElideRight);
    header()->setSectionsMovable(false);
    header()->setSectionsClickable(false);
    header()->setResizeContentsPrecision(kMeasured);
    appearance.dress(*header(), Type::Caption);
    connect(this, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) { choose(item); });
    connect(this, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) { choose(item); });
}

void FigureTableView::setTable(const FigureTable& table)
{
    const int current = currentItem() != nullptr ? indexOfTopLevelItem(currentItem()) : -1;
    const std::string name = current >= 0 && !m_table.rows[static_cast<std::size_t>(current)].cells.empty()
                                 ? m_table.rows[static_cast<std::size_t>(current)].cells.front()
                                 : std::string();
    m_table = table;
    setAccessibleName(QString::fromStdString(table.title.empty() ? table.id : table.title));
    const QSignalBlocker quiet(this);
    fill();
    const auto again = std::find_if(m_table.rows.begin(), m_table.rows.end(), [&](const FigureTable::Row& row) {
        return current >= 0 && !row.cells.empty() && row.cells.front() == name;
    });
    if (again != m_table.rows.end())
        setCurrentItem(topLevelItem(static_cast<int>(again - m_table.rows.begin())));
    else
        setCurrentItem(nullptr);
    updateGeometry();
}

void FigureTableView::fill()
{
    const auto columns = static_cast<int>(m_table.columns.size()), rows = static_cast<int>(m_table.rows.size());
    const bool sameColumns = columns == columnCount();
    setColumnCount(std::max(1, columns));
    for (int column = 0; column < columns; ++column) {
        const QString title = QString::fromStdString(m_table.columns[static_cast<std::size_t>(column)]);
        headerItem()->setText(column, title);
        headerItem()->setToolTip(column, title);
        headerItem()->setTextAlignment(column,
                                       Qt::AlignVCenter | (isOfNumbers(column) ? Qt::AlignRight : Qt::AlignLeft));
    }
    header()->setStretchLastSection(columns == 0 || !isOfNumbers(columns - 1)); // numbers stand by the others
    while (topLevelItemCount() > rows)
        delete takeTopLevelItem(topLevelItemCount() - 1);
    const int before = topLevelItemCount();
    for (int row = before; row < rows; ++row)
        addTopLevelItem(new QTreeWidgetItem);
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const auto& cells = m_table.rows[static_cast<std::size_t>(row)].cells;
            const auto at = static_cast<std::size_t>(column);
            const QString text = at < cells.size() ? QString::fromStdString(cells[at]) : QString();
            QTreeWidgetItem* item = topLevelItem(row);
            if (item->text(column) == text)
                continue;
            item->setText(column, text);
            item->setToolTip(column, text);
            item->setTextAlignment(column, Qt::AlignVCenter | (isNumber(text) ? Qt::AlignRight : Qt::AlignLeft));
        }
    if (!sameColumns || before == 0)
        for (int column = 0; column < columns; ++column) {
            resizeColumnToContents(column);
            setColumnWidth(column, std::min(columnWidth(column) + space::s, 24 * fontMetrics().averageCharWidth() * 2));
        }
}

/// Its first rows, as far as they say anything.
bool FigureTableView::isOfNumbers(int column) const
{
    const auto at = static_cast<std::size_t>(column);
    int numbers = 0, others = 0;
    for (std::size_t row = 0; row < std::min<std::size_t>(m_table.rows.size(), kMeasured); ++row)
        if (const auto& cells = m_table.rows[row].cells; at < cells.size() && cells[at].size() > 0)
            ++(isNumber(QString::fromStdString(cells[at])) ? numbers : others);
    return numbers > others;
}

QString FigureTableView::rowText(int row) const
{
    QStringList parts;
    const auto& cells = m_table.rows[static_cast<std::size_t>(row)].cells;
    for (std::size_t i = 0; i < std::min(cells.size(), m_table.columns.size()); ++i)
        if (!cells[i].empty())
            parts << QString::fromStdString(m_table.columns[i]) + ' ' + QString::fromStdString(cells[i]);
    return parts.join(QStringLiteral(",  "));
}

void FigureTableView::choose(QTreeWidgetItem* item)
{
    const int row = item != nullptr ? indexOfTopLevelItem(item) : -1;
    if (row < 0 || row >= static_cast<int>(m_table.rows.size()))
        return;
    setAccessibleDescription(rowText(row));
    const FigureTable::Row chosen =
        m_table.rows[static_cast<std::size_t>(row)]; // who hears of it may set another table
    Q_EMIT pointed(rowText(row));
    Q_EMIT rowChosen(chosen);
}

int FigureTableView::heightOf(int rows) const
{
    const int row = topLevelItemCount() > 0 ? sizeHintForRow(0) : fontMetrics().height() + space::s;
    const int bar = horizontalScrollBar()->isVisible() ? horizontalScrollBar()->height() : 0;
    return header()->sizeHint().height() + rows * row + bar + 2;
}

QSize FigureTableView::sizeHint() const
{
    return {360, heightOf(std::clamp(topLevelItemCount(), 1, kUsualRows))};
}

QSize FigureTableView::minimumSizeHint() const
{
    return {140, heightOf(std::clamp(topLevelItemCount(), 1, kLeastRows))};
}

/// The keyboard stands at the first row, which is not thereby chosen.
void FigureTableView::focusInEvent(QFocusEvent* event)
{
    if (!currentIndex().isValid()) {
        const QSignalBlocker quiet(this);
        selectionModel()->setCurrentIndex(model()->index(0, 0), QItemSelectionModel::NoUpdate);
    }
    QTreeWidget::focusInEvent(event);
}

} // namespace unroll
