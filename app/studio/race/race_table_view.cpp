// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/race/race_table_view.h"

#include "app/studio/runs/runs_header.h"

#include <QMenu>
#include <algorithm>
#include <utility>

namespace unroll {

RaceTableView::RaceTableView(const Appearance& appearance, QWidget* parent)
    : QTreeView(parent), m_model(appearance), m_order(m_model)
{
    setHeader(new RunsHeader(this));
    setModel(&m_order);
    setAccessibleName(tr("Lanes"));
    setFrameShape(QFrame::NoFrame);
    setUniformRowHeights(true);
    setSelectionMode(ExtendedSelection);
    setExpandsOnDoubleClick(false); // it opens the run
    setHorizontalScrollMode(ScrollPerPixel);
    setVerticalScrollMode(ScrollPerPixel);
    setContextMenuPolicy(Qt::CustomContextMenu);
    header()->setStretchLastSection(false);
    header()->setSectionsMovable(false);
    setSortingEnabled(true);
    sortByColumn(RaceTableModel::Loss, Qt::AscendingOrder);
    connect(this, &QAbstractItemView::activated, this,
            [this](const QModelIndex& index) { Q_EMIT runAsked(index.data(RaceTableModel::FolderRole).toString()); });
    connect(this, &QWidget::customContextMenuRequested, this, &RaceTableView::showMenu);
}

void RaceTableView::setResults(std::shared_ptr<const RaceResults> results)
{
    m_model.setResults(results);
    if (results != nullptr)
        fitColumns(*results);
}

std::vector<std::size_t> RaceTableView::shownLanes() const
{
    std::vector<std::size_t> lanes;
    for (int row = 0; row < m_order.rowCount(); ++row)
        lanes.push_back(static_cast<std::size_t>(m_order.mapToSource(m_order.index(row, 0)).row()));
    return lanes;
}

/// The keyboard stands at the first lane, which is not thereby chosen.
void RaceTableView::focusInEvent(QFocusEvent* event)
{
    if (!currentIndex().isValid())
        selectionModel()->setCurrentIndex(m_order.index(0, 0), QItemSelectionModel::NoUpdate);
    QTreeView::focusInEvent(event);
}

/// Columns that can have no figure in this race are hidden; the others grow with what comes, and never shrink.
void RaceTableView::fitColumns(const RaceResults& results)
{
    const auto isKnown = [this](int column) {
        for (int lane = 0; lane < m_model.rowCount(); ++lane)
            if (m_model.index(lane, column).data(RaceTableModel::SortRole).isValid())
                return true;
        return false;
    };
    for (const int column : {RaceTableModel::Bits, RaceTableModel::Accuracy})
        setColumnHidden(column, results.doneCount() > 0 && !isKnown(column));
    setColumnHidden(RaceTableModel::Spread, results.race.seeds.size() < 2);
    for (int column = 0; column < RaceTableModel::ColumnCount; ++column)
        if (!isColumnHidden(column) &&
            std::max(sizeHintForColumn(column), header()->sectionSizeHint(column)) > columnWidth(column))
            resizeColumnToContents(column);
}

QStringList RaceTableView::selectedRuns() const
{
    QStringList folders;
    for (const QModelIndex& index : selectionModel()->selectedRows())
        if (const QString folder = index.data(RaceTableModel::FolderRole).toString(); !folder.isEmpty())
            folders << folder;
    folders.removeDuplicates();
    return folders;
}

void RaceTableView::fillMenu(QMenu& menu)
{
    const QStringList runs = selectedRuns();
    const qsizetype rows = selectionModel()->selectedRows().size();
    QAction* open = menu.addAction(tr("Open Run"), this, [this, runs] { Q_EMIT runAsked(runs.front()); });
    open->setEnabled(rows == 1 && runs.size() == 1);
    QAction* both = menu.addAction(tr("Compare States"), this, [this, runs] { Q_EMIT bothAsked(runs[0], runs[1]); });
    both->setEnabled(rows == 2 && runs.size() == 2);
    both->setToolTip(tr("The State lens of two selected runs, side by side"));
    menu.setToolTipsVisible(true);
}

void RaceTableView::showMenu(const QPoint& at)
{
    if (selectionModel()->selectedRows().isEmpty())
        return;
    auto* menu = new QMenu(this);
    menu->setObjectName("raceMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillMenu(*menu);
    menu->popup(viewport()->mapToGlobal(at));
}

} // namespace unroll
