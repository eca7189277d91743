// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"
#include "tests/gui/run_shelf.h"

namespace unroll::test {

namespace {

StartRun realRuns()
{
    static const auto* blocks = new BlockRegistry(allSpecs()); // outlives the runs
    return sessionRuns(*blocks, allBuilders());
}

std::vector<double> lossesOf(const QString& run)
{
    std::vector<double> losses;
    const auto rows = readRunRows(run.toStdString());
    for (const MetricRow& row : rows.value())
        losses.push_back(row.values.at("train/loss"));
    return losses;
}

} // namespace

/// Runs on disk that come back to a window.
class RunAgainTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aReopenedRunIsShownAsItWasLeft()
    {
        RunShelf shelf;
        shelf.add("mine-1", 20, RunState::Stopped, 1.25);
        shelf.open();
        MainWindow& window = shelf.window();
        shelf.select("mine-1");
        QTest::keyClick(&shelf.panel().view(), Qt::Key_Return);
        QTRY_COMPARE(window.panel<CurvesPanel>().series("train/loss").size(), std::size_t{20});
        QCOMPARE(window.document().path(), shelf.file); // it trained what is open here
        QCOMPARE(window.controller().state(), RunState::Stopped);
        QCOMPARE(window.controller().snapshot()->step, 20);
        QVERIFY(shelf.studio.script->options.back().ended != nullptr); // nothing of it is trained
        QVERIFY(!shelf.studio.script->wasTold("run"));
        QVERIFY(window.messages().shownText().contains("mine-1"));
        QVERIFY(window.actions().restart->isEnabled());
        QTest::keyClick(&window.canvas(), Qt::Key_F5); // the next one begins again
        QTRY_VERIFY(window.controller().isUnderWay());
        QVERIFY(!shelf.studio.script->options.back().resume);
        QVERIFY(shelf.studio.script->options.back().ended == nullptr);
    }

    void aReopenedRunShowsWhatItsCheckpointHolds()
    {
        RunShelf shelf;
        shelf.add("mine-1", 20, RunState::Finished, 1.25);
        shelf.open();
        MainWindow& window = shelf.window();
        window.arrange("watch");
        window.panels().dock("runs").raise();
        shelf.settle();
        QVERIFY(window.panel<StatePanel>().isEmpty());
        shelf.select("mine-1");
        shelf.panel().actions().reopen->trigger();
        QTRY_VERIFY(!window.panel<StatePanel>().isEmpty());
        QCOMPARE(window.controller().state(), RunState::Finished);
        QVERIFY(window.controller().canBeAsked());
        QVERIFY(window.actions().keepWeights->isEnabled());
        QVERIFY(!window.actions().stop->isEnabled());
    }

    void whatCannotBeOpenedIsSaidWhereTheStateWouldBe()
    {
        RunShelf shelf;
        shelf.studio.script->notOpened = "the data is gone";
        shelf.add("mine-1", 20, RunState::Finished);
        shelf.open();
        MainWindow& window = shelf.window();
        shelf.select("mine-1");
        shelf.panel().actions().reopen->trigger();
        QTRY_VERIFY(window.panel<StatePanel>().emptyState().accessibleDescription().contains("the data is gone"));
        QVERIFY(!window.controller().canBeAsked());
        QVERIFY(!window.actions().keepWeights->isEnabled());
        QCOMPARE(window.controller().state(), RunState::Finished);
        QCOMPARE(window.panel<CurvesPanel>().series("train/loss").size(), std::size_t{20});
    }

    void anotherGraphOpensUnsavedAndItsRunsStayInSight()
    {
        RunShelf shelf;
        shelf.add("mine-1", 20, RunState::Stopped);
        shelf.add("mine-2", 10, RunState::Finished);
        shelf.open();
        MainWindow& window = shelf.window();
        window.document().setSeed(99);
        QVERIFY(window.document().save(shelf.file).has_value());
        shelf.select("mine-1");
        shelf.panel().actions().reopen->trigger();
        QTRY_COMPARE(window.panel<CurvesPanel>().series("train/loss").size(), std::size_t{20});
        QVERIFY(window.document().path().isEmpty());
        QCOMPARE(window.document().seed(), std::uint64_t{1});
        QVERIFY(!window.isWindowModified());
        QCOMPARE(shelf.panel().place(), shelf.place);
        QCOMPARE(shelf.rows(), 2);
        shelf.select("mine-2");
        shelf.panel().actions().openGraph->trigger();
        QTRY_VERIFY(window.messages().shownText().contains("experiment of the run mine-2"));
        QVERIFY(window.panel<CurvesPanel>().isEmpty());
        QVERIFY(window.files().open(shelf.file));
        QCOMPARE(shelf.panel().place(), shelf.place);
    }

    void changesKeepTheirWindow()
    {
        RunShelf shelf;
        shelf.add("mine-1", 20, RunState::Stopped);
        shelf.open();
        setUnits(shelf.window(), 77);
        shelf.select("mine-1");
        shelf.panel().actions().reopen->trigger();
        const auto others = [&] {
            auto windows = otherWindows(shelf.window());
            windows.removeAll(&shelf.studio.window);
            return windows;
        };
        QTRY_COMPARE(others().size(), 1);
        QCOMPARE(unitsOf(shelf.window().document().graph()), 77);
        QTRY_COMPARE(others().front()->panel<CurvesPanel>().series("train/loss").size(), std::size_t{20});
        QVERIFY(shelf.window().panel<CurvesPanel>().isEmpty());
        delete others().front();
    }

