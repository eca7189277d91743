// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/runs/runs_view.h"

#include "app/studio/runs/run_order.h"
#include "app/studio/runs/runs_header.h"
#include "app/studio/theme/metrics.h"

#include <QKeyEvent>
#include <QMenu>
#include <QScopedValueRollback>
#include <QStyledItemDelegate>
#include <algorithm>

namespace unroll {

namespace {

constexpr int kLeastName = 110;
constexpr int kMostName = 260;
constexpr int kLeastNote = 120;

/// From what nobody can do without to what may stand in the tooltip alone.
constexpr RunsModel::Column kByNeed[] = {
    RunsModel::Name,       RunsModel::State,      RunsModel::Best, RunsModel::Steps, RunsModel::Note,
    RunsModel::Started,    RunsModel::Time,       RunsModel::Last, RunsModel::Rate,  RunsModel::Seed,
    RunsModel::Parameters, RunsModel::Experiment, RunsModel::Size, RunsModel::Device};
static_assert(std::size(kByNeed) == RunsModel::ColumnCount);

/// Keys of a row that are shortcuts elsewhere in the window.
bool isOurs(const QKeyEvent& event)
{
    const auto key = event.key();
    return event.modifiers() == Qt::NoModifier &&
           (key == Qt::Key_F2 || key == Qt::Key_Delete || key == Qt::Key_Backspace || key == Qt::Key_Space ||
            key == Qt::Key_Return || key == Qt::Key_Enter);
}

/// Where a name is too long its middle goes: what distinguishes runs stands at its end.
class RunsDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->textElideMode = index.column() == RunsModel::Name ? Qt::ElideMiddle : Qt::ElideRight;
    }
};

} // namespace

RunsFilter::RunsFilter(RunsModel& model, QObject* parent) : QSortFilterProxyModel(parent)
{
    setSourceModel(&model);
    setSortRole(RunsModel::SortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
}

void RunsFilter::setWords(const QString& words)
{
    m_words = words.split(' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

void RunsFilter::setExperiment(const std::optional<QString>& title)
{
    m_experiment = title;
    invalidateFilter();
}

bool RunsFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    const QVariant a = left.data(RunsModel::SortRole), b = right.data(RunsModel::SortRole);
    // Where the order falls it is asked for the other way round.
    return sortOrder() == Qt::AscendingOrder ? comesBefore(a, b, sortOrder()) : comesBefore(b, a, sortOrder());
}

bool RunsFilter::filterAcceptsRow(int row, const QModelIndex&) const
{
    const QModelIndex run = sourceModel()->index(row, 0);
    if (m_experiment && run.data(RunsModel::ExperimentRole) != QVariant(*m_experiment))
        return false;
    const QString text = run.data(RunsModel::WordsRole).toString();
    return std::all_of(m_words.begin(), m_words.end(),
                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

RunsView::RunsView(RunsModel& model, const ColumnSettings& columns, QWidget* parent)
    : QTreeView(parent), m_model(model), m_columns(columns), m_filter(new RunsFilter(model, this))
{
    setHeader(new RunsHeader(this));
    setModel(m_filter);
    setAccessibleName(tr("Runs"));
    setFrameShape(NoFrame);
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers); // by command: a double click opens the run
    setExpandsOnDoubleClick(false);
    setHorizontalScrollMode(ScrollPerPixel);
    setVerticalScrollMode(ScrollPerPixel);
    setItemDelegate(new RunsDelegate(this));
    setContextMenuPolicy(Qt::CustomContextMenu);
    header()->setStretchLastSection(false);
    header()->setMinimumSectionSize(space::xl);
    header()->setSectionsMovable(false);
    header()->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header(), &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
        auto* menu = new QMenu(this);
        menu->setObjectName("columnsMenu");
        menu->setAttribute(Qt::WA_DeleteOnClose);
        fillColumnsMenu(*menu);
        menu->popup(header()->viewport()->mapToGlobal(at));
    });
    setSortingEnabled(true);
    sortByColumn(RunsModel::Started, Qt::DescendingOrder);
    connect(this, &QAbstractItemView::doubleClicked, this, &RunsView::reopenAsked);
    letWidthsBeChosen();
}

void RunsView::letWidthsBeChosen()
{
    connect(header(), &QHeaderView::sectionResized, this, [this](int column, int, int width) {
        if (!m_isFitting)
            m_columns.chooseWidth(static_cast<RunsModel::Column>(column), width);
    });
    connect(header(), &QHeaderView::sectionHandleDoubleClicked, this, [this](int column) {
        m_columns.forgetWidth(static_cast<RunsModel::Column>(column));
        fitColumns();
    });
    header()->viewport()->installEventFilter(this);
}

/// The others make room when the hand lets go: under it they would run away.
bool RunsView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == header()->viewport() && event->type() == QEvent::MouseButtonRelease)
        QMetaObject::invokeMethod(this, &RunsView::fitColumns, Qt::QueuedConnection);
    return QTreeView::eventFilter(watched, event);
}

QModelIndex RunsView::shown(int row, RunsModel::Column column) const
{
    return m_filter->mapFromSource(m_model.index(row, column));
}

QList<int> RunsView::selectedRows() const
{
    QModelIndexList rows = selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.row() < b.row(); });
    QList<int> found;
    for (const QModelIndex& index : rows)
        found << m_filter->mapToSource(index).row();
    return found;
}

