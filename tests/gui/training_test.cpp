// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/number_field.h"
#include "app/studio/window/run_progress.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/waiting.h"
#include "tests/support/looks.h"
#include "tests/support/tiny_experiment.h"

#include <QComboBox>
#include <QDesktopServices>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QMenuBar>
#include <QProcess>
#include <QPushButton>
#include <algorithm>

namespace unroll::test {

/// Stands in for the desktop.
class Desktop : public QObject {
    Q_OBJECT
public:
    Desktop() { QDesktopServices::setUrlHandler("file", this, "open"); }
    ~Desktop() override { QDesktopServices::unsetUrlHandler("file"); }
    QList<QUrl> opened;

public Q_SLOTS:
    void open(const QUrl& url) { opened << url; }
};

class TrainingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keysDriveTheRun()
    {
        Studio studio;
        RunController& run = studio.window.controller();
        studio.key(Qt::Key_F5);
        QVERIFY(run.isUnderWay());
        QTRY_COMPARE(run.state(), RunState::Running);
        QTRY_VERIFY(!studio.window.panel<CurvesPanel>().isEmpty());
        QCOMPARE(studio.window.actions().run->text(), QStringLiteral("Pause"));
        QVERIFY2(studio.window.runBar().shownText().contains("tokens/s"),
                 qPrintable(studio.window.runBar().shownText()));
        studio.key(Qt::Key_F6);
        QTRY_COMPARE(run.state(), RunState::Paused);
        const std::int64_t at = run.snapshot()->step;
        QVERIFY(staysFor(120, [&] { return run.snapshot()->step == at; }));
        studio.key(Qt::Key_F10);
        QTRY_COMPARE(run.snapshot()->step, at + 1);
        QCOMPARE(run.state(), RunState::Paused);
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(run.state(), RunState::Running);
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(run.state(), RunState::Stopped);
        QVERIFY(!run.isUnderWay());
        QCOMPARE(studio.script->started.size(), std::size_t{1}); // one run all along
        QCOMPARE(studio.script->started.front().graph, studio.graph());
        studio.key(Qt::Key_F5);
        QCOMPARE(studio.script->started.size(), std::size_t{2});
        QVERIFY(studio.script->wasTold("end")); // the last run is let go before the next begins
    }

    void whereTheRunIsIsSaid()
    {
        Studio studio;
        const QString folder = studio.folder.path();
        studio.script->runFolder = folder.toStdString();
        studio.script->log = {"no GPU was found, so cpu", "text: 3 <bad> bytes"};
        const QAction* open = studio.window.actions().openRunFolder;
        QVERIFY(!open->isEnabled());
        studio.key(Qt::Key_F10);
        QTRY_VERIFY(open->isEnabled());
        QVERIFY2(studio.window.runBar().shownText().contains("on scripted"),
                 qPrintable(studio.window.runBar().shownText()));
        const auto* progress = studio.window.runBar().findChild<RunProgress*>();
        for (const QString& words : {QStringLiteral("scripted"), folder, QStringLiteral("no GPU was found"),
                                     QStringLiteral("3 <bad> bytes")}) {
            QVERIFY2(progress->accessibleDescription().contains(words), qPrintable(words));
            QVERIFY2(progress->toolTip().contains(words.toHtmlEscaped()), qPrintable(words));
        }
        Desktop desktop;
        studio.window.actions().openRunFolder->trigger();
        QCOMPARE(desktop.opened, QList<QUrl>{QUrl::fromLocalFile(folder)});
    }

    /// The window with all its views open, and the command line: the same experiment, the same numbers to the last bit.
    void losesWhatTheCommandLineLoses()
    {
        const QString cli = QCoreApplication::applicationDirPath() + "/../../app/cli/unroll-cli";
        QVERIFY(QFile::exists(cli));
        const BlockRegistry registry = allSpecs();
        Studio studio(sessionRuns(registry, allBuilders()));
        const QString file = studio.folder.filePath("tiny.unroll");
        Experiment tiny = testing::tinyExperiment();
        tiny.training.threads = 1; // two would wait for each other wherever another program is busy
        QVERIFY(saveExperiment(tiny, file.toStdString()));
        QVERIFY(studio.window.files().open(file));
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Finished);
        QTRY_VERIFY(!studio.window.panel<StatePanel>().isEmpty()); // something watched it all along
        const SeriesStore& loss = studio.window.panel<CurvesPanel>().series("train/loss");

