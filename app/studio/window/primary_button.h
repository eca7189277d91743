// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QToolButton>

namespace unroll {

/// The one button that a bar is about, on the accent colour. As wide as the longest of its words asks, whatever it says
/// now, so that nothing moves beside it; icon and word stand in its middle.
class PrimaryButton : public QToolButton {
    Q_OBJECT
public:
    PrimaryButton(QAction* action, QStringList words, QWidget* parent = nullptr);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QStringList m_words;
};

} // namespace unroll
