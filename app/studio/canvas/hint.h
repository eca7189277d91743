// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <functional>

namespace unroll {

/// Words beside the cursor, on top of the canvas: why a wire does not fit, and the button that mends it. Kept inside
/// its parent, where it hides least.
class Hint : public QFrame {
    Q_OBJECT
public:
    /// How much of what matters lies in a rectangle of the parent, in square pixels.
    using Hidden = std::function<double(const QRect&)>;

    Hint(Hidden hidden, QWidget* parent);

    /// Follows the pointer until hidden.
    void showAt(const QPoint& at, const QString& words);
    /// Stays for a while, so that the button can be reached. An empty title: no button.
    void offerAt(const QPoint& at, const QString& words, const QString& title, std::function<void()> mend);
    QString shownText() const { return isHidden() ? QString() : m_words->text(); }
    QPushButton& button() { return *m_button; }

private:
    void place(const QPoint& at, const QString& words);
    QPoint bestCorner(const QPoint& at) const;

    Hidden m_hidden;
    QLabel* m_words;
    QPushButton* m_button;
    QTimer m_away;
    std::function<void()> m_mend;
};

} // namespace unroll
