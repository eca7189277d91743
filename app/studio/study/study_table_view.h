// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/study/study_table_model.h"

#include <QTreeView>

class QMenu;

namespace unroll {

/// The trials of a study. A heading sorts; a double click or Return opens a run.
class StudyTableView : public QTreeView {
    Q_OBJECT
public:
    explicit StudyTableView(const Appearance& appearance, QWidget* parent = nullptr);

    /// Trials outside the brushes are left out; the chosen one is the current row.
    void setPlot(const StudyPlot& plot, const StudyWatch& watch);
    std::vector<std::int64_t> shownTrials() const; ///< from the top
    QString asMarkdown() const;                    ///< what is shown, with its headings
    void fillMenu(QMenu& menu);                    ///< for the current row

Q_SIGNALS:
    void openAsked(std::int64_t trial);
    void chosen(std::optional<std::int64_t> trial);
    void copyAsked();

protected:
    void focusInEvent(QFocusEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    void fitColumns();
    void showMenu(const QPoint& at);

    StudyTableModel m_model;
    StudyOrder m_order;
    bool m_isFilling = false;
    QString m_file;
};

} // namespace unroll
