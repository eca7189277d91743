// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/figure.h"

#include <QTreeWidget>

namespace unroll {

class Appearance;

/// A table of a figure. A row that the keyboard or a click comes to is chosen.
class FigureTableView : public QTreeWidget {
    Q_OBJECT
public:
    explicit FigureTableView(const Appearance& appearance, QWidget* parent = nullptr);

    /// The row that was chosen stays so, by what its first cell says.
    void setTable(const FigureTable& table);
    const FigureTable& table() const { return m_table; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void focusInEvent(QFocusEvent* event) override;

Q_SIGNALS:
    void rowChosen(const unroll::FigureTable::Row& row);
    void pointed(const QString& words);

private:
    void fill();
    bool isOfNumbers(int column) const;
    void choose(QTreeWidgetItem* item);
    QString rowText(int row) const;
    int heightOf(int rows) const;

    FigureTable m_table;
};

} // namespace unroll
