// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/lesson_step_button.h"
#include "app/studio/start/spotlight.h"
#include "app/studio/start/start_row.h"
#include "app/studio/window/recent_menu.h"
#include "tests/gui/states.h"
#include "tests/gui/waiting.h"

namespace unroll::test {

namespace {

void startPage(Studio& studio)
{
    studio.window.startMode().show();
    (void)comes([&] { return studio.window.startPage().isFilled(); });
}

/// Without panels beside it a window goes narrower than three of them take; the page stands in one column then.
void narrowStartPage(Studio& studio)
{
    startPage(studio);
    studio.window.resize(760, 900);
    settle(studio.window);
}

/// One that is there, one that is not.
void startPageWithRecent(Studio& studio)
{
    const QString mine = studio.folder.filePath("wider and slower.unroll");
    (void)saveExperiment(studio.window.document().experiment(), mine.toStdString());
    studio.window.recentFiles().note(studio.folder.filePath("gone.unroll"));
    studio.window.recentFiles().note(mine);
    startPage(studio);
    (void)comes([&] { return !studio.window.startPage().recent().front()->note().isEmpty(); });
    studio.window.startPage().recent().front()->setFocus();
}

/// Of a studio that ended early: of two that were never saved and of a file.
void lostWork(Studio& studio)
{
    startPage(studio);
    const QString mine = studio.folder.filePath("wider and slower.unroll");
    (void)saveExperiment(studio.window.document().experiment(), mine.toStdString());
    for (const QString& file : {QString(), mine, QString()}) {
        const auto side = SideFile::claim(file, studio.context.autosave.folder);
        Experiment changed = studio.window.document().experiment();
        changed.seed = 77;
        (void)side->write(changed);
    }
    studio.window.recentFiles().note(mine);
    studio.window.files().offerAbandoned();
    (void)clickOn(studio.window.questions(), "Show List …");
    settle(studio.window);
}

void lessonUnderWay(Studio& studio)
{
    studio.key(Qt::Key_F5);
    (void)comes(
        [&] { return !studio.window.panel<CurvesPanel>().isEmpty() && !studio.window.panel<StatePanel>().isEmpty(); });
    studio.key(Qt::Key_F6);
    QTest::mouseClick(studio.window.lesson().steps()[1], Qt::LeftButton);
}

void lessonDone(Studio& studio)
{
    lessonUnderWay(studio);
    QTest::mouseClick(studio.window.lesson().steps()[2], Qt::LeftButton);
    const auto* spotlight = studio.window.lesson().findChild<Spotlight*>();
    (void)comes([&] { return spotlight->frame() == nullptr || !spotlight->frame()->isVisible(); });
}

} // namespace

std::vector<StudioState> startStates()
{
    return {{"start", startPage},          {"start-narrow", narrowStartPage}, {"start-recent", startPageWithRecent},
            {"start-lost-work", lostWork}, {"lesson", lessonUnderWay, true},  {"lesson-done", lessonDone}};
}

} // namespace unroll::test
