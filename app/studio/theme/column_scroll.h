// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace unroll {

/// A panel of one column that scrolls vertically only. It asks for the width that its content needs at least, so that
/// nothing is cut at the side. The keyboard goes to what is in it; that comes into view then.
class ColumnScroll : public QScrollArea {
    Q_OBJECT
public:
    explicit ColumnScroll(const QString& name, QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace unroll
