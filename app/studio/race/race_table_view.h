// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/race/race_table_model.h"

#include <QTreeView>

class QMenu;

namespace unroll {

/// The table of a race: lanes, and below each its runs. A heading sorts; a double click or Return opens a run, of a
/// lane its best one.
class RaceTableView : public QTreeView {
    Q_OBJECT
public:
    explicit RaceTableView(const Appearance& appearance, QWidget* parent = nullptr);

    void setResults(std::shared_ptr<const RaceResults> results);
    std::vector<std::size_t> shownLanes() const; ///< their numbers, from the top
    /// The entries for what is selected. The caller owns the menu.
    void fillMenu(QMenu& menu);

Q_SIGNALS:
    void runAsked(const QString& folder);                        ///< empty: it has not started
    void bothAsked(const QString& first, const QString& second); ///< to be viewed side by side

protected:
    void focusInEvent(QFocusEvent* event) override;

private:
    void fitColumns(const RaceResults& results);
    void showMenu(const QPoint& at);
    QStringList selectedRuns() const;

    RaceTableModel m_model;
    RaceOrder m_order;
};

} // namespace unroll
