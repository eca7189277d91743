// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/number_field.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/parts.h"
#include "tests/support/tiny_experiment.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QPushButton>
#include <algorithm>

namespace unroll::test {

class ViewsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void curvesHoldWhatCame()
    {
        Studio studio;
        studio.key(Qt::Key_F5);
        QTRY_VERIFY(studio.window.controller().snapshot()->step >= 120);
        studio.key(Qt::Key_F6);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Paused);
        const SeriesStore& loss = studio.window.panel<CurvesPanel>().series("train/loss");
        QTRY_COMPARE(static_cast<std::int64_t>(loss.size()), studio.window.controller().snapshot()->step);
        for (std::size_t i = 0; i < loss.size(); ++i)
            QCOMPARE(loss.x(i), static_cast<double>(i + 1));
        QCOMPARE(loss.y(49), 0.8 + 3.4 * std::exp(-50.0 / 150));
        QCOMPARE(studio.window.panel<CurvesPanel>().series("val/loss").size(), loss.size() / 50);
        buttonNamed(studio.window.panel<CurvesPanel>(), "Logarithmic y")->click();
        QVERIFY(!studio.window.panel<CurvesPanel>().grab().isNull());
    }

    void stateIsDrawn()
    {
        Studio studio;
        studio.window.scene().select({studio.id("lstm")});
        QCOMPARE(studio.window.panel<StatePanel>().node(), std::string("lstm"));
        QVERIFY(studio.item("lstm").face().isWatched);
        studio.window.panel<StatePanel>().showSignal("h");
        studio.key(Qt::Key_F10);
        QTRY_VERIFY(!studio.window.panel<StatePanel>().isEmpty());
        QCOMPARE(studio.script->watched, (std::vector<WatchedSignal>{{"lstm", "h"}}));
        HeatMapView& map = studio.window.panel<StatePanel>().map();
        QCOMPARE(map.data().scale(), (HeatScale{-1, 1, true}));
        // The picture holds the wave: the pixel in the middle of a cell has the colour of its value.
        const QImage image = map.grab().toImage();
        const auto colours = ColourMap::diverging(studio.appearance.theme().divergingMap());
        const QRectF area = map.places().map();
        for (const auto& [time, unit] : {std::pair<int, int>{0, 0}, {39, 23}, {17, 5}, {20, 21}}) {
            const QPoint at(static_cast<int>(area.left() + (time + 0.5) * area.width() / 40),
                            static_cast<int>(area.top() + (unit + 0.5) * area.height() / 24));
            const QRgb wanted = colours[static_cast<int>((scriptedSignal(1, time, unit) + 1) * 127.5f + 0.5f)];
            QCOMPARE(image.pixel(at), wanted);
        }
        studio.window.document().apply(edits::moveNodes({{studio.id("lstm"), {3, 4}}}));
        QVERIFY(!studio.window.panel<StatePanel>().isEmpty()); // an edit beside the matter leaves the picture alone
        studio.window.panel<StatePanel>().showSignal("f");
        QTRY_COMPARE(studio.script->watched, (std::vector<WatchedSignal>{{"lstm", "f"}}));
        QVERIFY(studio.script->wasTold("ask")); // also while paused
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
        QCOMPARE(studio.window.panel<StatePanel>().node(), std::string("body.1.lstm"));
        QVERIFY(isWatched());
        for (QComboBox* box : studio.window.panel<StatePanel>().findChildren<QComboBox*>())
            if (box->accessibleName() == "Node")
                box->setCurrentText("body.2.lstm");
        QVERIFY(isWatched());
        scene.select({});
        scene.select({lstm});
        QCOMPARE(studio.window.panel<StatePanel>().node(),
                 std::string("body.2.lstm")); // the copy that was chosen stays
        // Which path training takes is known before any run, and follows the document.
        QVERIFY(!studio.window.controller().isUnderWay());
        QTRY_COMPARE(partNamed<QLabel>(*studio.window.panel<InspectorPanel>().page(), "trainingPath").text(),
                     QString("PyTorch's fused operation, all steps at once."));
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
        QVERIFY(studio.window.files().open(file));
        QVERIFY2(clock.elapsed() < 30'000, qPrintable(QString::number(clock.elapsed()))); // all copies take hours
        auto* nodes = studio.window.panel<StatePanel>().findChild<QComboBox*>("nodes");
        QVERIFY(nodes->count() > 10 && nodes->count() <= 501);
        QCOMPARE(nodes->itemText(0), QString("lstm_2"));
        QCOMPARE(nodes->itemText(1), QString("outer.1.middle.1.body.1.lstm"));
        QCOMPARE(nodes->itemText(2), QString("outer.1.middle.1.body.2.lstm"));
        nodes->setCurrentIndex(2);
        QCOMPARE(studio.window.panel<StatePanel>().node(), std::string("outer.1.middle.1.body.2.lstm"));
        QCOMPARE(studio.window.panel<StatePanel>().place(), std::string("outer.middle.body.lstm"));
        QCOMPARE(nodes->itemText(nodes->count() - 1), QString("… and more copies"));
        nodes->setCurrentIndex(nodes->count() - 1); // no node
        QVERIFY(studio.window.panel<StatePanel>().node().empty());
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
        QTRY_COMPARE(studio.window.panel<StatePanel>().map().data().missing(), std::int64_t{3});
        QVERIFY(says(studio.window.panel<StatePanel>(), "3 cells are not finite"));
    }

    void samplesAppear()
    {
        Studio studio;
        studio.key(Qt::Key_F10);
        auto* ask = studio.window.panel<SamplesPanel>().findChild<QPushButton*>();
        QTRY_VERIFY(ask->isEnabled());
        auto* prompt = studio.window.panel<SamplesPanel>().findChild<QLineEdit*>();
        prompt->setText("O");
        QTest::mouseClick(ask, Qt::LeftButton);
        QTRY_VERIFY(studio.window.panel<SamplesPanel>().findChild<QTextBrowser*>()->toPlainText().contains(
            "Once upon a <time>"));
    }

    void aPanelHiddenAtTheEndDrawsWhenShown()
    {
        Studio studio;
        studio.script->stepsAPoll = 100000;
        studio.window.panel<CurvesPanel>().hide();
        studio.window.panel<StatePanel>().hide();
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Finished);
        QVERIFY(studio.window.panel<CurvesPanel>().isEmpty());
        QVERIFY(studio.window.panel<StatePanel>().isEmpty());
        studio.window.panel<CurvesPanel>().show();
        QVERIFY(!studio.window.panel<CurvesPanel>().isEmpty());
        studio.window.panel<StatePanel>().show();
        QVERIFY(!studio.window.panel<StatePanel>().isEmpty());
    }

    void theSecondRunShowsNothingOfTheFirst()
    {
        Studio studio;
        Chart& chart = studio.window.panel<CurvesPanel>().chart();
        const auto shownText = [&chart] { return chart.shownText().join('|'); };
        studio.key(Qt::Key_F5);
        QTRY_VERIFY(shownText().contains("validation "));
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Stopped);
        Q_EMIT chart.hovered(50);
        QVERIFY2(shownText().contains("step 50|"), qPrintable(shownText()));
        studio.script->stepsAPoll = 1;
        studio.key(Qt::Key_F5);
        QTRY_VERIFY2(shownText().contains("train "), qPrintable(shownText()));
        QVERIFY2(!shownText().contains("validation "), qPrintable(shownText()));
        QVERIFY2(!shownText().contains("step 50|"), qPrintable(shownText()));
    }

    void theEntropyFloorIsDrawnAndNamed()
    {
        Studio studio;
        studio.key(Qt::Key_F10);
        Chart& chart = studio.window.panel<CurvesPanel>().chart();
        QVERIFY2(chart.shownText().contains("entropy of these data 0.800 (of their source 0.812)"),
                 qPrintable(chart.shownText().join('|')));
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
        studio.window.panel<CurvesPanel>().findChild<QComboBox*>()->setCurrentText(
            "Accuracy"); // a floor of nats has no place there
        QVERIFY2(!chart.shownText().join('|').contains("entropy of these data"),
                 qPrintable(chart.shownText().join('|')));
    }

    void thePromptIsTheReaders()
    {
        Studio studio;
        Document& document = studio.window.document();
        auto* prompt = studio.window.panel<SamplesPanel>().findChild<QLineEdit*>();
        const auto* temperature = studio.window.panel<SamplesPanel>().findChild<NumberField*>();
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
};

static const AreaOf<ViewsTest> viewsTestArea("views");

} // namespace unroll::test

#include "views_test.moc"
