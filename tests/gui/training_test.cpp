// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/number_field.h"
#include "app/studio/window/run_progress.h"
#include "tests/gui/fixture.h"
#include "tests/support/tiny_experiment.h"

#include <QComboBox>
#include <QDesktopServices>
#include <QElapsedTimer>
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
        QTRY_VERIFY(!studio.window.curves().isEmpty());
        QVERIFY(!studio.window.actions().run->isEnabled());
        QVERIFY2(studio.window.runBar().words().contains("tokens/s"), qPrintable(studio.window.runBar().words()));
        studio.key(Qt::Key_F6);
        QTRY_COMPARE(run.state(), RunState::Paused);
        const std::int64_t at = run.snapshot()->step;
        QTest::qWait(120);
        QCOMPARE(run.snapshot()->step, at);
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
        QVERIFY2(studio.window.runBar().words().contains("on scripted"), qPrintable(studio.window.runBar().words()));
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
        QVERIFY(studio.window.openFile(file));
        studio.key(Qt::Key_F5);
        QTRY_COMPARE_WITH_TIMEOUT(studio.window.controller().state(), RunState::Finished, 60000);
        QTRY_VERIFY(!studio.window.state().isEmpty()); // something watched it all along
        const SeriesStore& loss = studio.window.curves().series("train/loss");

        QProcess process;
        process.start(cli, {"train", file, "--json", "--quiet", "--run", studio.folder.filePath("run")});
        QVERIFY(process.waitForFinished(60000));
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

    void curvesHoldWhatCame()
    {
        Studio studio;
        studio.key(Qt::Key_F5);
        QTRY_VERIFY(studio.window.controller().snapshot()->step >= 120);
        studio.key(Qt::Key_F6);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Paused);
        QTest::qWait(80);
        const SeriesStore& loss = studio.window.curves().series("train/loss");
        QCOMPARE(static_cast<std::int64_t>(loss.size()), studio.window.controller().snapshot()->step);
        for (std::size_t i = 0; i < loss.size(); ++i)
            QCOMPARE(loss.x(i), static_cast<double>(i + 1));
        QCOMPARE(loss.y(49), 0.8 + 3.4 * std::exp(-50.0 / 150));
        QCOMPARE(studio.window.curves().series("val/loss").size(), loss.size() / 50);
        studio.window.curves().setLog(true);
        QVERIFY(!studio.window.curves().grab().isNull());
    }

    void stateIsDrawn()
    {
        Studio studio;
        studio.window.scene().select({studio.id("lstm")});
        QCOMPARE(studio.window.state().node(), std::string("lstm"));
        QVERIFY(studio.item("lstm").face().isWatched);
        studio.window.state().showSignal("h");
        studio.key(Qt::Key_F10);
        QTRY_VERIFY(!studio.window.state().isEmpty());
        QCOMPARE(studio.script->watched, (std::vector<WatchedSignal>{{"lstm", "h"}}));
        HeatMapView& map = studio.window.state().map();
        QCOMPARE(map.scale(), (HeatScale{-1, 1, true}));
        // The picture holds the wave: the pixel in the middle of a cell has the colour of its value.
        const QImage image = map.grab().toImage();
        const auto colours = ColourMap::diverging(studio.appearance.theme().divergingMap());
        const QRectF area = map.mapArea();
        for (const auto& [time, unit] : {std::pair<int, int>{0, 0}, {39, 23}, {17, 5}, {20, 21}}) {
            const QPoint at(static_cast<int>(area.left() + (time + 0.5) * area.width() / 40),
                            static_cast<int>(area.top() + (unit + 0.5) * area.height() / 24));
            const QRgb wanted = colours[static_cast<int>((scriptedSignal(1, time, unit) + 1) * 127.5f + 0.5f)];
            QCOMPARE(image.pixel(at), wanted);
        }
        studio.window.document().apply(edits::moveNodes({{studio.id("lstm"), {3, 4}}}));
        QVERIFY(!studio.window.state().isEmpty()); // an edit beside the matter leaves the picture alone
        studio.window.state().showSignal("f");
        QTRY_COMPARE(studio.script->watched, (std::vector<WatchedSignal>{{"lstm", "f"}}));
        QVERIFY(studio.script->wasTold("look")); // also while paused
    }

    void copiesOfARepeatedGroupAreOnePlace()
    {
        Studio studio;
        Document& document = studio.window.document();
        QVERIFY(document.apply(edits::makeGroup({studio.id("lstm")}, "body")));
        const NodeId group = studio.id("body");
        QVERIFY(document.apply(edits::setRepeat(group, 2, false)));
        GraphScene& scene = studio.window.scene();
        scene.enter(group);
        const NodeId lstm = scene.nodeItems().front()->id();
        const auto isWatched = [&] { return scene.node(lstm)->face().isWatched; };
        scene.select({lstm});
        QCOMPARE(studio.window.state().node(), std::string("body.1.lstm"));
        QVERIFY(isWatched());
        for (QComboBox* box : studio.window.state().findChildren<QComboBox*>())
            if (box->accessibleName() == "Node")
                box->setCurrentText("body.2.lstm");
        QVERIFY(isWatched());
        scene.select({});
        scene.select({lstm});
        QCOMPARE(studio.window.state().node(), std::string("body.2.lstm")); // the copy that was chosen stays
        // Which path training takes is known before any run, and follows the document.
        QVERIFY(!studio.window.controller().isUnderWay());
        QTRY_COMPARE(studio.window.inspector().page()->trainingWords(),
                     QString("Torch's fused operation, all steps at once."));
    }

    /// A file may ask for any number of copies: the list names some of each node, and opening takes no time.
    void hugeRepeatsOpenAtOnce()
    {
        Studio studio;
        Document& document = studio.window.document();
        QVERIFY(document.apply(edits::makeGroup({studio.id("lstm")}, "body")));
        QVERIFY(document.apply(edits::setRepeat(studio.id("body"), 1024, false)));
        QVERIFY(document.apply(edits::makeGroup({studio.id("body")}, "middle")));
        QVERIFY(document.apply(edits::setRepeat(studio.id("middle"), 1024, false)));
        QVERIFY(document.apply(edits::makeGroup({studio.id("middle")}, "outer")));
        QVERIFY(document.apply(edits::setRepeat(studio.id("outer"), 1'000'000'000, false)));
        const QString file = studio.folder.filePath("huge.unroll");
        QVERIFY(saveExperiment(document.experiment(), file.toStdString()).has_value());
        QElapsedTimer clock;
        clock.start();
        QVERIFY(studio.window.openFile(file));
        QVERIFY2(clock.elapsed() < 2000, qPrintable(QString::number(clock.elapsed())));
        auto* nodes = studio.window.state().findChild<QComboBox*>("nodes");
        QVERIFY(nodes->count() > 10 && nodes->count() <= 501);
        QCOMPARE(nodes->itemText(0), QString("lstm_2"));
        QCOMPARE(nodes->itemText(1), QString("outer.1.middle.1.body.1.lstm"));
        QCOMPARE(nodes->itemText(2), QString("outer.1.middle.1.body.2.lstm"));
        nodes->setCurrentIndex(2);
        QCOMPARE(studio.window.state().node(), std::string("outer.1.middle.1.body.2.lstm"));
        QCOMPARE(studio.window.state().place(), std::string("outer.middle.body.lstm"));
        QCOMPARE(nodes->itemText(nodes->count() - 1), QString("… and more copies"));
        nodes->setCurrentIndex(nodes->count() - 1); // no node
        QVERIFY(studio.window.state().node().empty());
        QTRY_VERIFY(studio.window.problems().count(Severity::Error) > 0);
    }

    void copiesAreSharedEvenly()
    {
        const BlockRegistry registry = allSpecs();
        Graph graph = testing::tinyExperiment().graph;
        const auto edit = [&graph](const GraphEdit& change) { graph = change.apply(graph).value(); };
        edit(edits::makeGroup({3}, "body"));
        edit(edits::setRepeat(graph.findByName("body")->id, 3, false));
        const WatchableNodes all = watchableNodes(graph, registry, 100);
        QVERIFY(all.allCopies);
        std::vector<std::string> lstms;
        for (const WatchableNode& node : all.nodes)
            if (node.spec->recurrent)
                lstms.push_back(node.path + " " + node.place);
        QCOMPARE(lstms,
                 (std::vector<std::string>{"body.1.lstm body.lstm", "body.2.lstm body.lstm", "body.3.lstm body.lstm"}));
        const WatchableNodes few = watchableNodes(graph, registry, 1);
        QVERIFY(!few.allCopies);
        QCOMPARE(few.nodes.size(), all.nodes.size() - 2); // one of each
        QCOMPARE(few.nodes.front().path, std::string("body.1.lstm"));
    }

    void missingCellsAreCounted()
    {
        Studio studio;
        studio.script->missingCells = 3;
        studio.key(Qt::Key_F10);
        QTRY_COMPARE(studio.window.state().map().missing(), std::int64_t{3});
        bool told = false;
        for (const QLabel* label : studio.window.state().findChildren<QLabel*>())
            told = told || label->text().contains("3 cells are no numbers");
        QVERIFY(told);
    }

    void samplesAppear()
    {
        Studio studio;
        studio.key(Qt::Key_F10);
        auto* ask = studio.window.samples().findChild<QPushButton*>();
        QTRY_VERIFY(ask->isEnabled());
        auto* prompt = studio.window.samples().findChild<QLineEdit*>();
        prompt->setText("O");
        QTest::mouseClick(ask, Qt::LeftButton);
        QTRY_VERIFY(studio.window.samples().shownText().contains("Once upon a <time>"));
    }

    void anEndedRunCanBeLookedAt()
    {
        Studio studio;
        RunController& run = studio.window.controller();
        studio.key(Qt::Key_F10);
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(run.state(), RunState::Stopped);
        studio.window.state().showSignal("f");
        QCOMPARE(studio.script->watched, (std::vector<WatchedSignal>{{"lstm_2", "f"}}));
        QTRY_VERIFY(!studio.window.state().isEmpty());
        auto* ask = studio.window.samples().findChild<QPushButton*>();
        QVERIFY(ask->isEnabled());
        QTest::mouseClick(ask, Qt::LeftButton);
        QTRY_VERIFY(studio.window.samples().shownText().contains("nce upon a <time>"));
        auto* probe = studio.window.state().findChild<QLineEdit*>();
        QTest::keyClicks(probe, "The fox");
        QTest::keyClick(probe, Qt::Key_Return);
        QVERIFY(studio.script->wasTold("probeText"));
        QTest::qWait(100);
        QCOMPARE(run.state(), RunState::Stopped);
        QVERIFY2(studio.window.runBar().words().startsWith("Stopped"), qPrintable(studio.window.runBar().words()));
        QVERIFY(!studio.window.actions().stop->isEnabled());
        QCOMPARE(studio.script->started.size(), std::size_t{1});
    }

    void aRunWithoutAModelIsNotAsked()
    {
        Studio studio;
        studio.script->failsToBuild = true;
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Failed);
        QVERIFY(!studio.window.samples().findChild<QPushButton*>()->isEnabled());
        studio.window.state().showSignal("f");
        QVERIFY(!studio.script->wasTold("look"));
        QVERIFY(studio.window.state().isEmpty());
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
        QVERIFY(studio.window.openFile(file));
        studio.key(Qt::Key_F5);
        QTRY_COMPARE_WITH_TIMEOUT(run.state(), RunState::Finished, 60000);
        const std::string other = studio.window.state().signal() == "f" ? "h" : "f";
        studio.window.state().showSignal(other);
        QVERIFY(studio.window.state().isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(!studio.window.state().isEmpty(), 60000);
        QCOMPARE(run.snapshot()->probe->signalFrames.front().signal, other);
        QVERIFY(studio.window.samples().isEmpty());
        QTest::mouseClick(studio.window.samples().findChild<QPushButton*>(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!studio.window.samples().isEmpty(), 60000);
        QCOMPARE(run.state(), RunState::Finished);
    }

    void aPanelHiddenAtTheEndDrawsWhenShown()
    {
        Studio studio;
        studio.script->stepsAPoll = 100000;
        studio.window.curves().hide();
        studio.window.state().hide();
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Finished);
        QVERIFY(studio.window.curves().isEmpty());
        QVERIFY(studio.window.state().isEmpty());
        studio.window.curves().show();
        QVERIFY(!studio.window.curves().isEmpty());
        studio.window.state().show();
        QVERIFY(!studio.window.state().isEmpty());
    }

    void anotherExperimentStartsClean()
    {
        Studio studio;
        RunController& run = studio.window.controller();
        const QString file = studio.folder.filePath("tiny.unroll");
        QVERIFY(saveExperiment(testing::tinyExperiment(), file.toStdString()).has_value());
        studio.key(Qt::Key_F10);
        QTest::mouseClick(studio.window.samples().findChild<QPushButton*>(), Qt::LeftButton);
        QTRY_VERIFY(!studio.window.samples().isEmpty());
        QVERIFY(!studio.window.curves().isEmpty());
        QVERIFY(!studio.window.state().isEmpty());
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(run.state(), RunState::Stopped);
        QVERIFY(studio.window.openFile(file));
        QVERIFY(studio.script->wasTold("end"));
        QVERIFY(studio.window.samples().isEmpty());
        QVERIFY(studio.window.curves().isEmpty());
        QVERIFY(studio.window.state().isEmpty());
        QVERIFY(!studio.window.samples().findChild<QPushButton*>()->isEnabled());
        QCOMPARE(studio.window.runBar().words(), QString("Ready, step 0 / 30"));
        QVERIFY(!run.canBeAsked());
        QVERIFY(!run.experiment().has_value());
        QTRY_VERIFY(!studio.window.document().checked()->order.empty());
        studio.key(Qt::Key_F10);
        QCOMPARE(studio.script->started.size(), std::size_t{2});
        QCOMPARE(studio.script->started.back().graph, studio.graph());
        QCOMPARE(studio.script->watched.front().node, std::string("lstm"));
        QTRY_VERIFY(!studio.window.state().isEmpty());
    }

    void theSecondRunShowsNothingOfTheFirst()
    {
        Studio studio;
        Chart& chart = studio.window.curves().chart();
        const auto words = [&chart] { return chart.words().join('|'); };
        studio.key(Qt::Key_F5);
        QTRY_VERIFY(words().contains("validation "));
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Stopped);
        Q_EMIT chart.hovered(50);
        QVERIFY2(words().contains("step 50|"), qPrintable(words()));
        studio.key(Qt::Key_F10);
        QVERIFY2(words().contains("train "), qPrintable(words()));
        QVERIFY2(!words().contains("validation "), qPrintable(words()));
        QVERIFY2(!words().contains("step 50|"), qPrintable(words()));
    }

    void theEntropyFloorIsDrawnAndNamed()
    {
        Studio studio;
        studio.key(Qt::Key_F10);
        Chart& chart = studio.window.curves().chart();
        QVERIFY2(chart.words().contains("entropy floor 0.800, expected 0.812"), qPrintable(chart.words().join('|')));
        // The dashes of the line: one row of pixels with many of its colour.
        const QImage image = chart.grab().toImage();
        const QColor wanted = studio.appearance.theme()[Theme::Role::ChartFloor];
        int most = 0;
        for (int y = 0; y < image.height(); ++y) {
            int inRow = 0;
            for (int x = 0; x < image.width(); ++x) {
                const QColor there = image.pixelColor(x, y);
                inRow += std::abs(there.red() - wanted.red()) < 12 && std::abs(there.green() - wanted.green()) < 12 &&
                         std::abs(there.blue() - wanted.blue()) < 12;
            }
            most = std::max(most, inRow);
        }
        QVERIFY2(most > 60, qPrintable(QString::number(most)));
        studio.window.curves().findChild<QComboBox*>()->setCurrentText(
            "Accuracy"); // a floor of nats has no place there
        QVERIFY2(!chart.words().join('|').contains("entropy floor"), qPrintable(chart.words().join('|')));
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
        QCOMPARE(*seed->number(), ParamValue(std::int64_t{5}));
        QVERIFY(studio.window.document().setTraining("device", std::string("auto")).has_value());
        QCOMPARE(device->currentText(), QString("auto"));
    }

    void theRunBarTellsSpeedAndTimeLeft()
    {
        Studio studio;
        const auto words = [&studio] { return studio.window.runBar().words(); };
        studio.key(Qt::Key_F5);
        QTRY_VERIFY2(words().contains("3 min 20 s left"), qPrintable(words()));
        QVERIFY2(words().startsWith("Running, step "), qPrintable(words()));
        QVERIFY2(words().contains("tokens/s"), qPrintable(words()));
        studio.key(Qt::Key_F6);
        QTRY_VERIFY2(words().startsWith("Paused, step "), qPrintable(words()));
        QVERIFY2(!words().contains("left") && !words().contains("tokens/s"), qPrintable(words()));
    }

    void thePromptIsTheReaders()
    {
        Studio studio;
        Document& document = studio.window.document();
        auto* prompt = studio.window.samples().findChild<QLineEdit*>();
        const auto* temperature = studio.window.samples().findChild<NumberField*>();
        Experiment other = document.experiment();
        other.training.samplePrompt = "Once";
        other.training.sampleTemperature = 0.3;
        document.replace(other, {});
        QCOMPARE(prompt->text(), QStringLiteral("Once"));
        QCOMPARE(temperature->text(), QStringLiteral("0.3"));
        prompt->setText("My words");
        document.setSeed(document.seed() + 1); // beside the matter
        QCOMPARE(prompt->text(), QStringLiteral("My words"));
        QVERIFY(document.setTraining("sample_temperature", 0.5).has_value());
        QCOMPARE(temperature->text(), QStringLiteral("0.5"));
        QCOMPARE(prompt->text(), QStringLiteral("My words"));
        QVERIFY(document.setTraining("sample_prompt", std::string("Then")).has_value());
        QCOMPARE(prompt->text(), QStringLiteral("Then"));
    }

    void aFailedRunIsSaidAtTheNode()
    {
        Studio studio;
        studio.script->failAt = 20;
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Failed);
        QCOMPARE(studio.item("embedding").face().severity, std::optional(Severity::Error));
        QVERIFY(studio.window.messages().words().contains("step 20"));
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

    /// A run never trains with half a number: only what Enter, Tab or a rest after steps has finished goes to it.
    void theFinishedLearningRateGoesToTheRun()
    {
        Studio studio;
        studio.window.docks().training->raise();
        auto* rate = studio.window.training().form().editor("learning_rate")->findChild<NumberField*>();
        QTRY_VERIFY(rate->isVisible());
        rate->setFocus();
        QTRY_VERIFY(rate->hasFocus());
        studio.key(Qt::Key_F10);
        const double before = studio.window.document().training().learningRate;
        std::vector<double> told;
        rate->selectAll();
        QTest::keyClicks(rate, "0.0002");
        QTest::qWait(NumberField::restMilliseconds + 100); // the hand rests in the middle
        QTest::keyClicks(rate, "5");
        QCOMPARE(studio.script->learningRates, told);
        QTest::keyClick(rate, Qt::Key_Return);
        told.push_back(0.00025);
        QCOMPARE(studio.script->learningRates, told);
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(rate, Qt::Key_Up);
        QCOMPARE(studio.script->learningRates, told);
        told.push_back(0.00028);
        QTRY_COMPARE(studio.script->learningRates, told);
        rate->selectAll();
        QTest::keyClicks(rate, "5e"); // no number: the one before comes back
        QTest::keyClick(rate, Qt::Key_Return);
        QCOMPARE(studio.window.document().training().learningRate, 0.00028);
        QCOMPARE(studio.script->learningRates.back(), 0.00028);
        rate->selectAll();
        QTest::keyClicks(rate, QString::number(before));
        studio.window.canvas().setFocus();
        QCOMPARE(studio.script->learningRates.back(), before);
        QCOMPARE(studio.window.document().training().learningRate, before);
    }

    /// The check of "1" must not take "1e" from under the hand that types 1e-3.
    void aNumberHalfTypedStays()
    {
        NumberField field(false, {});
        field.setNumber(0.5);
        field.selectAll();
        QTest::keyClicks(&field, "1e");
        field.setNumber(1.0);
        QTest::keyClicks(&field, "-3");
        QVERIFY(field.number().has_value());
        QCOMPARE(*field.number(), ParamValue(0.001));
    }

    void theTrainingPathIsShown()
    {
        Studio studio;
        studio.window.scene().select({studio.id("lstm")});
        studio.key(Qt::Key_F10);
        bool told = false;
        for (const QLabel* label : studio.window.inspector().page()->findChildren<QLabel*>())
            told = told || label->text().startsWith("Torch's fused operation");
        QVERIFY(told);
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
        QVERIFY(studio.window.messages().words().contains("Saving"));
        // Nothing can be edited any more: nobody would ask whether to save it.
        const Graph before = studio.graph();
        QVERIFY(studio.window.document().history().canUndo());
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(studio.graph(), before);
        QVERIFY(!studio.window.inspector().isEnabled() && !studio.window.menuBar()->isEnabled());
        studio.script->released = true;
        QTRY_VERIFY(!studio.window.isVisible());
    }

    void quittingClosesEveryWindow()
    {
        Studio studio;
        studio.script->slowToStop = true;
        MainWindow second(studio.workshop);
        second.openDefault();
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
        const SeriesStore& loss = studio.window.curves().series("train/loss");
        QTRY_COMPARE(loss.size(), std::size_t{20});
        QVERIFY(loss.y(19) < loss.y(0));
        run.look();
        QTRY_VERIFY_WITH_TIMEOUT(!studio.window.state().isEmpty(), 60000);
        QVERIFY(run.snapshot()->probe->signalFrames.front().width > 1);
        QVERIFY(studio.window.state().map().missing() == 0);
        run.run(studio.window.document().experiment(), {});
        QTRY_VERIFY_WITH_TIMEOUT(run.snapshot()->step > 22, 60000);
        QVERIFY(!studio.window.close()); // stops first, then goes
        QTRY_VERIFY_WITH_TIMEOUT(!studio.window.isVisible(), 60000);
    }

private:
    BlockRegistry m_registry = allSpecs(); ///< of the real run: outlives it
};

int runTraining(int argc, char** argv)
{
    TrainingTest test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace unroll::test

#include "training_test.moc"
