// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace unroll {

class Appearance;

/// Draws one problem: its mark, its sentence over as many lines as it needs, and below where it is and the fix as a
/// link.
class ProblemDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    ProblemDelegate(const Appearance& appearance, QObject* parent = nullptr);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;
    /// Where the fix's link stands within a row; empty when there is none.
    QRect fixRect(const QRect& row, const QModelIndex& index) const;

Q_SIGNALS:
    void fixClicked(const QModelIndex& index);
    void rowClicked(const QModelIndex& index);

private:
    struct Lines {
        QRect icon, sentence, where, fix;
        int height;
    };
    Lines layOut(const QRect& row, const QModelIndex& index) const;

    const Appearance& m_appearance;
};

} // namespace unroll
