// SPDX-License-Identifier: GPL-3.0-or-later
// Runs in another process: an engine of its own, a host line, a run that is attached to.
#include "app/studio/preferences/preferences_dialog.h"
#include "app/studio/run/run_elsewhere.h"
#include "app/studio/window/run_on.h"
#include "app/studio/window/run_on_dialog.h"
#include "core/runs/run_status.h"
#include "core/runs/run_summary.h"
#include "tests/gui/area.h"
#include "tests/gui/run_shelf.h"

#include <QComboBox>
#include <QListWidget>
#include <csignal>

namespace unroll::test {

namespace {

const BlockRegistry& hostBlocks()
{
    static const auto* blocks = new BlockRegistry(allSpecs()); // outlives the runs
    return *blocks;
}

/// A window whose runs are trained by processes of their own, and are kept.
struct ProcessShelf : RunShelf {
    ProcessShelf() : RunShelf(chosenRuns(hostBlocks(), sessionRuns(hostBlocks(), allBuilders()), [] { return true; }))
    {
        qputenv("UNROLL_SOCKETS", sockets.path().toLocal8Bit());
        studio.context.keepsRuns = true;
        open();
        own->arrange("watch");
    }
    ~ProcessShelf() { own.reset(); } // before the sockets go
    RunController& run() { return window().controller(); }
    bool isAt(RunState state)
    {
        return comes([&] { return run().state() == state; });
    }
    /// A command that starts the other side in a folder of its own.
    QString line()
    {
        QDir().mkpath(studio.folder.filePath("host"));
        return QString("cd '%1' && UNROLL_CACHE='%1/cache' exec '%2' session --stdio")
            .arg(studio.folder.filePath("host"), cliProgram());
    }
    QTemporaryDir sockets{"/tmp/unroll-gui-XXXXXX"};
};

} // namespace

class RunOnTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anEngineOfItsOwnTrainsAsTheWindowsWould()
    {
        ProcessShelf shelf;
        shelf.window().actions().run->trigger();
        QVERIFY(shelf.isAt(RunState::Finished));
        QCOMPARE(shelf.run().snapshot()->step, std::int64_t{30});
        const RunSummary run = readRunSummary(shelf.run().snapshot()->runFolder);
        QCOMPARE(run.state, RunState::Finished);
        QTRY_VERIFY(shelf.window().panel<CurvesPanel>().series("train/loss").size() == 30);
    }

    void anEngineThatIsKilledEndsTheRunAndNotTheWindow()
    {
        ProcessShelf shelf;
        Document& document = shelf.window().document();
        (void)document.setTraining("steps", std::int64_t{100000});
        (void)document.setTraining("checkpoint_every", std::int64_t{5});
        shelf.window().actions().run->trigger();
        QVERIFY(comes([&] { return shelf.run().snapshot()->checkpointed >= 5; }));
        const auto status = readRunStatus(shelf.run().snapshot()->runFolder);
        QVERIFY(status.has_value());
        QVERIFY(status->process != QCoreApplication::applicationPid());
        QCOMPARE(::kill(static_cast<pid_t>(status->process), SIGKILL), 0);
        QVERIFY(shelf.isAt(RunState::Failed));
        const QString failure = QString::fromStdString(shelf.run().snapshot()->failure);
        QVERIFY2(failure.contains("signal 9"), qPrintable(failure));
        QVERIFY2(failure.contains("the checkpoint of step"), qPrintable(failure));
        QVERIFY(shelf.window().actions().resume->isEnabled());
        shelf.window().actions().resume->trigger();
        QVERIFY(comes([&] { return shelf.run().state() == RunState::Running; }));
        shelf.window().actions().stop->trigger();
        QVERIFY(shelf.isAt(RunState::Stopped));
    }

    void theDialogRunsThereAndRemembersTheLine()
    {
        ProcessShelf shelf;
        RunOnDialog* dialog = shelf.window().runOn().showDialog();
        auto* line = dialog->findChild<QComboBox*>("runOnLine");
        QCOMPARE(line->currentText(), QStringLiteral("This computer"));
        line->setEditText(shelf.line());
        QTest::mouseClick(dialog->findChild<QPushButton*>("runThere"), Qt::LeftButton);
        QVERIFY(shelf.isAt(RunState::Finished));
        QVERIFY(shelf.run().snapshot()->runFolder.empty());
        QCOMPARE(hostLines(shelf.studio.settings), QStringList{shelf.line()});
        QCOMPARE(QDir(shelf.studio.folder.filePath("host/runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(),
                 1);
    }

    void aRunThereIsListedAndAttachedTo()
    {
        ProcessShelf shelf;
        makeRun(shelf.studio.folder.filePath("host/runs"), "far-1", 12, RunState::Finished, 1.5);
        RunOnDialog* dialog = shelf.window().runOn().showDialog();
        dialog->findChild<QComboBox*>("runOnLine")->setEditText(shelf.line());
        dialog->findChild<QPushButton*>("runOnList")->click();
        auto* runs = dialog->findChild<QListWidget*>("runOnRuns");
        QTRY_COMPARE(runs->count(), 1);
        QVERIFY2(runs->item(0)->text().contains("far-1"), qPrintable(runs->item(0)->text()));
        runs->setCurrentRow(0);
        QTest::mouseClick(dialog->findChild<QPushButton*>("runOnAttach"), Qt::LeftButton);
        QVERIFY(shelf.isAt(RunState::Finished));
        QCOMPARE(shelf.run().snapshot()->step, std::int64_t{12});
    }

    void aHostThatIsNotThereIsSaidInTheWindow()
    {
        ProcessShelf shelf;
        shelf.window().runOn().choose("echo no such host >&2; exit 3 # session");
        shelf.window().actions().run->trigger();
        QVERIFY(shelf.isAt(RunState::Failed));
        QTRY_VERIFY2(shelf.window().messages().shownText().contains("no such host"),
                     qPrintable(shelf.window().messages().shownText()));
        shelf.window().runOn().choose({});
        shelf.window().actions().run->trigger();
        QVERIFY(shelf.isAt(RunState::Finished));
    }

    void theEngineIsAPreference()
    {
        Studio studio;
        QVERIFY(!studio.context.preferences->choices().ownProcess);
        studio.window.actions().preferences->trigger();
        auto* engine = studio.window.findChild<PreferencesDialog*>()->findChild<QComboBox*>("engine");
        engine->setCurrentIndex(1);
        Q_EMIT engine->activated(1);
        QVERIFY(studio.context.preferences->choices().ownProcess);
        Preferences again(studio.settings, studio.appearance);
        QVERIFY(again.choices().ownProcess);
    }
};

static const AreaOf<RunOnTest> runOnTestArea("runOn");

} // namespace unroll::test

#include "run_on_test.moc"
