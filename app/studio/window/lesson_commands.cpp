// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/lesson_commands.h"

#include "app/studio/document/document.h"
#include "app/studio/run/run_controller.h"
#include "app/studio/start/lesson_strip.h"
#include "app/studio/theme/key_names.h"
#include "app/studio/theme/message_bar.h"
#include "app/studio/window/file_commands.h"
#include "app/studio/window/panels.h"

namespace unroll {

LessonCommands::LessonCommands(const Context& context, const Document& document, const FileCommands& files,
                               QObject* parent)
    : QObject(parent), m_context(context)
{
    addTargets();
    QAction& shown = context.shown;
    LessonStrip& strip = context.strip;
    shown.setCheckable(true);
    connect(&shown, &QAction::toggled, &strip, &QWidget::setVisible);
    connect(&strip, &LessonStrip::closed, this, [&shown] { shown.setChecked(false); });
    connect(&document, &Document::replaced, this, [this] { showLesson({}); });
    connect(&files, &FileCommands::galleryOpened, this, &LessonCommands::showLesson);
    connect(&context.controller, &RunController::runChanged, &strip, &LessonStrip::look);
    connect(&context.controller, &RunController::snapshotChanged, &strip, &LessonStrip::look);
    showLesson({});
}

void LessonCommands::addTargets()
{
    m_context.strip.addTarget(
        "run", {&m_context.runButton, [](const LessonStep&) {},
                [this](const LessonStep&) { return m_context.controller.experiment().has_value(); }, false});
    for (const PanelSet::Panel& panel : m_context.panels.all()) {
        const auto show = [this, panel](const LessonStep& step) {
            m_context.showPanel(*panel.dock);
            if (panel.spec.showStep)
                panel.spec.showStep(*panel.widget, step);
        };
        const auto holds = [panel](const LessonStep& step) {
            return !panel.spec.holdsStep || panel.spec.holdsStep(*panel.widget, step);
        };
        m_context.strip.addTarget(panel.spec.id, {panel.widget, show, holds});
    }
}

/// What there is to say of this file of the gallery; of no file, nothing.
void LessonCommands::showLesson(const QString& galleryFile)
{
    auto lesson = galleryFile.isEmpty() ? Result<Lesson>(Lesson{}) : lessonOf(galleryFile.toStdString());
    if (!lesson)
        m_context.messages.showError(QString::fromStdString(lesson.error().text()));
    m_context.strip.setLesson(lesson.value_or(Lesson{}),
                              [](const QString& sentence) { return KeyNames::all().in(sentence); });
    m_context.shown.setEnabled(!m_context.strip.isEmpty());
    m_context.shown.setChecked(!m_context.strip.isEmpty());
}

} // namespace unroll
