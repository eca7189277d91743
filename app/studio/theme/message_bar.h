// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPointer>
#include <QTimer>
#include <functional>
#include <vector>

class QHBoxLayout;
class QPushButton;

namespace unroll {

class Appearance;

/// One line of words above the canvas: what went wrong or what to know, in the reader's way as little as possible. A
/// question has its answers beside it and holds up nothing.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    explicit MessageBar(const Appearance& appearance, QWidget* parent = nullptr);

    /// One button of a question and what it does.
    struct Answer {
        QString label;
        std::function<void()> chosen;
    };

    void showError(const QString& sentence);
    void showNote(const QString& sentence); ///< goes by itself after a while
    enum class Tone { Note, Warning, Error };
    /// Stays until one of the answers is chosen or it is closed.
    void offer(Tone tone, const QString& sentence, const std::vector<Answer>& answers);
    /// Likewise; without answers it is a warning.
    void ask(const QString& sentence, const std::vector<Answer>& answers) { offer(Tone::Warning, sentence, answers); }
    /// Gives the keyboard to the first answer, as after a command by key; who had it before gets it back when the bar
    /// goes. Escape closes.
    void focusAnswers();
    void takeBack(const QString& sentence); ///< what it said is over; another sentence stays
    QString shownText() const { return isHidden() ? QString() : m_words->text(); }
    void setVisible(bool visible) override;

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void show(const char* fill, const QString& sentence, const std::vector<Answer>& answers = {});
    void setAnswers(const std::vector<Answer>& answers);
    void returnFocus();

    QLabel* m_words;
    QHBoxLayout* m_row;
    std::vector<QPushButton*> m_answers;
    QPointer<QWidget> m_focusBefore; ///< who had the keyboard before an answer
    QTimer m_away;
};

} // namespace unroll
