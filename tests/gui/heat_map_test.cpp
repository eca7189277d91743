// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QComboBox>
#include <QLabel>
#include <QSlider>
#include <QToolButton>
#include <algorithm>

namespace unroll::test {

namespace {

using Cell = HeatMapCell;

constexpr int kMapSteps = 40; ///< of a scripted snapshot, and its units
constexpr int kMapUnits = 24;

/// A studio with a first snapshot, and the parts of the panel.
struct MapBench : Studio {
    MapBench() { train(); }

    StatePanel& panel = window.panel<StatePanel>();
    HeatMapView& map = panel.map();
    QComboBox& order = *panel.findChild<QComboBox*>("order");
    QToolButton& reorder = *panel.findChild<QToolButton*>("reorder");
    QToolButton& follow = *panel.findChild<QToolButton*>("toggle");
    QSlider& looks = *panel.findChild<QSlider*>();
    ProbeField& probe = *panel.findChild<ProbeField*>();
    QLabel& trouble = *panel.findChild<QLabel*>("probeTrouble");

    void train(std::int64_t count = 1)
    {
        window.controller().step(window.document().experiment(), SessionOptions{}, count);
    }
    QString reading() const { return panel.findChild<QLabel*>("reading")->text(); }
    /// The middle of a row's cell.
    QPoint at(int step, int row) const
    {
        const QRectF area = map.places().map();
        return QPointF(area.left() + (step + 0.5) * area.width() / kMapSteps,
                       area.top() + (row + 0.5) * area.height() / kMapUnits)
            .toPoint();
    }
    void move(const QPoint& to, Qt::MouseButtons buttons = {})
    {
        QMouseEvent event(QEvent::MouseMove, to, map.mapToGlobal(to), Qt::NoButton, buttons, {});
        QApplication::sendEvent(&map, &event);
    }
    void leave()
    {
        QEvent event(QEvent::Leave);
        QApplication::sendEvent(&map, &event);
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(&map, key, modifiers); }
    float shownValue() const { return map.data().cells().at(5, 3); }
};

bool matches(const MapBench& bench, std::int64_t step)
{
    return bench.shownValue() == scriptedSignal(step, 5, 3);
}

HeatCells cellsOf(std::int64_t step)
{
    HeatCells cells{kMapSteps, kMapUnits, {}, 0};
    for (int t = 0; t < kMapSteps; ++t)
        for (int unit = 0; unit < kMapUnits; ++unit)
            cells.values.push_back(scriptedSignal(step, t, unit));
    return cells;
}

} // namespace

class HeatMapTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rowsGoByTheChosenOrder()
    {
        MapBench bench;
        QVERIFY(!bench.reorder.isEnabled());
        bench.order.setFocus();
        QTest::keyClick(&bench.order, Qt::Key_Down);
        QCOMPARE(bench.order.currentText(), QStringLiteral("by time of peak"));
        const auto byPeak = unitRows(cellsOf(1), UnitOrder::Peak);
        QVERIFY(byPeak != unitRows(cellsOf(1), UnitOrder::Index));
        QCOMPARE(bench.map.data().rows(), byPeak);
        // The picture and the words know what unit a row is.
        const QImage image = bench.map.grab().toImage();
        const auto colours = ColourMap::diverging(bench.appearance.theme().divergingMap());
        for (const int row : {0, 7, kMapUnits - 1}) {
            const float value = scriptedSignal(1, 9, static_cast<int>(byPeak[static_cast<std::size_t>(row)]));
            QCOMPARE(image.pixel(bench.at(9, row)), colours[static_cast<int>((value + 1) * 127.5f + 0.5f)]);
        }
        bench.move(bench.at(9, 2));
        QVERIFY2(bench.reading().contains(QString("unit %1:").arg(byPeak[2])), qPrintable(bench.reading()));
        QTest::keyClick(&bench.order, Qt::Key_Down);
        QCOMPARE(bench.map.data().rows(), unitRows(cellsOf(1), UnitOrder::Mean));
        bench.order.setCurrentIndex(0);
        QCOMPARE(bench.map.data().rows(), unitRows(cellsOf(1), UnitOrder::Index));
        QVERIFY(!bench.reorder.isEnabled());
    }

