// SPDX-License-Identifier: GPL-3.0-or-later
// The window's start page, and what it says of an experiment of the gallery.
#include "app/studio/theme/key_words.h"
#include "app/studio/window/file_commands.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/primary_button.h"
#include "app/studio/window/window_list.h"

#include <QFileInfo>
#include <QStackedWidget>
#include <utility>

namespace unroll {

namespace {

QString withKeys(const QString& sentence)
{
    return KeyWords::all().in(sentence);
}

} // namespace

void MainWindow::connectStart()
{
    m_ownData = new OwnData(*this);
    addLessonTargets();
    connect(m_actions.start, &QAction::triggered, this, &MainWindow::showStart);
    connect(m_start, &StartPage::left, this, &MainWindow::leaveStart);
    connect(m_start, &StartPage::experimentAsked, this, [this](const QString& path) {
        if (m_files->openWhereItFits(path) != nullptr)
            leaveStart();
    });
    connect(m_start, &StartPage::openAsked, m_files, &FileCommands::openDialog);
    connect(m_start, &StartPage::emptyAsked, this, &MainWindow::openEmpty);
    connect(m_start, &StartPage::dataAsked, m_ownData, &OwnData::choose);
    connect(m_start, &StartPage::pasteAsked, m_ownData, &OwnData::paste);
    connect(m_ownData, &OwnData::chosen, this, [this](const QString& path) {
        if (openData(path) != nullptr)
            leaveStart();
    });
    connect(m_ownData, &OwnData::failed, m_messages, &MessageBar::showError);
    connect(&m_document, &Document::graphChanged, this, &MainWindow::leaveStart);
    connect(&m_controller, &RunController::runChanged, this, &MainWindow::leaveStart);
    for (Dock* dock : m_panels.docks())
        connect(dock->toggleViewAction(), &QAction::triggered, this, [this, dock](bool shown) {
            leaveStart();
            dock->setVisible(shown);
        });

    m_actions.lesson->setCheckable(true);
    connect(m_actions.lesson, &QAction::triggered, this, &MainWindow::leaveStart);
    connect(m_actions.lesson, &QAction::toggled, m_lesson, &QWidget::setVisible);
    connect(m_lesson, &LessonStrip::closed, this, [this] { m_actions.lesson->setChecked(false); });
    connect(m_lesson, &LessonStrip::moreAsked, this, &MainWindow::showStart);
    connect(&m_document, &Document::replaced, this, [this] { teach({}); });
    connect(&m_controller, &RunController::runChanged, m_lesson, &LessonStrip::look);
    connect(&m_controller, &RunController::snapshotChanged, m_lesson, &LessonStrip::look);
    teach({});
}

/// Steps are about the Run button or about a panel.
void MainWindow::addLessonTargets()
{
    m_lesson->addTarget("run", {m_runBar->findChild<PrimaryButton*>(), [](const LessonStep&) {},
                                [this](const LessonStep&) { return m_controller.experiment().has_value(); }, false});
    for (const PanelSet::Panel& panel : m_panels.all()) {
        const auto show = [this, panel](const LessonStep& step) {
            showPanel(*panel.dock);
            if (panel.spec.showStep)
                panel.spec.showStep(*panel.widget, step);
        };
        const auto holds = [panel](const LessonStep& step) {
            return !panel.spec.holdsStep || panel.spec.holdsStep(*panel.widget, step);
        };
        m_lesson->addTarget(panel.spec.id, {panel.widget, show, holds});
    }
}

/// What there is to say of this file of the gallery; of no file, nothing.
void MainWindow::teach(const QString& galleryFile)
{
    auto lesson = galleryFile.isEmpty() ? Result<Lesson>(Lesson{}) : lessonOf(galleryFile.toStdString());
    if (!lesson)
        m_messages->showError(QString::fromStdString(lesson.error().text()));
    m_lesson->setLesson(lesson.value_or(Lesson{}), withKeys);
    m_actions.lesson->setEnabled(!m_lesson->isEmpty());
    m_actions.lesson->setChecked(!m_lesson->isEmpty());
}

bool MainWindow::isStartShown() const
{
    return m_centre->currentWidget() == m_start;
}

void MainWindow::showStart()
{
    if (isStartShown())
        return;
    m_panelsBefore = isVisible() ? saveState() : QByteArray();
    for (Dock* dock : m_panels.docks())
        dock->hide();
    m_runBar->setVisible(m_controller.isUnderWay());
    m_lesson->hide();
    m_messages->hide(); // it spoke of the canvas
    const bool anything = !m_document.graph().nodes.empty() || !m_document.path().isEmpty();
    m_start->setBack(anything ? m_document.title() : QString());
    m_start->setRecent(recentFiles().entries());
    m_centre->setCurrentWidget(m_start);
    m_start->setFocus();
    refreshTitle();
}

/// A window that was not seen before has no panels to go back to: they are put where its layout has them.
void MainWindow::leaveStart()
{
    if (!isStartShown())
        return;
    const QByteArray panels = std::exchange(m_panelsBefore, {});
    uncover(); // first: what panels do as they come must not begin this again
    const bool nothing = m_document.graph().nodes.empty() && !m_controller.experiment();
    if (panels.isEmpty())
        arrange(nothing ? "edit" : m_layout); // an empty canvas wants blocks
    else
        restoreState(panels);
}

void MainWindow::uncover()
{
    if (!isStartShown())
        return;
    m_panelsBefore.clear();
    m_messages->hide(); // it spoke of the start page
    m_centre->setCurrentWidget(m_view);
    m_runBar->show();
    m_lesson->setVisible(m_actions.lesson->isChecked());
    m_view->setFocus();
    refreshTitle();
}

void MainWindow::showPanel(Dock& dock)
{
    leaveStart();
    dock.show();
    dock.raise();
}

void MainWindow::openEmpty()
{
    MainWindow& window = fittingWindow(*this);
    window.m_document.replace({}, {});
    window.show();
    leaveStart();
    window.arrange("edit"); // with the palette: there is nothing to train yet
}

MainWindow* MainWindow::openData(const QString& path)
{
    auto experiment = experimentOnData(path, m_workshop.registry);
    if (!experiment) {
        m_messages->showError(tr("No experiment was made. %1").arg(QString::fromStdString(experiment.error().text())));
        return nullptr;
    }
    MainWindow& window = fittingWindow(*this);
    window.m_document.replace(std::move(*experiment), {});
    window.m_view->fitAll();
    window.show();
    window.m_messages->showNote(
        withKeys(tr("This network reads %1. Run ({run}) trains it; Save keeps it.").arg(QFileInfo(path).fileName())));
    return &window;
}

} // namespace unroll
