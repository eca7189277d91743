// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/column_summary.h"

#include <QWidget>
#include <vector>

class QVBoxLayout;

namespace unroll {

class Appearance;

/// The columns of a table: name and what for, the least, mean and greatest number, and a drawing of each.
class ColumnList : public QWidget {
    Q_OBJECT
public:
    explicit ColumnList(const Appearance& appearance, QWidget* parent = nullptr);

    /// `hidden` columns more are there that are not listed; `validation` is the share of the rows at the end that
    /// validates.
    void setColumns(const std::vector<ColumnSummary>& columns, std::size_t hidden, double validation);

private:
    QWidget* rowOf(const ColumnSummary& column, double validation);

    const Appearance& m_appearance;
    QVBoxLayout* m_rows;
};

} // namespace unroll
