// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/runs/column_settings.h"
#include "app/studio/runs/runs_model.h"

#include <QAbstractItemDelegate>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <optional>
#include <vector>

class QMenu;

namespace unroll {

/// The runs of one experiment, or of all, that hold every word that was typed, whatever the case, in the order of the
/// column chosen.
class RunsFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RunsFilter(RunsModel& model, QObject* parent = nullptr);

    void setWords(const QString& words);
    void setExperiment(const std::optional<QString>& title); ///< nothing: of all

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    QStringList m_words;
    std::optional<QString> m_experiment;
};

/// The table of runs. Shows as many columns as there is room for, what matters most first; keys act on rows, not on
/// cells. A column that is asked for in the menu of the headings is shown in any case, one that is taken off there
/// never. A column that was dragged to another width keeps it, until a double click on its edge takes that back.
class RunsView : public QTreeView {
    Q_OBJECT
public:
    RunsView(RunsModel& model, const ColumnSettings& columns, QWidget* parent = nullptr);

    RunsFilter& filter() const { return *m_filter; }
    /// Rows of the model: what is selected, in the order seen.
    QList<int> selectedRows() const;
    void select(int row);
    void editCell(int row, RunsModel::Column column); ///< by typing into it
    void toggleOverlay(int row);
    /// Chooses the columns that fit and how wide they are.
    void fitColumns();
    /// An entry a column, ticked where it is shown, and one that takes every choice back. Asked for again each time.
    void fillColumnsMenu(QMenu& menu);

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
    void endEditing();
    QModelIndex shown(int row, RunsModel::Column column) const;
    int wishedWidth(RunsModel::Column column) const;
    int filler() const;
    void letWidthsBeChosen();
    std::vector<RunsModel::Column> byWish() const;

    RunsModel& m_model;
    ColumnSettings m_columns;
    bool m_isFitting = false; ///< columns are resized by this, not by the user
    RunsFilter* m_filter;
};

} // namespace unroll
