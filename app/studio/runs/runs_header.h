// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>

namespace unroll {

/// Headings of a table that end where their figures end. The style keeps room for a sort arrow at the right of every
/// heading; here a heading of figures takes that room, and has its arrow on the left.
class RunsHeader : public QHeaderView {
    Q_OBJECT
public:
    explicit RunsHeader(QWidget* parent = nullptr);

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override;

private:
    bool isOfFigures(int section) const;
    QRect arrowPlace(const QRect& rect) const; ///< where the style would put one
};

} // namespace unroll
