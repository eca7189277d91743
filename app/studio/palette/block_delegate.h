// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace unroll {

class Appearance;
struct BlockMatch;

/// Draws a row of a BlockListModel: the block's icon on its category's colour, the title with the letters that were
/// asked for in bold, and if wished the block's summary in what room is left.
class BlockDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    /// `titleWidth`: of the widest title in bold, in pixels. Summaries begin behind it, one below the other.
    BlockDelegate(const Appearance& appearance, int titleWidth, bool summaries, QObject* parent = nullptr);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    int leastWidth() const; ///< of a row that shows its title whole
    int blockHeight() const;

private:
    int tileSide() const; ///< of the icon's tile
    int textLeft() const;
    void paintHeading(QPainter& painter, const QRect& row, const QString& words) const;
    void paintBlock(QPainter& painter, const QRect& row, const BlockMatch& match) const;
    void paintTitle(QPainter& painter, const QRect& place, const BlockMatch& match) const;

    const Appearance& m_appearance;
    int m_titleWidth;
    bool m_summaries;
};

} // namespace unroll
