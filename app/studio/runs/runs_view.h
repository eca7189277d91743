// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/runs/column_widths.h"
#include "app/studio/runs/runs_model.h"

#include <QAbstractItemDelegate>
#include <QSortFilterProxyModel>
#include <QTreeView>

namespace unroll {

/// The runs that hold every word that was typed, whatever the case, in the order of the column chosen.
class RunsFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RunsFilter(RunsModel& model, QObject* parent = nullptr);

    void setWords(const QString& words);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList m_words;
};

/// The table of runs. Shows as many columns as there is room for, what matters most first; keys act on rows, not on cells. A column that was
/// dragged to another width keeps it, until a double click on its edge takes that back.
class RunsView : public QTreeView {
    Q_OBJECT
public:
    RunsView(RunsModel& model, const ColumnWidths& widths, QWidget* parent = nullptr);

    RunsFilter& filter() const { return *m_filter; }
    /// Rows of the model: what is selected, in the order seen.
    QList<int> selectedRows() const;
    void select(int row);
    void editCell(int row, RunsModel::Column column); ///< by typing into it
    void toggleOverlay(int row);
    /// Chooses the columns that fit and how wide they are.
    void fitColumns();

Q_SIGNALS:
    void selectionMoved();
    void renameAsked();
    void deleteAsked();
    void reopenAsked();
    void overlayAsked();

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void closeEditor(QWidget* editor, QAbstractItemDelegate::EndEditHint hint) override;
    void resizeEvent(QResizeEvent* event) override;
    void selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) override;

private:
    QModelIndex shown(int row, RunsModel::Column column) const;
    int wishedWidth(RunsModel::Column column) const;
    int filler() const;
    void letWidthsBeChosen();

    RunsModel& m_model;
    ColumnWidths m_widths;
    bool m_isFitting = false; ///< columns are resized by this, not by a hand
    RunsFilter* m_filter;
};

} // namespace unroll
