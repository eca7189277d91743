// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QTimer>

namespace unroll {

class Appearance;

/// One line of words above the canvas: what went wrong or what to know, in the reader's way as little as possible.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    explicit MessageBar(const Appearance& appearance, QWidget* parent = nullptr);

    void showError(const QString& sentence);
    void showNote(const QString& sentence); ///< goes by itself after a while
    void takeBack(const QString& sentence); ///< what it said is over; another sentence stays
    QString words() const { return isHidden() ? QString() : m_words->text(); }

private:
    void show(const char* fill, const QString& sentence);

    QLabel* m_words;
    QTimer m_away;
};

} // namespace unroll