        QProcess process;
        process.start(cli, {"train", file, "--json", "--quiet", "--run", studio.folder.filePath("run")});
        QVERIFY(process.waitForFinished(kPatience));
        QCOMPARE(process.exitCode(), 0);
        std::size_t row = 0;
        for (const QByteArray& line : process.readAllStandardOutput().split('\n')) {
            const QJsonObject object = QJsonDocument::fromJson(line).object();
            if (object["kind"] != "metrics" || !object.contains("train/loss"))
                continue;
            QVERIFY(row < loss.size());
            QVERIFY2(loss.y(row) == object["train/loss"].toDouble(), qPrintable(QString("step %1").arg(row + 1)));
            ++row;
        }
        QCOMPARE(row, std::size_t{30});
        QCOMPARE(loss.size(), row);
    }

    void anEndedRunCanBeLookedAt()
    {
        Studio studio;
        RunController& run = studio.window.controller();
        studio.key(Qt::Key_F10);
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(run.state(), RunState::Stopped);
        studio.window.panel<StatePanel>().showSignal("f");
        QCOMPARE(studio.script->watched, (std::vector<WatchedSignal>{{"lstm_2", "f"}}));
        QTRY_VERIFY(!studio.window.panel<StatePanel>().isEmpty());
        auto* ask = studio.window.panel<SamplesPanel>().findChild<QPushButton*>();
        QVERIFY(ask->isEnabled());
        QTest::mouseClick(ask, Qt::LeftButton);
        QTRY_VERIFY(studio.window.panel<SamplesPanel>().findChild<QTextBrowser*>()->toPlainText().contains(
            "nce upon a <time>"));
        auto* probe = studio.window.panel<StatePanel>().findChild<QLineEdit*>();
        QTest::keyClicks(probe, "The fox");
        QTest::keyClick(probe, Qt::Key_Return);
        QVERIFY(studio.script->wasTold("reading"));
        QVERIFY(staysFor(100, [&] { return run.state() == RunState::Stopped; }));
        QVERIFY2(studio.window.runBar().shownText().startsWith("Stopped"),
                 qPrintable(studio.window.runBar().shownText()));
        QVERIFY(!studio.window.actions().stop->isEnabled());
        QCOMPARE(studio.script->started.size(), std::size_t{1});
    }

    void aRunWithoutAModelIsNotAsked()
    {
        Studio studio;
        studio.script->failsToBuild = true;
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Failed);
        QVERIFY(!studio.window.panel<SamplesPanel>().findChild<QPushButton*>()->isEnabled());
        studio.window.panel<StatePanel>().showSignal("f");
        QVERIFY(!studio.script->wasTold("look"));
        QVERIFY(studio.window.panel<StatePanel>().isEmpty());
    }

    void aFinishedRunCanBeLookedAtForReal()
    {
        Studio studio(sessionRuns(m_registry, allBuilders()));
        RunController& run = studio.window.controller();
        const QString file = studio.folder.filePath("tiny.unroll");
        Experiment tiny = testing::tinyExperiment();
        tiny.training.steps = 8;
        tiny.training.sampleTokens = 5;
        tiny.training.threads = 1;
        QVERIFY(saveExperiment(tiny, file.toStdString()).has_value());
        QVERIFY(studio.window.files().open(file));
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(run.state(), RunState::Finished);
        const std::string other = studio.window.panel<StatePanel>().signal() == "f" ? "h" : "f";
        studio.window.panel<StatePanel>().showSignal(other);
        QVERIFY(studio.window.panel<StatePanel>().isEmpty());
        QTRY_VERIFY(!studio.window.panel<StatePanel>().isEmpty());
        QCOMPARE(testing::lookIn(*run.snapshot())->signalFrames.front().signal, other);
        QVERIFY(studio.window.panel<SamplesPanel>().isEmpty());
        QTest::mouseClick(studio.window.panel<SamplesPanel>().findChild<QPushButton*>(), Qt::LeftButton);
        QTRY_VERIFY(!studio.window.panel<SamplesPanel>().isEmpty());
        QCOMPARE(run.state(), RunState::Finished);
    }

    void anotherExperimentStartsClean()
    {
        Studio studio;
        RunController& run = studio.window.controller();
        const QString file = studio.folder.filePath("tiny.unroll");
        QVERIFY(saveExperiment(testing::tinyExperiment(), file.toStdString()).has_value());
        studio.key(Qt::Key_F10);
        QTest::mouseClick(studio.window.panel<SamplesPanel>().findChild<QPushButton*>(), Qt::LeftButton);
        QTRY_VERIFY(!studio.window.panel<SamplesPanel>().isEmpty());
        QVERIFY(!studio.window.panel<CurvesPanel>().isEmpty());
        QVERIFY(!studio.window.panel<StatePanel>().isEmpty());
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(run.state(), RunState::Stopped);
        QVERIFY(studio.window.files().open(file));
        QVERIFY(studio.script->wasTold("end"));
        QVERIFY(studio.window.panel<SamplesPanel>().isEmpty());
        QVERIFY(studio.window.panel<CurvesPanel>().isEmpty());
        QVERIFY(studio.window.panel<StatePanel>().isEmpty());
        QVERIFY(!studio.window.panel<SamplesPanel>().findChild<QPushButton*>()->isEnabled());
        QCOMPARE(studio.window.runBar().shownText(), QString("Ready, step 0 / 30"));
        QVERIFY(!run.canBeAsked());
        QVERIFY(!run.experiment().has_value());
        QTRY_VERIFY(!studio.window.document().checked()->order.empty());
        studio.key(Qt::Key_F10);
        QCOMPARE(studio.script->started.size(), std::size_t{2});
        QCOMPARE(studio.script->started.back().graph, studio.graph());
        QCOMPARE(studio.script->watched.front().node, std::string("lstm"));
        QTRY_VERIFY(!studio.window.panel<StatePanel>().isEmpty());
    }

    void theRunBarSetsDeviceAndSeed()
    {
        Studio studio;
        auto* device = studio.window.runBar().findChild<QComboBox*>();
        auto* seed = studio.window.runBar().findChild<NumberField*>();
        QCOMPARE(device->currentText(), QString("auto"));
        device->lineEdit()->selectAll();
        QTest::keyClicks(device->lineEdit(), "cpu");
        QTest::keyClick(device->lineEdit(), Qt::Key_Return);
        QCOMPARE(studio.window.document().training().device, std::string("cpu"));
        seed->selectAll();
        QTest::keyClicks(seed, "77");
        QTest::keyClick(seed, Qt::Key_Return);
        QCOMPARE(studio.window.document().seed(), std::uint64_t{77});
        QVERIFY(studio.window.isWindowModified());
        studio.key(Qt::Key_F10);
        QCOMPARE(studio.script->started.back().training.device, std::string("cpu"));
        QCOMPARE(studio.script->started.back().seed, std::uint64_t{77});
        studio.window.document().setSeed(5); // the bar follows the document
        QCOMPARE(*seed->number(), Number(std::uint64_t{5}));
        QVERIFY(studio.window.document().setTraining("device", std::string("auto")).has_value());
        QCOMPARE(device->currentText(), QString("auto"));
    }

    void theRunBarTellsSpeedAndTimeLeft()
    {
        Studio studio;
        const auto shownText = [&studio] { return studio.window.runBar().shownText(); };
        studio.key(Qt::Key_F5);
        QTRY_VERIFY2(shownText().contains("3 min 20 s left"), qPrintable(shownText()));
        QVERIFY2(shownText().startsWith("Running, step "), qPrintable(shownText()));
        QVERIFY2(shownText().contains("tokens/s"), qPrintable(shownText()));
        studio.key(Qt::Key_F6);
        QTRY_VERIFY2(shownText().startsWith("Paused, step "), qPrintable(shownText()));
        QVERIFY2(!shownText().contains("left") && !shownText().contains("tokens/s"), qPrintable(shownText()));
    }

    void aFailedRunIsSaidAtTheNode()
    {
        Studio studio;
        studio.script->failAt = 20;
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Failed);
        QCOMPARE(studio.item("embedding").face().severity, std::optional(Severity::Error));
        QVERIFY(studio.window.messages().shownText().contains("step 20"));
        QVERIFY(studio.window.problems().count(Severity::Error) >= 2);
        QVERIFY(studio.window.actions().run->isEnabled()); // and on it goes
        studio.script->failAt = -1;
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Running);
        QVERIFY(!studio.item("embedding").face().severity);
    }

    void editingDuringARunMarksWhatDiffers()
    {
        Studio studio;
        studio.key(Qt::Key_F10);
        QVERIFY(!studio.item("lstm").face().isStale);
        studio.window.document().apply(edits::setParam(studio.id("lstm"), "units", std::int64_t{40}));
        QVERIFY(studio.item("lstm").face().isStale);
        QVERIFY(!studio.item("head").face().isStale);
        studio.window.document().undo();
        QVERIFY(!studio.item("lstm").face().isStale);
        studio.window.document().apply(edits::moveNodes({{studio.id("lstm"), {1, 2}}}));
        QVERIFY(!studio.item("lstm").face().isStale); // where it stands does not matter
    }

    void closingWaitsForTheRunToBeSaved()
    {
        Studio studio;
        studio.script->slowToStop = true;
        QVERIFY(studio.window.document().apply(edits::setParam(studio.id("lstm"), "units", std::int64_t{33})));
        QVERIFY(studio.window.document().save(studio.folder.filePath("mine.unroll")).has_value());
        QTRY_VERIFY(studio.window.document().checked()->runnable());
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Running);
        QVERIFY(!studio.window.close());
        QVERIFY(studio.script->wasTold("stop"));
        QVERIFY(studio.window.isVisible());
        QVERIFY(studio.window.messages().shownText().contains("Saving"));
        // Nothing can be edited any more: nobody would ask whether to save it.
        const Graph before = studio.graph();
        QVERIFY(studio.window.document().history().canUndo());
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(studio.graph(), before);
        QVERIFY(!studio.window.panel<InspectorPanel>().isEnabled() && !studio.window.menuBar()->isEnabled());
        studio.script->released = true;
        QTRY_VERIFY(!studio.window.isVisible());
    }

    void quittingClosesEveryWindow()
    {
        Studio studio;
        studio.script->slowToStop = true;
        MainWindow second(studio.context);
        second.files().openDefault();
        second.show();
        QTRY_VERIFY(second.document().checked()->runnable());
        for (MainWindow* window : {&studio.window, &second}) {
            window->actions().run->trigger();
            QTRY_COMPARE(window->controller().state(), RunState::Running);
        }
        studio.window.actions().quit->trigger();
        const auto& told = studio.script->commands;
        QVERIFY(std::count(told.begin(), told.end(), std::string("stop")) >= 2);
        studio.script->released = true;
        QTRY_VERIFY(!studio.window.isVisible() && !second.isVisible());
    }

    void trainsForReal()
    {
        Studio studio(sessionRuns(m_registry, allBuilders()));
        RunController& run = studio.window.controller();
        run.step(studio.window.document().experiment(), {}, 20);
        QTRY_VERIFY_WITH_TIMEOUT(run.snapshot()->step == 20 && run.state() == RunState::Paused, 120000);
        const SeriesStore& loss = studio.window.panel<CurvesPanel>().series("train/loss");
        QTRY_COMPARE(loss.size(), std::size_t{20});
        QVERIFY(loss.y(19) < loss.y(0));
        run.look();
        QTRY_VERIFY(!studio.window.panel<StatePanel>().isEmpty());
        QVERIFY(testing::lookIn(*run.snapshot())->signalFrames.front().width > 1);
        QVERIFY(studio.window.panel<StatePanel>().map().data().missing() == 0);
        run.run(studio.window.document().experiment(), {});
        QTRY_VERIFY(run.snapshot()->step > 22);
        QVERIFY(!studio.window.close()); // stops first, then goes
        QTRY_VERIFY(!studio.window.isVisible());
    }

private:
    BlockRegistry m_registry = allSpecs(); ///< of the real run: outlives it
};

static const AreaOf<TrainingTest> trainingTestArea("training");

} // namespace unroll::test

#include "training_test.moc"
