// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/experiment/lesson.h"

#include <QFrame>
#include <QPointer>
#include <functional>
#include <map>
#include <vector>

class QHBoxLayout;
class QPushButton;

namespace unroll {

class Appearance;
class LessonStepButton;
class Spotlight;

/// Something of the window that a step of a lesson is about.
struct LessonTarget {
    QPointer<QWidget> widget;
    std::function<void(const LessonStep&)> show;  ///< brings it into view, with what the step is about
    std::function<bool(const LessonStep&)> holds; ///< there is what the step speaks of
    bool byLooking = true; ///< done when the user has been there while it held; else as soon as it holds
};

/// The lesson strip above the canvas: steps of an experiment of the gallery. A step ticks off when it is done; pressed,
/// it shows the place. May be closed, and opened again.
class LessonStrip : public QFrame {
    Q_OBJECT
public:
    explicit LessonStrip(const Appearance& appearance, QWidget* parent = nullptr);
    ~LessonStrip() override;

    void addTarget(const std::string& name, const LessonTarget& target);
    /// Another lesson, none of it done. Steps whose place this window does not have are left out.
    void setLesson(const Lesson& lesson, const std::function<QString(const QString& sentence)>& textOf);
    bool isEmpty() const { return m_steps.empty(); }
    void look(); ///< whether a step is done by now

    const std::vector<LessonStepButton*>& steps() const { return m_buttons; }
    QPushButton& more() const { return *m_more; }

Q_SIGNALS:
    void moreAsked(); ///< another experiment
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Step {
        LessonStep step;
        const LessonTarget* target;
        bool asked = false; ///< the user pressed it: its place is being viewed
        bool done = false;
    };
    void press(std::size_t index);
    void followFocus(const QWidget* now);
    void visited(const QObject* place);
    void finish(Step& step);
    void refresh();

    const Appearance& m_appearance;
    std::map<std::string, LessonTarget> m_targets;
    std::vector<Step> m_steps;
    std::vector<LessonStepButton*> m_buttons;
    QHBoxLayout* m_row;
    QPushButton* m_more;
    Spotlight* m_spotlight;
};

} // namespace unroll
