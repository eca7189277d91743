// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that have ended go on: by Step, by Resume, in the same window, with all that is shown of them.
#include "app/studio/theme/number_text.h"
#include "core/runs/folder_lock.h"
#include "tests/gui/area.h"
#include "tests/gui/changes.h"
#include "tests/gui/run_shelf.h"
#include "tests/support/looks.h"

#include <QSlider>
#include <algorithm>

namespace unroll::test {

namespace {

QToolButton* resumeButton(MainWindow& window)
{
    for (auto* button : window.runBar().findChildren<QToolButton*>())
        if (button->defaultAction() == window.actions().resume)
            return button;
    return nullptr;
}

std::size_t begun(Studio& studio)
{
    return studio.script->started.size();
}

/// A window on a small experiment that trains for real and keeps its runs.
struct RealShelf : RunShelf {
    static StartRun runs()
    {
        static const auto* blocks = new BlockRegistry(allSpecs()); // outlives the runs
        return sessionRuns(*blocks, allBuilders());
    }
    RealShelf() : RunShelf(runs())
    {
        studio.context.keepsRuns = true;
        open();
        own->arrange("watch");
    }
    bool isAt(RunState state, std::int64_t step)
    {
        return comes([&] { return run().state() == state && run().snapshot()->step == step; });
    }
    RunController& run() { return window().controller(); }
    std::int64_t shownStep()
    {
        const auto probe = testing::lookIn(*run().snapshot());
        return probe ? probe->step : -1;
    }
};

} // namespace

class GoOnTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aStepGoesOnFromTheEndOfAFinishedRun()
    {
        Studio studio;
        RunController& run = studio.window.controller();
        const std::int64_t steps = studio.window.document().training().steps;
        studio.script->stepsAPoll = 100;
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(run.state(), RunState::Finished);
        auto* looks = studio.window.panel<StatePanel>().findChild<QSlider*>();
        const int kept = looks->maximum();
        QVERIFY(kept > 2);
        const std::size_t rows = studio.window.panel<CurvesPanel>().series("train/loss").size();
        for (std::int64_t beyond = 1; beyond <= 3; ++beyond) {
            studio.key(Qt::Key_F10);
            QTRY_COMPARE(run.snapshot()->step, steps + beyond);
            QTRY_COMPARE(looks->maximum(), kept + static_cast<int>(beyond)); // frames are kept, and one more came
        }
        QCOMPARE(begun(studio), std::size_t{1});
        QCOMPARE(studio.window.panel<CurvesPanel>().series("train/loss").size(), rows + 3);
        const QString last = countText(steps + 3);
        QVERIFY2(studio.window.runBar().shownText().startsWith(QString("Paused, step %1 / %1").arg(last)),
                 qPrintable(studio.window.runBar().shownText()));
        QVERIFY(!studio.window.document().isModified());
    }

    void afterStopTheRunBarOffersBoth()
    {
        Studio studio;
        RunController& run = studio.window.controller();
        QVERIFY(!resumeButton(studio.window)->isVisible());
        studio.key(Qt::Key_F5);
        QTRY_VERIFY(run.snapshot()->step > 20);
        QVERIFY(!resumeButton(studio.window)->isVisible());
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(run.state(), RunState::Stopped);
        QCOMPARE(runText(studio), QStringLiteral("New Run"));
        QTRY_VERIFY(resumeButton(studio.window)->isVisible());
        QCOMPARE(resumeButton(studio.window)->text(), QStringLiteral("Resume"));
        const std::int64_t at = run.snapshot()->step;
        QTest::mouseClick(resumeButton(studio.window), Qt::LeftButton);
        QTRY_COMPARE(run.state(), RunState::Running);
        QTRY_VERIFY(run.snapshot()->step > at);
        QCOMPARE(begun(studio), std::size_t{1});
        QTRY_VERIFY(!resumeButton(studio.window)->isVisible());
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(run.state(), RunState::Stopped);
        const std::int64_t then = run.snapshot()->step;
        studio.key(Qt::Key_F10);
        QTRY_COMPARE(run.snapshot()->step, then + 1);
        QCOMPARE(run.state(), RunState::Paused);
        studio.key(Qt::Key_F8); // of a paused run it is what Run is
        QTRY_COMPARE(run.state(), RunState::Running);
        QCOMPARE(begun(studio), std::size_t{1});
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(run.state(), RunState::Stopped);
        studio.key(Qt::Key_F5);
        QCOMPARE(begun(studio), std::size_t{2});
    }

    void editsAreAskedFor()
    {
        Studio studio;
        RunController& run = studio.window.controller();
        studio.key(Qt::Key_F10);
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(run.state(), RunState::Stopped);
        setUnits(studio, 40);
        studio.key(Qt::Key_F10);
        QVERIFY(studio.window.messages().shownText().contains("Your edits are not in this run."));
        QCOMPARE(run.snapshot()->step, std::int64_t{1});
        QVERIFY(choose(studio, "Step Current Run"));
        QTRY_COMPARE(run.snapshot()->step, std::int64_t{2});
        QCOMPARE(begun(studio), std::size_t{1});
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(run.state(), RunState::Stopped);
        studio.key(Qt::Key_F10);
        QVERIFY(choose(studio, "New Run"));
        QCOMPARE(begun(studio), std::size_t{2});
        QTRY_COMPARE(run.snapshot()->step, std::int64_t{1});
        QCOMPARE(studio.script->started.back().graph, studio.graph());
    }