    void rowsStayUntilTheyAreReordered()
    {
        MapBench bench;
        bench.order.setCurrentText("by time of peak");
        const auto before = unitRows(cellsOf(1), UnitOrder::Peak);
        bench.train(100);
        QVERIFY(matches(bench, 101));
        const auto now = unitRows(cellsOf(101), UnitOrder::Peak);
        QVERIFY(now != before);
        QCOMPARE(bench.map.data().rows(), before);
        QTest::mouseClick(&bench.reorder, Qt::LeftButton);
        QCOMPARE(bench.map.data().rows(), now);
        bench.panel.showSignal(bench.panel.signal() == "f" ? "h" : "f"); // nothing to follow: the rows are its own
        QTRY_VERIFY(!bench.panel.isEmpty());
        QCOMPARE(bench.map.data().rows(), now);
    }

    void theMarkFollowsTheHand()
    {
        MapBench bench;
        QVERIFY(!bench.map.marked());
        QTest::mousePress(&bench.map, Qt::LeftButton, {}, bench.at(3, 2));
        QCOMPARE(*bench.map.marked(), (Cell{3, 2}));
        bench.move(bench.at(7, 4), Qt::LeftButton);
        bench.move(bench.at(10, 5), Qt::LeftButton);
        QTest::mouseRelease(&bench.map, Qt::LeftButton, {}, bench.at(10, 5));
        bench.move(bench.at(20, 9));
        QCOMPARE(*bench.map.marked(), (Cell{10, 5}));
        QVERIFY2(bench.reading().contains("character 21 of 40, unit 9:"), qPrintable(bench.reading()));
        bench.leave();
        QVERIFY2(bench.reading().contains("“k”, character 11 of 40, unit 5:"), qPrintable(bench.reading()));
        // On the row of characters only the step moves; past the ends it stays at them.
        const QPoint below(bench.at(30, 0).x(), static_cast<int>(bench.map.places().map().bottom()) + 6);
        QTest::mousePress(&bench.map, Qt::LeftButton, {}, below);
        QCOMPARE(*bench.map.marked(), (Cell{30, 5}));
        bench.move({bench.map.width() + 50, 10}, Qt::LeftButton);
        QCOMPARE(*bench.map.marked(), (Cell{kMapSteps - 1, 5}));
        QTest::mouseRelease(&bench.map, Qt::LeftButton, {}, bench.at(2, 2));
        bench.train(); // it stays for other snapshots, with their values
        QCOMPARE(*bench.map.marked(), (Cell{kMapSteps - 1, 5}));
        const QString value = QString::number(static_cast<double>(scriptedSignal(2, kMapSteps - 1, 5)), 'g', 4);
        QVERIFY2(bench.reading().endsWith(QString(value).replace('-', QChar(0x2212))), qPrintable(bench.reading()));
    }

    void theMarkGoesByKeyboard()
    {
        MapBench bench;
        bench.map.setFocus();
        const auto is = [&](Cell cell) { return bench.map.marked() == cell; };
        bench.press(Qt::Key_Right);
        QVERIFY(is({0, 0}));
        bench.press(Qt::Key_Right);
        bench.press(Qt::Key_Down);
        QVERIFY(is({1, 1}));
        bench.press(Qt::Key_Left);
        bench.press(Qt::Key_Left);
        bench.press(Qt::Key_Up);
        bench.press(Qt::Key_Up);
        QVERIFY(is({0, 0}));
        bench.press(Qt::Key_End);
        QVERIFY(is({kMapSteps - 1, 0}));
        bench.press(Qt::Key_PageDown);
        QVERIFY(is({kMapSteps - 1, 10}));
        bench.press(Qt::Key_Home);
        QVERIFY(is({0, 10}));
        bench.press(Qt::Key_Right, Qt::ControlModifier);
        QVERIFY(is({10, 10}));
        QVERIFY2(bench.map.accessibleDescription().contains("character 11 of 40, unit 10:"),
                 qPrintable(bench.map.accessibleDescription()));
        QCOMPARE(bench.reading(), bench.map.accessibleDescription());
        bench.order.setCurrentText("by mean |value|"); // rows go by it now, and so does the way down
        const auto& rows = bench.map.data().rows();
        const auto row = static_cast<std::size_t>(std::find(rows.begin(), rows.end(), 10) - rows.begin());
        bench.press(row == 0 ? Qt::Key_Down : Qt::Key_Up);
        QVERIFY(is({10, rows[row == 0 ? 1 : row - 1]}));
        bench.press(Qt::Key_Escape);
        QVERIFY(!bench.map.marked());
        QVERIFY2(bench.reading().startsWith("24 units on 40 characters"), qPrintable(bench.reading()));
        bench.press(Qt::Key_End);
        QVERIFY(is({kMapSteps - 1, rows[0]}));
    }

