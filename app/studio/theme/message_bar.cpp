// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/message_bar.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/plain_label.h"
#include "app/studio/theme/style.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPushButton>
#include <QToolButton>
#include <utility>

namespace unroll {

MessageBar::MessageBar(const Appearance& appearance, QWidget* parent)
    : QFrame(parent), m_words(plainLabel({})), m_row(new QHBoxLayout(this))
{
    m_row->setContentsMargins(space::m, space::xs, space::xs, space::xs);
    m_row->setSpacing(space::s);
    auto* close = new QToolButton;
    close->setIcon(appearance.icon("close"));
    close->setToolTip(tr("Close"));
    close->setAccessibleName(tr("Close the message"));
    m_row->addWidget(m_words, 1);
    m_row->addWidget(close);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    m_away.setSingleShot(true);
    connect(&m_away, &QTimer::timeout, this, &QWidget::hide);
    hide();
}

void MessageBar::show(const char* fill, const QString& sentence, const std::vector<Answer>& answers)
{
    returnFocus();
    setAnswers(answers);
    m_words->setText(sentence);
    restyle(*this, "fill", fill);
    setVisible(true);
}

/// Buttons go later: one of them may be the one that is pressed.
void MessageBar::setAnswers(const std::vector<Answer>& answers)
{
    for (QPushButton* old : std::exchange(m_answers, {})) {
        old->hide();
        old->deleteLater();
    }
    for (const Answer& answer : answers) {
        auto* button = new QPushButton(answer.label);
        button->setAutoDefault(true); // Return presses it, as Space does
        m_row->insertWidget(m_row->count() - 1, button);
        button->show(); // not only when the layout comes to it
        m_answers.push_back(button);
        connect(button, &QPushButton::clicked, this, [this, chosen = answer.chosen] {
            hide();
            chosen();
        });
    }
}

void MessageBar::offer(Tone tone, const QString& sentence, const std::vector<Answer>& answers)
{
    m_away.stop();
    show(tone == Tone::Error ? "error" : tone == Tone::Warning ? "warning" : "note", sentence, answers);
}

void MessageBar::focusAnswers()
{
    if (m_answers.empty())
        return;
    m_focusBefore = QApplication::focusWidget();
    m_answers.front()->setFocus(Qt::ShortcutFocusReason);
}

void MessageBar::returnFocus()
{
    const QWidget* now = QApplication::focusWidget();
    if (m_focusBefore && now != nullptr && isAncestorOf(now))
        m_focusBefore->setFocus();
    m_focusBefore.clear();
}

void MessageBar::setVisible(bool visible)
{
    if (!visible)
        returnFocus();
    QFrame::setVisible(visible);
}

void MessageBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        hide();
    else
        QFrame::keyPressEvent(event);
}

void MessageBar::showError(const QString& sentence)
{
    m_away.stop();
    show("error", sentence);
}

void MessageBar::showNote(const QString& sentence)
{
    show("note", sentence);
    m_away.start(6000);
}

void MessageBar::takeBack(const QString& sentence)
{
    if (m_words->text() == sentence)
        hide();
}

} // namespace unroll
