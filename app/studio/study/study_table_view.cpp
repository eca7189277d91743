// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/study/study_table_view.h"

#include "app/studio/runs/runs_header.h"

#include <QMenu>
#include <algorithm>
#include <functional>

namespace unroll {

StudyTableView::StudyTableView(const Appearance& appearance, QWidget* parent)
    : QTreeView(parent), m_model(appearance), m_order(m_model)
{
    setHeader(new RunsHeader(this));
    setModel(&m_order);
    setAccessibleName(tr("Trials"));
    setFrameShape(QFrame::NoFrame);
    setUniformRowHeights(true);
    setRootIsDecorated(false);
    setSelectionMode(SingleSelection);
    setHorizontalScrollMode(ScrollPerPixel);
    setVerticalScrollMode(ScrollPerPixel);
    setContextMenuPolicy(Qt::CustomContextMenu);
    header()->setStretchLastSection(false);
    header()->setSectionsMovable(false);
    setSortingEnabled(true);
    connect(this, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT openAsked(index.data(StudyTableModel::NumberRole).toLongLong());
    });
    connect(this, &QWidget::customContextMenuRequested, this, &StudyTableView::showMenu);
}

void StudyTableView::setPlot(const StudyPlot& plot, const StudyWatch& watch)
{
    m_isFilling = true;
    m_model.setPlot(plot);
    m_order.setShown(plot.results() != nullptr ? plot.numbersWithin() : std::set<std::int64_t>());
    const QString file = plot.results() != nullptr ? QString::fromStdString(plot.results()->file.string()) : QString();
    if (plot.results() != nullptr && file != m_file)
        sortByColumn(StudyTableModel::Value, plot.results()->maximize ? Qt::DescendingOrder : Qt::AscendingOrder);
    m_file = file;
    fitColumns();
    const QModelIndex held = currentIndex();
    if (!watch.chosen)
        selectionModel()->clearSelection();
    else if (!held.isValid() || held.data(StudyTableModel::NumberRole).toLongLong() != *watch.chosen ||
             !selectionModel()->isSelected(held))
        for (int row = 0; row < m_order.rowCount(); ++row)
            if (const QModelIndex index = m_order.index(row, 0);
                index.data(StudyTableModel::NumberRole).toLongLong() == *watch.chosen) {
                setCurrentIndex(index);
                scrollTo(index);
            }
    m_isFilling = false;
}

/// Columns without a figure are hidden; the others grow with what comes, and never shrink.
void StudyTableView::fitColumns()
{
    for (int column = 0; column < m_order.columnCount(); ++column) {
        const bool always = column <= StudyTableModel::Value || column >= StudyTableModel::FixedCount;
        setColumnHidden(column, !always && !m_model.isKnown(column));
        if (!isColumnHidden(column) &&
            std::max(sizeHintForColumn(column), header()->sectionSizeHint(column)) > columnWidth(column))
            resizeColumnToContents(column);
    }
}

std::vector<std::int64_t> StudyTableView::shownTrials() const
{
    std::vector<std::int64_t> trials;
    for (int row = 0; row < m_order.rowCount(); ++row)
        trials.push_back(m_order.index(row, 0).data(StudyTableModel::NumberRole).toLongLong());
    return trials;
}

QString StudyTableView::asMarkdown() const
{
    QStringList lines;
    const auto line = [this](const std::function<QString(int)>& cell) {
        QStringList cells;
        for (int column = 0; column < m_order.columnCount(); ++column)
            if (!isColumnHidden(column))
                cells << cell(column).replace('|', "\\|");
        return "| " + cells.join(" | ") + " |";
    };
    lines << line(
        [this](int column) { return m_order.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(); });
    lines << line([](int) { return QStringLiteral("---"); });
    for (int row = 0; row < m_order.rowCount(); ++row)
        lines << line([&](int column) { return m_order.index(row, column).data().toString(); });
    return lines.join('\n') + '\n';
}

/// The keyboard stands at the first trial, which is not thereby chosen.
void StudyTableView::focusInEvent(QFocusEvent* event)
{
    if (!currentIndex().isValid()) {
        m_isFilling = true;
        selectionModel()->setCurrentIndex(m_order.index(0, 0), QItemSelectionModel::NoUpdate);
        m_isFilling = false;
    }
    QTreeView::focusInEvent(event);
}

void StudyTableView::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QTreeView::currentChanged(current, previous);
    if (!m_isFilling && current.isValid())
        Q_EMIT chosen(current.data(StudyTableModel::NumberRole).toLongLong());
}

void StudyTableView::fillMenu(QMenu& menu)
{
    const QModelIndex at = currentIndex();
    QAction* open = menu.addAction(tr("Open Run"), this, [this, at = QPersistentModelIndex(at)] {
        if (at.isValid())
            Q_EMIT openAsked(at.data(StudyTableModel::NumberRole).toLongLong());
    });
    open->setEnabled(at.isValid() && !at.data(StudyTableModel::FolderRole).toString().isEmpty());
    menu.addAction(tr("Copy Table"), this, &StudyTableView::copyAsked);
}

void StudyTableView::showMenu(const QPoint& at)
{
    auto* menu = new QMenu(this);
    menu->setObjectName("studyMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillMenu(*menu);
    menu->popup(viewport()->mapToGlobal(at));
}

} // namespace unroll