    void theFocusShows_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void theFocusShows()
    {
        QFETCH(bool, dark);
        MapBench bench;
        bench.appearance.setChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        const auto edge = [&] { return bench.map.grab().toImage().pixel(1, bench.map.height() / 2); };
        const QRgb ring = bench.appearance.theme()[Theme::Role::Focus].rgb();
        bench.probe.setFocus();
        QVERIFY(edge() != ring);
        bench.map.setFocus();
        QCOMPARE(edge(), ring);
    }

    void missingCellsAreTold()
    {
        MapBench bench;
        bench.script->missingCells = 3;
        bench.train();
        bench.move(bench.at(0, 1));
        QVERIFY2(bench.reading().contains("“a”, character 1 of 40, unit 1:  not a number"),
                 qPrintable(bench.reading()));
        bench.move(bench.at(0, 3));
        QVERIFY2(!bench.reading().contains("not a number"), qPrintable(bench.reading()));
        const QImage picture = bench.map.grab().toImage();
        const QRgb hole = bench.appearance.theme()[Theme::Role::HeatMissing].rgb();
        int holes = 0; // in the profile, right of the map
        for (int x = static_cast<int>(bench.map.places().map().right()) + 2; x < picture.width(); ++x)
            for (int y = 0; y < picture.height(); ++y)
                holes += picture.pixel(x, y) == hole;
        QVERIFY(holes > 0);
    }

    void aHeldLookStays()
    {
        MapBench bench;
        QVERIFY(bench.follow.isChecked());
        QVERIFY(says(bench.panel, "step 1"));
        QTest::mouseClick(&bench.follow, Qt::LeftButton);
        bench.train(100);
        bench.key(Qt::Key_F5);
        QTRY_VERIFY(bench.window.controller().snapshot()->step > 150);
        QVERIFY(matches(bench, 1));
        QVERIFY(says(bench.panel, "step 1, held"));
        bench.key(Qt::Key_F6);
        QTRY_COMPARE(bench.window.controller().state(), RunState::Paused);
        bench.follow.setFocus();
        QTest::keyClick(&bench.follow, Qt::Key_Space);
        QTRY_VERIFY(matches(bench, bench.window.controller().snapshot()->step));
        QVERIFY(!says(bench.panel, "held"));
    }

    void theSliderGoesThroughTraining()
    {
        MapBench bench;
        QVERIFY(!bench.looks.isEnabled());
        for (int i = 0; i < 4; ++i)
            bench.train(10);
        QCOMPARE(bench.looks.maximum(), 4);
        QCOMPARE(bench.looks.value(), 4);
        bench.looks.setFocus();
        QTest::keyClick(&bench.looks, Qt::Key_Home);
        QVERIFY(!bench.follow.isChecked());
        QVERIFY(matches(bench, 1));
        QTest::keyClick(&bench.looks, Qt::Key_Right);
        QVERIFY(matches(bench, 11));
        QVERIFY(says(bench.panel, "step 11, held"));
        QCOMPARE(bench.looks.accessibleDescription(), QStringLiteral("step 11, held"));
        bench.train(10); // the slider grows, the place in it stays
        QCOMPARE(bench.looks.maximum(), 5);
        QCOMPARE(bench.looks.value(), 1);
        QVERIFY(matches(bench, 11));
        QTest::mouseClick(&bench.follow, Qt::LeftButton);
        QCOMPARE(bench.looks.value(), 5);
        QVERIFY(matches(bench, 51));
        QVERIFY(says(bench.panel, "step 51"));
        bench.train(10);
        QVERIFY(matches(bench, 61));
    }