    void aFailureIsToldAgain()
    {
        RunShelf shelf;
        shelf.add("mine-1", 4, RunState::Failed);
        shelf.open();
        shelf.select("mine-1");
        shelf.panel().actions().reopen->trigger();
        QTRY_COMPARE(shelf.window().controller().state(), RunState::Failed);
        QVERIFY2(shelf.window().messages().shownText().contains("not a number"),
                 qPrintable(shelf.window().messages().shownText()));
    }

    void aRunGoesOnWithTheSameNumbers()
    {
        RunShelf shelf(realRuns());
        shelf.studio.context.keepsRuns = true;
        shelf.open();
        MainWindow& window = shelf.window();
        Experiment experiment = testing::tinyExperiment();
        experiment.folder = window.document().folder();
        for (const char* name : {"whole", "parted"}) {
            SessionOptions options;
            options.runFolder = (shelf.place + '/' + name).toStdString();
            QVERIFY(QDir().mkpath(shelf.place));
            window.controller().step(experiment, options, name == QByteArray("whole") ? 30 : 13);
            QTRY_VERIFY(window.controller().snapshot()->step >= 13 && window.controller().state() != RunState::Running);
            QTRY_VERIFY(name == QByteArray("parted") || window.controller().snapshot()->step == 30);
            window.controller().forget(); // stops and saves it
        }
        shelf.settle();
        QTRY_COMPARE(shelf.text("parted", RunsModel::State), QStringLiteral("Stopped"));
        QCOMPARE(shelf.text("parted", RunsModel::Steps), QStringLiteral("13 / 30"));
        shelf.select("parted");
        shelf.panel().actions().goOn->trigger();
        QTRY_COMPARE(window.controller().state(), RunState::Finished);
        QCOMPARE(window.document().path(), shelf.file);
        QCOMPARE(window.panel<CurvesPanel>().series("train/loss").size(), std::size_t{30}); // those from before too
        QCOMPARE(lossesOf(shelf.place + "/parted"), lossesOf(shelf.place + "/whole"));
        QTRY_COMPARE(shelf.text("parted", RunsModel::State), QStringLiteral("Finished"));
        shelf.panel().actions().goOn->trigger();
        QTRY_VERIFY(window.messages().shownText().contains("has completed its 30 steps"));
        QVERIFY(clickOn(window.messages(), "Continue with 30 more steps"));
        QTRY_COMPARE(window.controller().snapshot()->step, 60);
        QTRY_COMPARE(window.controller().state(), RunState::Finished);
        QCOMPARE(window.panel<CurvesPanel>().series("train/loss").size(), std::size_t{60});
        QCOMPARE(window.document().training().steps, 60); // as the run has it: it is the experiment that is open
        QCOMPARE(window.document().path(), shelf.file);
    }

    void aRunThatEndedEarlyGoesOnWithoutPatience()
    {
        RunShelf shelf;
        Experiment patient = testing::tinyExperiment();
        patient.training.patience = 2;
        makeRun(shelf.place, "mine-1", 20, RunState::Finished, 1.25, patient);
        shelf.open();
        MainWindow& window = shelf.window();
        shelf.select("mine-1");
        shelf.panel().actions().goOn->trigger();
        QTRY_VERIFY(window.messages().shownText().contains("stopped early at step 20 of 30"));
        QVERIFY(clickOn(window.messages(), "Continue to step 30 without patience"));
        QTRY_VERIFY(window.controller().isUnderWay());
        QCOMPARE(shelf.studio.script->started.back().training.patience, 0);
        QCOMPARE(shelf.studio.script->started.back().training.steps, 30);
        QVERIFY(shelf.studio.script->options.back().resume);
    }

    /// Its thread still holds the folder.
    void anEndedRunIsRenamedUnderItsWindow()
    {
        RunShelf shelf(realRuns());
        shelf.studio.context.keepsRuns = true;
        shelf.open();
        MainWindow& window = shelf.window();
        QTest::keyClick(&window.canvas(), Qt::Key_F10);
        QTRY_COMPARE(window.controller().snapshot()->step, 1);
        QTRY_VERIFY(shelf.names().contains("mine"));
        QTRY_COMPARE(shelf.text("mine", RunsModel::State), QStringLiteral("Running"));
        window.actions().stop->trigger();
        QTRY_COMPARE(window.controller().state(), RunState::Stopped);
        QTRY_COMPARE(shelf.text("mine", RunsModel::State), QStringLiteral("Stopped"));
        shelf.select("mine");
        shelf.type(Qt::Key_F2, "kept");
        const std::string kept = (shelf.place + "/kept").toStdString();
        QTRY_COMPARE(window.controller().snapshot()->runFolder, kept);
        QVERIFY(window.controller().canBeAsked()); // the model is still there
        shelf.select("kept");
        Answering yes(QStringLiteral("Move to Trash"));
        shelf.panel().actions().remove->trigger();
        QTRY_VERIFY(QFileInfo::exists(shelf.bin + "/kept/experiment.unroll"));
        QVERIFY(!window.controller().canBeAsked());
        QVERIFY(window.panel<CurvesPanel>().isEmpty());
    }
};

static const AreaOf<RunAgainTest> runAgainTestArea("runAgain");

} // namespace unroll::test

#include "run_again_test.moc"
