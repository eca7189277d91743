// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/lesson_strip.h"

#include "app/studio/start/lesson_step_button.h"
#include "app/studio/start/spotlight.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/key_names.h"
#include "app/studio/theme/metrics.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace unroll {

LessonStrip::LessonStrip(const Appearance& appearance, QWidget* parent)
    : QFrame(parent),
      m_appearance(appearance),
      m_row(new QHBoxLayout(this)),
      m_more(new QPushButton(tr("More Experiments"))),
      m_spotlight(new Spotlight(appearance, this))
{
    setAccessibleName(tr("Lesson"));
    setProperty("fill", "note");
    m_row->setContentsMargins(space::s, space::xs, space::xs, space::xs);
    m_row->setSpacing(space::s);
    m_more->setAutoDefault(true);
    m_more->hide();
    m_row->addWidget(m_more, 0, Qt::AlignVCenter);
    auto* close = new QToolButton;
    close->setIcon(appearance.icon("close"));
    close->setToolTip(tr("Close; reopen it from the Help menu"));
    close->setAccessibleName(tr("Close"));
    m_row->addWidget(close, 0, Qt::AlignTop);
    connect(close, &QToolButton::clicked, this, &LessonStrip::closed);
    connect(m_more, &QPushButton::clicked, this, &LessonStrip::moreAsked);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { followFocus(now); });
    hide();
}

/// While its parts go the focus may move once more.
LessonStrip::~LessonStrip()
{
    disconnect(qApp, nullptr, this, nullptr);
}

void LessonStrip::followFocus(const QWidget* now)
{
    for (const auto& [name, target] : m_targets)
        if (now != nullptr && target.widget && (now == target.widget || target.widget->isAncestorOf(now)))
            visited(target.widget);
}

void LessonStrip::addTarget(const std::string& name, const LessonTarget& target)
{
    m_targets[name] = target;
    target.widget->installEventFilter(this);
}

void LessonStrip::setLesson(const Lesson& lesson, const std::function<QString(const QString& sentence)>& textOf)
{
    for (LessonStepButton* old : std::exchange(m_buttons, {})) {
        old->hide();
        old->deleteLater(); // one may be the button that is pressed
    }
    m_steps.clear();
    for (const LessonStep& step : lesson.steps) {
        const auto target = m_targets.find(step.at);
        if (target == m_targets.end())
            continue;
        const std::size_t index = m_steps.size();
        m_steps.push_back({step, &target->second});
        const QString sentence = textOf(QString::fromStdString(step.say));
        auto* button = new LessonStepButton(m_appearance, static_cast<int>(index) + 1, sentence);
        connect(button, &QAbstractButton::clicked, this, [this, index] { press(index); });
        m_row->insertWidget(static_cast<int>(index), button, static_cast<int>(sentence.size()));
        connect(&KeyNames::all(), &KeyNames::changed, button,
                [button, textOf, say = step.say] { button->setText(textOf(QString::fromStdString(say))); });
        m_buttons.push_back(button);
        button->show();
    }
    look();
}

void LessonStrip::press(std::size_t index)
{
    Step& step = m_steps[index];
    step.asked = true;
    step.target->show(step.step);
    m_spotlight->pointAt(*step.target->widget);
    look();
}

bool LessonStrip::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Enter)
        visited(watched);
    return QFrame::eventFilter(watched, event);
}

/// A look at what does not hold yet is none.
void LessonStrip::visited(const QObject* place)
{
    for (Step& step : m_steps)
        if (!step.done && step.target->widget == place && step.target->byLooking && step.target->holds(step.step))
            finish(step);
}

void LessonStrip::look()
{
    for (Step& step : m_steps)
        if (!step.done && (step.asked || !step.target->byLooking) && step.target->holds(step.step))
            step.done = true;
    refresh();
}

void LessonStrip::finish(Step& step)
{
    step.done = true;
    refresh();
}

void LessonStrip::refresh()
{
    bool next = true;
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        using State = LessonStepButton::State;
        const State state = m_steps[i].done ? State::Done : next ? State::Next : State::Later;
        next = next && m_steps[i].done;
        if (m_buttons[i]->state() != state)
            m_buttons[i]->setState(state);
    }
    m_more->setVisible(!m_steps.empty() && next);
}

} // namespace unroll
