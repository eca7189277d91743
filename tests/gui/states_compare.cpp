// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/compare/comparing.h"
#include "app/studio/window/lens_panel.h"
#include "tests/gui/made_runs.h"
#include "tests/gui/states.h"
#include "tests/gui/waiting.h"

namespace unroll::test {

namespace {

/// A run that rests, and the State of it.
Comparing& comparedState(Studio& studio)
{
    (void)studio.window.document().save(studio.folder.filePath("fable.unroll"));
    makeRun(studio.folder.filePath("runs"), "fable-1", 90, RunState::Finished, 1.3);
    studio.window.controller().step(studio.window.document().experiment(), SessionOptions{}, 30);
    studio.window.arrange("watch");
    studio.window.showPanel(studio.window.panels().dock("state"));
    settle(studio.window);
    return *Comparing::of(studio.window.panel<StatePanel>());
}

void compareWith(Studio& studio, Comparing& sides, const SecondSide& side, const CompareWish& wish = {})
{
    sides.choose(side);
    if (wish.way == CompareWay::Difference)
        sides.page()->findChild<QToolButton*>("compareDifference")->click();
    if (wish.matchUnits)
        sides.page()->findChild<QCheckBox*>("compareMatch")->click();
    (void)comes([&] { return !sides.page()->isEmpty(); });
    settle(studio.window, 50);
}

std::function<void(Studio&)> touchedState(const CompareWish& wish)
{
    return [wish](Studio& studio) {
        compareWith(studio, comparedState(studio),
                    {.kind = SecondSide::Kind::Touched, .edit = "lstm_1.h[3] = 0 from 8"}, wish);
    };
}

void runBeside(Studio& studio)
{
    Comparing& sides = comparedState(studio);
    compareWith(studio, sides,
                {.kind = SecondSide::Kind::Run, .folder = studio.folder.filePath("runs/fable-1").toStdString()});
}

void answersBeside(Studio& studio)
{
    Comparing& unused = comparedState(studio);
    (void)unused;
    studio.window.showPanel(studio.window.panels().dock("lens.answers"));
    settle(studio.window);
    auto& panel = *qobject_cast<LensPanel*>(studio.window.panels().at("lens.answers").widget);
    compareWith(studio, *Comparing::of(panel.view()),
                {.kind = SecondSide::Kind::Run, .folder = studio.folder.filePath("runs/fable-1").toStdString()});
}

void typingAnEdit(Studio& studio)
{
    Comparing& sides = comparedState(studio);
    sides.choose({.kind = SecondSide::Kind::Touched});
    sides.page()->edit().setText("lstm_1.h[3 = 0");
    QTest::keyClick(&sides.page()->edit(), Qt::Key_Return);
    settle(studio.window);
}

void menuOpen(Studio& studio)
{
    Comparing& sides = comparedState(studio);
    sides.menu().popup(sides.button().mapToGlobal(QPoint(0, sides.button().height())));
    settle(studio.window, 75);
}

} // namespace

std::vector<StudioState> compareStates()
{
    return {{"compare-menu", menuOpen},
            {"compare-touched", touchedState({})},
            {"compare-difference", touchedState({CompareWay::Difference, false})},
            {"compare-matched", touchedState({CompareWay::Beside, true})},
            {"compare-run", runBeside},
            {"compare-answers", answersBeside},
            {"compare-edit-wrong", typingAnEdit}};
}

} // namespace unroll::test