void RunsView::select(int row)
{
    // Not as the view's own setCurrentIndex(), which adds to the selection while Ctrl is held.
    selectionModel()->setCurrentIndex(shown(row, RunsModel::Name),
                                      QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

/// What was typed into a cell is kept; Qt edits one cell at a time, and refuses another until it is closed.
void RunsView::endEditing()
{
    QWidget* editor = state() == EditingState ? indexWidget(currentIndex()) : nullptr;
    if (editor == nullptr)
        return;
    commitData(editor);
    closeEditor(editor, QAbstractItemDelegate::NoHint);
}

void RunsView::editCell(int row, RunsModel::Column column)
{
    endEditing();
    const QModelIndex cell = shown(row, column);
    const QScopedValueRollback fitting(m_isFitting, true);
    if (isColumnHidden(column)) { // it gets the room of all that can be done without
        for (const RunsModel::Column other : kByNeed)
            setColumnHidden(other, other != RunsModel::Name && other != column);
        setColumnWidth(column, viewport()->width() - columnWidth(RunsModel::Name));
    }
    selectionModel()->setCurrentIndex(cell, QItemSelectionModel::NoUpdate);
    scrollTo(cell);
    edit(cell);
}

void RunsView::toggleOverlay(int row)
{
    const QModelIndex cell = shown(row, RunsModel::Name);
    const bool isOverlaid = cell.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    m_filter->setData(cell, isOverlaid ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

int RunsView::wishedWidth(RunsModel::Column column) const
{
    if (const auto chosen = m_columns.width(column))
        return std::max(*chosen, header()->minimumSectionSize());
    const int wish = std::max(sizeHintForColumn(column), header()->sectionSizeHint(column));
    if (column == RunsModel::Note)
        return kLeastNote;
    const int share = std::clamp(viewport()->width() * 2 / 5, kLeastName, kMostName); // the rest is for figures
    return column == RunsModel::Name ? std::clamp(wish, kLeastName, share) : wish;
}

/// The column that takes what is left over: the first of these whose width nobody chose. -1: none.
int RunsView::filler() const
{
    for (const RunsModel::Column column : {RunsModel::Note, RunsModel::Name})
        if (!isColumnHidden(column) && !m_columns.width(column))
            return column;
    return -1;
}

/// The name, what the user asked for, then the others by need; what was taken off is not among them.
std::vector<RunsModel::Column> RunsView::byWish() const
{
    std::vector<RunsModel::Column> columns{RunsModel::Name};
    for (const bool asked : {true, false})
        for (const RunsModel::Column column : kByNeed)
            if (column != RunsModel::Name && m_columns.isWanted(column) == (asked ? std::optional(true) : std::nullopt))
                columns.push_back(column);
    return columns;
}

void RunsView::fitColumns()
{
    const QScopedValueRollback fitting(m_isFitting, true);
    for (const RunsModel::Column column : kByNeed)
        setColumnHidden(column, false); // a hidden one has no width to ask for
    const std::vector<RunsModel::Column> columns = byWish();
    for (const RunsModel::Column column : kByNeed)
        setColumnHidden(column, std::find(columns.begin(), columns.end(), column) == columns.end());
    int left = viewport()->width();
    bool fits = true; // the first that does not ends it: what is shown is no matter of chance
    for (const RunsModel::Column column : columns) {
        const bool isAsked = column == RunsModel::Name || m_columns.isWanted(column) == true;
        const int wish = wishedWidth(column);
        fits = fits && (isAsked || wish <= left);
        setColumnHidden(column, !fits && !isAsked);
        if (isColumnHidden(column))
            continue;
        setColumnWidth(column, column == RunsModel::Name ? std::min(wish, left) : wish);
        left -= wish;
    }
    // What was asked for and has no room is scrolled to; else nothing lies beyond the edge.
    setHorizontalScrollBarPolicy(left < 0 ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    if (const int widest = filler(); widest >= 0)
        setColumnWidth(widest, columnWidth(widest) + std::max(0, left));
}

void RunsView::fillColumnsMenu(QMenu& menu)
{
    for (int section = RunsModel::Name + 1; section < RunsModel::ColumnCount; ++section) {
        const auto column = static_cast<RunsModel::Column>(section);
        QAction* entry = menu.addAction(m_model.headerData(section, Qt::Horizontal, Qt::DisplayRole).toString());
        entry->setCheckable(true);
        entry->setChecked(!isColumnHidden(section));
        connect(entry, &QAction::triggered, this, [this, column](bool wanted) {
            m_columns.want(column, wanted);
            fitColumns();
        });
    }
    menu.addSeparator();
    connect(menu.addAction(tr("Fit to Width")), &QAction::triggered, this, [this] {
        m_columns.forgetWanted();
        fitColumns();
    });
}

bool RunsView::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && isOurs(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QTreeView::event(event);
}

void RunsView::keyPressEvent(QKeyEvent* event)
{
    const bool isTyping = state() == EditingState; // what the field hands on is not meant for the row
    if (isTyping || !isOurs(*event) || selectedRows().isEmpty())
        return QTreeView::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_F2: Q_EMIT renameAsked(); break;
    case Qt::Key_Delete:
    case Qt::Key_Backspace: Q_EMIT deleteAsked(); break;
    case Qt::Key_Space: Q_EMIT overlayAsked(); break;
    default: Q_EMIT reopenAsked(); break;
    }
}

void RunsView::closeEditor(QWidget* editor, QAbstractItemDelegate::EndEditHint hint)
{
    QTreeView::closeEditor(editor, hint);
    fitColumns();
}

/// The row with the keyboard may have been scrolled away, or left behind when the panel shrank.
void RunsView::focusInEvent(QFocusEvent* event)
{
    QTreeView::focusInEvent(event);
    if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason)
        scrollTo(currentIndex());
}

void RunsView::resizeEvent(QResizeEvent* event)
{
    QTreeView::resizeEvent(event);
    fitColumns();
}

void RunsView::selectionChanged(const QItemSelection& selected, const QItemSelection& deselected)
{
    QTreeView::selectionChanged(selected, deselected);
    Q_EMIT selectionMoved();
}

} // namespace unroll
