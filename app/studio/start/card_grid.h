// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLayout>
#include <memory>
#include <vector>

namespace unroll {

/// Cards of one width in as many columns as have room for what they prefer; those of one row are as high as the
/// highest. What is left of the width is shared among the columns.
class CardGrid : public QLayout {
    Q_OBJECT
public:
    explicit CardGrid(int gap, QWidget* parent = nullptr);
    ~CardGrid() override;

    int columns(int width) const;

    void addItem(QLayoutItem* item) override;
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return Qt::Horizontal; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSize() const override;
    void setGeometry(const QRect& area) override;

private:
    int widestHint() const;
    int place(const QRect& area, bool move) const;

    std::vector<std::unique_ptr<QLayoutItem>> m_items;
    int m_gap;
};

} // namespace unroll