    void anotherSignalIsHeldAtTheSameStep()
    {
        MapBench bench;
        bench.panel.showSignal("h");
        bench.train(10);
        bench.train(10);
        bench.panel.showSignal("f");
        QTRY_VERIFY(!bench.panel.isEmpty());
        bench.train(10);
        QCOMPARE(bench.looks.maximum(), 1); // at 21 and 31
        QTest::mouseClick(&bench.follow, Qt::LeftButton);
        bench.panel.showSignal("h");
        QVERIFY(!bench.follow.isChecked());
        QVERIFY(matches(bench, 21)); // the nearest to 31 that is kept of it
        bench.looks.setFocus();
        QTest::keyClick(&bench.looks, Qt::Key_Home);
        QVERIFY(matches(bench, 1) || matches(bench, 11)); // what was kept before
        bench.panel.showSignal("o");                      // never viewed: nothing is kept
        QTRY_VERIFY(!bench.panel.isEmpty());
        QVERIFY(bench.follow.isChecked());
    }

    void anotherRunBeginsAnew()
    {
        MapBench bench;
        bench.train(10);
        QTest::mouseClick(&bench.follow, Qt::LeftButton);
        bench.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(bench.window.controller().state(), RunState::Stopped);
        QVERIFY(matches(bench, 11));
        bench.train(3);
        QCOMPARE(bench.script->started.size(), std::size_t{2});
        QVERIFY(bench.follow.isChecked());
        QCOMPARE(bench.looks.maximum(), 0);
        QVERIFY(matches(bench, 3));
    }

    void wrongCharactersAreNamedAtTheField()
    {
        MapBench bench;
        QVERIFY(!bench.probe.placeholderText().isEmpty());
        bench.probe.setFocus();
        bench.probe.setText("two \u2603");
        QVERIFY(!bench.trouble.isVisible()); // not before it is applied
        QTest::keyClick(&bench.probe, Qt::Key_Return);
        QCOMPARE(bench.window.document().probeText(), std::string("two \u2603"));
        QTRY_VERIFY(bench.trouble.isVisible());
        QVERIFY2(bench.trouble.text().contains("\u2603"), qPrintable(bench.trouble.text()));
        QVERIFY(bench.probe.property("wrong").toBool());
        QVERIFY2(bench.probe.toolTip().contains("\u2603"), qPrintable(bench.probe.toolTip()));
        bench.probe.setText("two");
        bench.map.setFocus(); // applied as the focus leaves
        QCOMPARE(bench.window.document().probeText(), std::string("two"));
        QTRY_VERIFY(!bench.trouble.isVisible());
        QVERIFY(!bench.probe.property("wrong").toBool());
    }

    /// What was chosen for all lenses stands in the field, and Enter goes back.
    void aPlaceThatIsReadIsNamedInTheField()
    {
        MapBench bench;
        bench.window.controller().setReading({.from = ReadingRequest::From::Place, .at = 7});
        bench.window.controller().step(bench.window.document().experiment(), SessionOptions{}, 1);
        QTRY_VERIFY(bench.probe.placeholderText().contains("chosen for all lenses"));
        bench.probe.setFocus();
        bench.map.setFocus(); // leaving the field chooses nothing
        QCOMPARE(bench.window.controller().reading().from, ReadingRequest::From::Place);
        bench.probe.setFocus();
        QTest::keyClick(&bench.probe, Qt::Key_Return);
        QCOMPARE(bench.window.controller().reading().from, ReadingRequest::From::Start);
    }

    void theProbeTextIsReset()
    {
        MapBench bench;
        auto* button = bench.probe.findChild<QToolButton*>();
        QVERIFY(button != nullptr && !bench.probe.actions().front()->isVisible());
        bench.probe.setFocus();
        QTest::keyClicks(&bench.probe, "The fox");
        QTest::keyClick(&bench.probe, Qt::Key_Return);
        QTest::mouseClick(&bench.follow, Qt::LeftButton);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(bench.probe.text(), QString());
        QCOMPARE(bench.window.document().probeText(), std::string());
        QCOMPARE(std::count(bench.script->commands.begin(), bench.script->commands.end(), "reading"), 2);
        QVERIFY(bench.follow.isChecked()); // what was held was of the other text
        QVERIFY(!bench.probe.actions().front()->isVisible());
    }
};

static const AreaOf<HeatMapTest> heatMapTestArea("heatMap");

} // namespace unroll::test

#include "heat_map_test.moc"
