// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/column_summary.h"

#include <QWidget>

namespace unroll {

class Appearance;

/// One column of numbers from its first row to its last, as the band between the least and the greatest at each place;
/// the rows that validate in the colour of the validation curve. Gaps are places without a number.
class SeriesSketch : public QWidget {
    Q_OBJECT
public:
    explicit SeriesSketch(const Appearance& appearance, QWidget* parent = nullptr);

    /// `validation` is the share of the rows, at the end, that validates: 0..1.
    void setColumn(const ColumnSummary& column, double validation);

    static constexpr int kHeight = 36;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double heightOf(double value) const;

    const Appearance& m_appearance;
    ColumnSummary m_column;
    double m_validation = 0;
};

} // namespace unroll