    void theLearningRateOfNowGoesWithIt()
    {
        Studio studio;
        studio.key(Qt::Key_F10);
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Stopped);
        QVERIFY(studio.window.document().setTraining("learning_rate", 0.5).has_value());
        QVERIFY(studio.script->learningRates.empty());
        studio.key(Qt::Key_F10);
        QTRY_COMPARE(studio.window.controller().snapshot()->step, std::int64_t{2});
        QCOMPARE(studio.script->learningRates, std::vector<double>{0.5});
        studio.key(Qt::Key_F10);
        QCOMPARE(studio.script->learningRates.size(), std::size_t{1}); // it knows
    }

    /// Nothing on disk, and what failed cannot be trusted.
    void whereItCannotItAsks()
    {
        Studio studio;
        RunController& run = studio.window.controller();
        studio.script->failAt = 20;
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(run.state(), RunState::Failed);
        QVERIFY(!resumeButton(studio.window)->isVisible());
        QVERIFY(!studio.window.actions().resume->isEnabled());
        studio.key(Qt::Key_F10);
        QVERIFY(studio.window.messages().shownText().contains("cannot be resumed"));
        QCOMPARE(begun(studio), std::size_t{1});
        QVERIFY(choose(studio, "New Run"));
        QCOMPARE(begun(studio), std::size_t{2});
    }

    void aReopenedRunGoesOnInItsPlace()
    {
        RunShelf shelf;
        shelf.add("mine-1", 20, RunState::Stopped, 1.25);
        shelf.open();
        MainWindow& window = shelf.window();
        RunController& run = window.controller();
        shelf.select("mine-1");
        shelf.panel().actions().reopen->trigger();
        QTRY_COMPARE(window.panel<CurvesPanel>().series("train/loss").size(), std::size_t{20});
        QVERIFY(window.actions().resume->isEnabled());
        QTest::keyClick(&window.canvas(), Qt::Key_F10);
        QTRY_COMPARE(run.snapshot()->step, std::int64_t{21});
        QVERIFY(shelf.studio.script->options.back().resume);
        QCOMPARE(shelf.studio.script->options.back().runFolder, (shelf.place + "/mine-1").toStdString());
        QCOMPARE(run.state(), RunState::Paused);
        QCOMPARE(window.panel<CurvesPanel>().series("train/loss").size(), std::size_t{21});
        window.actions().resume->trigger();
        QTRY_COMPARE(run.state(), RunState::Finished);
    }

    void aFinishedRunGoesOnForReal()
    {
        RealShelf shelf;
        MainWindow& window = shelf.window();
        window.actions().run->trigger();
        QVERIFY(shelf.isAt(RunState::Finished, 30));
        QTRY_COMPARE(shelf.shownStep(), 30);
        auto* looks = window.panel<StatePanel>().findChild<QSlider*>();
        const int kept = looks->maximum();
        QTRY_VERIFY(resumeButton(window)->isVisible());
        window.actions().resume->trigger(); // to where is the user's to say
        QTRY_VERIFY(window.messages().shownText().contains("mine has completed its 30 steps"));
        window.actions().step->trigger();
        QVERIFY(shelf.isAt(RunState::Paused, 31));
        QCOMPARE(shelf.shownStep(), 31);
        QTRY_COMPARE(looks->maximum(), kept + 1);
        QCOMPARE(window.panel<CurvesPanel>().series("train/loss").size(), std::size_t{31});
        QCOMPARE(readRunRows((shelf.place + "/mine").toStdString())->back().step, 31);
        window.actions().stop->trigger();
        QVERIFY(shelf.isAt(RunState::Stopped, 31));
        // Reopened from disk it is as far, and goes on.
        window.controller().forget();
        QTRY_COMPARE(shelf.text("mine", RunsModel::State), QStringLiteral("Stopped"));
        shelf.select("mine");
        shelf.panel().actions().reopen->trigger();
        QVERIFY(shelf.isAt(RunState::Stopped, 31));
        window.actions().step->trigger();
        QVERIFY(shelf.isAt(RunState::Paused, 32));
        QTRY_COMPARE(shelf.shownStep(), 32);
        QCOMPARE(window.panel<CurvesPanel>().series("train/loss").size(), std::size_t{32});
    }

    /// Stopped and resumed in one window, against one that never stopped.
    void stoppingAndResumingChangesNoNumber()
    {
        std::vector<double> losses[2];
        for (const bool stops : {false, true}) {
            RealShelf shelf;
            MainWindow& window = shelf.window();
            for (int i = 0; stops && i < 3; ++i) {
                window.actions().step->trigger();
                QVERIFY(shelf.isAt(RunState::Paused, i + 1));
                window.actions().stop->trigger();
                QVERIFY(shelf.isAt(RunState::Stopped, i + 1));
            }
            (stops ? window.actions().resume : window.actions().run)->trigger();
            QVERIFY(shelf.isAt(RunState::Finished, 30));
            const auto rows = readRunRows((shelf.place + "/mine").toStdString());
            for (const MetricRow& row : *rows)
                losses[stops].push_back(row.values.at("train/loss"));
        }
        QCOMPARE(losses[0].size(), std::size_t{30});
        QCOMPARE(losses[1], losses[0]);
    }

    /// One window trains it, another would continue it.
    void aRunThatAnotherWindowTrainsComesToFront()
    {
        RealShelf shelf;
        MainWindow& window = shelf.window();
        window.actions().step->trigger();
        QVERIFY(shelf.isAt(RunState::Paused, 1));
        window.controller().checkpoint();
        QTRY_COMPARE(window.controller().snapshot()->checkpointed, std::int64_t{1});
        MainWindow second(shelf.studio.context);
        second.resize(1200, 800);
        second.show();
        QVERIFY(second.files().open(shelf.file));
        second.panels().dock("runs").raise();
        second.panel<RunsPanel>().refresh();
        QTRY_VERIFY(second.panel<RunsPanel>().isVisible() && !second.panel<RunsPanel>().isReading());
        const int row = second.panel<RunsPanel>().model().rowOf(shelf.place + "/mine");
        QVERIFY(row >= 0);
        QCOMPARE(second.panel<RunsPanel>().model().index(row, RunsModel::State).data().toString(),
                 QStringLiteral("Running"));
        second.panel<RunsPanel>().view().select(row);
        second.activateWindow();
        QTRY_VERIFY(second.isActiveWindow());
        second.panel<RunsPanel>().actions().goOn->trigger();
        QTRY_VERIFY2(window.messages().shownText().contains("mine is trained in this window"),
                     qPrintable(window.messages().shownText() + second.messages().shownText()));
        QTRY_VERIFY(window.isActiveWindow());
        QVERIFY(!second.controller().isUnderWay());
        QCOMPARE(second.problems().count(Severity::Error), 0);
    }

    /// A window that is minimised, or not on the screen at all, while its run goes on.
    void aWindowThatIsNotSeenIsBroughtBack()
    {
        RealShelf shelf;
        MainWindow& window = shelf.window();
        window.actions().step->trigger();
        QVERIFY(shelf.isAt(RunState::Paused, 1));
        MainWindow second(shelf.studio.context);
        second.resize(1200, 800);
        second.show();
        QVERIFY(second.files().open(shelf.file));
        second.panels().dock("runs").raise();
        second.panel<RunsPanel>().refresh();
        QTRY_VERIFY(second.panel<RunsPanel>().isVisible() && !second.panel<RunsPanel>().isReading());
        second.panel<RunsPanel>().view().select(second.panel<RunsPanel>().model().rowOf(shelf.place + "/mine"));
        for (const bool hidden : {false, true}) {
            if (hidden)
                window.hide();
            else
                window.showMinimized();
            second.panel<RunsPanel>().actions().goOn->trigger();
            QVERIFY2(window.messages().shownText().contains("mine is trained in this window"),
                     qPrintable(second.messages().shownText()));
            QVERIFY(window.isVisible() && !window.isMinimized());
            window.messages().hide();
        }
        QVERIFY(!second.controller().isUnderWay());
    }

    /// While it is being built a run does not say yet where it is written; who began it knows.
    void aRunThatIsBeingBuiltHasItsFolder()
    {
        auto script = std::make_shared<Script>();
        RunController run(scriptedRuns(script));
        SessionOptions options;
        options.runFolder = "/runs/mine";
        run.run(testing::tinyExperiment(), options);
        QVERIFY(run.snapshot()->runFolder.empty());
        QCOMPARE(run.folder(), std::string("/runs/mine"));
        run.folderMoved("/runs/mine", "/runs/yours");
        QCOMPARE(run.folder(), std::string("/runs/yours"));
        run.forget();
        QCOMPARE(run.folder(), std::string());
    }

    /// Another process has it: who, is the first that is said.
    void aRunThatAnotherProgramTrainsIsSaid()
    {
        RunShelf shelf;
        shelf.add("mine-1", 20, RunState::Running, 1.25);
        const std::string folder = (shelf.place + "/mine-1").toStdString();
        auto status = readRunStatus(folder);
        QVERIFY(status.has_value());
        status->process = 4711;
        QVERIFY(writeRunStatus(folder, *status).has_value());
        const FolderLock other(folder); // as that process has it
        shelf.open();
        QTRY_COMPARE(shelf.text("mine-1", RunsModel::State), QStringLiteral("Running"));
        shelf.select("mine-1");
        shelf.panel().actions().goOn->trigger();
        MainWindow& window = shelf.window();
        QVERIFY2(window.messages().shownText().startsWith("Another program (pid 4711) is training this run"),
                 qPrintable(window.messages().shownText()));
        QVERIFY(!window.controller().experiment().has_value());
    }
};

static const AreaOf<GoOnTest> goOnTestArea("goOn");

} // namespace unroll::test

#include "go_on_test.moc"
