// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace unroll {

/// One line of plain text that may be longer than its place: it ends in an ellipsis then, and a tool tip says all of
/// it. Asks for no width.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    void setText(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void tellTheRest();
};

} // namespace unroll
