// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/frame_history.h"
#include "app/studio/lenses/state/heat_image.h"
#include "app/studio/lenses/state/heat_map_view.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QPicture>
#include <QSignalSpy>
#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll::test {

namespace {

constexpr float kNanCell = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

SignalFrame frameOf(SignalKind look, std::int64_t steps, std::int64_t width, std::vector<float> values)
{
    return {"lstm", "c", look, steps, width, std::move(values)};
}

using Rows = std::vector<std::int64_t>;

FrameHistory::Frame look(std::int64_t step, std::size_t values = 2, const std::string& text = "a")
{
    const auto width = static_cast<std::int64_t>(values);
    ProbeFrame frame{step, {text}, {frameOf(SignalKind::Bounded, 1, width, std::vector<float>(values, 0.5f))}};
    return std::make_shared<const ProbeFrame>(std::move(frame));
}

double lightness(QRgb color)
{
    return toOklab(QColor(color)).lightness;
}

} // namespace

class LensesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oklabRoundTrip()
    {
        QVERIFY(std::abs(toOklab(Qt::white).lightness - 1) < 1e-4);
        QVERIFY(std::abs(toOklab(Qt::white).a) < 1e-4);
        QVERIFY(std::abs(toOklab(QColor(255, 0, 0)).lightness - 0.62796) < 1e-4);
        for (const QColor color : {QColor(12, 200, 77), QColor(255, 3, 128), QColor(0, 0, 0), QColor(90, 91, 92)})
            QCOMPARE(fromOklab(toOklab(color)).rgb(), color.rgb());
    }

    void mapsAreEven_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void mapsAreEven()
    {
        QFETCH(bool, dark);
        Appearance appearance(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        const auto sequential = ColourMap::sequential(appearance.theme().sequentialMap());
        const auto diverging = ColourMap::diverging(appearance.theme().divergingMap());
        // Steps of 16 table entries, which rounding to 8 bits hardly blurs, are equally long and go one way in
        // lightness.
        const auto check = [](const ColourMap& map, int from, int to) {
            double least = INFINITY, greatest = 0;
            int rising = 0, falling = 0;
            for (int i = from; i + 16 <= to; i += 16) {
                const double step = distance(toOklab(QColor(map[i])), toOklab(QColor(map[i + 16])));
                least = std::min(least, step);
                greatest = std::max(greatest, step);
                (lightness(map[i + 16]) > lightness(map[i]) ? rising : falling) += 1;
            }
            return greatest / least < 1.3 && (rising == 0 || falling == 0);
        };
        QVERIFY(check(sequential, 0, 255));
        QVERIFY(check(diverging, 0, 127));
        QVERIFY(check(diverging, 128, 255));
        QCOMPARE(diverging[127], appearance.theme().divergingMap()[2].rgb());
        QCOMPARE(diverging[128], diverging[127]);
        QVERIFY(std::abs(lightness(diverging[0]) - lightness(diverging[255])) < 0.06); // both signs weigh alike
    }

    void scalesFollowTheLook()
    {
        const HeatCells cells = heatCells(frameOf(SignalKind::Signed, 10, 10, [] {
            std::vector<float> values(100, 0.1f);
            values[0] = 100; // one spike does not stretch the range
            values[1] = -1.7f;
            return values;
        }()));
        QCOMPARE(heatScale(SignalKind::Signed, cells), (HeatScale{-2, 2, true}));
        QCOMPARE(heatScale(SignalKind::Bounded, cells), (HeatScale{-1, 1, true}));
        QCOMPARE(heatScale(SignalKind::Gate, cells), (HeatScale{0, 1, false}));
        const HeatCells even = heatCells(frameOf(SignalKind::Attention, 10, 10, std::vector<float>(100, 0.04f)));
        QCOMPARE(heatScale(SignalKind::Attention, even), (HeatScale{0, 0.04f, false})); // small weights are seen too
        const HeatCells sharp = heatCells(frameOf(SignalKind::Attention, 2, 2, {1, 0, 1, 0}));
        QCOMPARE(heatScale(SignalKind::Attention, sharp), (HeatScale{0, 1, false}));
        const HeatCells empty = heatCells(frameOf(SignalKind::Signed, 2, 1, {kNanCell, kNanCell}));
        QCOMPARE(empty.missing, 2);
        QCOMPARE(heatScale(SignalKind::Signed, empty), (HeatScale{-1, 1, true}));
        const HeatCells complex = heatCells(frameOf(SignalKind::Complex, 1, 4, {3, 4, 0, -2}));
        QCOMPARE(complex.width, 2);
        QCOMPARE(complex.values, (std::vector<float>{5, 2}));
    }

    void shrinkingKeepsSpikes()
    {
        std::vector<float> values(7 * 33, 0.01f);
        values[3 * 33 + 20] = -0.9f;
        values[5 * 33 + 2] = kNanCell;
        const HeatCells small = reduced(heatCells(frameOf(SignalKind::Bounded, 7, 33, values)), 3, 8);
        QCOMPARE(small.steps, 3);
        QCOMPARE(small.width, 8);
        QCOMPARE(small.at(3 * 3 / 7, 20 * 8 / 33), -0.9f);
        QVERIFY(std::isnan(small.at(5 * 3 / 7, 2 * 8 / 33)));
        QCOMPARE(std::count_if(small.values.begin(), small.values.end(), [](float v) { return std::isnan(v); }), 1);
        QCOMPARE(small.missing, 1);
    }

    void imageMapsValues()
    {
        Appearance appearance(ThemeChoice::Light);
        const auto map = ColourMap::diverging(appearance.theme().divergingMap());
        const QRgb missing = qRgb(255, 0, 255);
        const HeatCells cells = heatCells(frameOf(SignalKind::Bounded, 3, 2, {-1, 0, 1, 5, kNanCell, -5}));
        const QImage image = heatImage(cells, {-1, 1, true}, map, missing);
        QCOMPARE(image.size(), QSize(3, 2)); // a column a step, a row a unit
        QCOMPARE(image.pixel(0, 0), map[0]);
        QCOMPARE(image.pixel(0, 1), map[128]);
        QCOMPARE(image.pixel(1, 0), map[255]);
        QCOMPARE(image.pixel(1, 1), map[255]);
        QCOMPARE(image.pixel(2, 0), missing);
        QCOMPARE(image.pixel(2, 1), map[0]);
    }

    void hoverTellsCharacterUnitValue()
    {
        Appearance appearance(ThemeChoice::Light);
        HeatMapView view(appearance);
        view.resize(600, 300);
        view.show();
        QVERIFY(view.isEmpty());
        ProbeFrame frame{
            5, {"a", "b", "c"}, {frameOf(SignalKind::Bounded, 3, 2, {0.1f, 0.2f, 0.3f, -0.41234f, 0.5f, kNanCell})}};
        view.setFrame(std::make_shared<const ProbeFrame>(frame), 0);
        QSignalSpy words(&view, &HeatMapView::pointedAt);
        const QRectF map = view.places().map();
        const QPointF second(map.left() + map.width() * 0.5, map.top() + map.height() * 0.75);
        QCOMPARE(*view.places().at(second), (HeatMapCell{1, 1}));
        QMouseEvent move(QEvent::MouseMove, second, view.mapToGlobal(second), Qt::NoButton, Qt::NoButton, {});
        QApplication::sendEvent(&view, &move);
        QCOMPARE(words.size(), 1);
        const QString told = words.front().front().toString();
        QVERIFY2(told.contains("“b”") && told.contains("unit 1") && told.contains("0.4123"), qPrintable(told));
        QVERIFY2(told.contains("character 2 of 3"), qPrintable(told));
        QVERIFY(view.data().describe({2, 1}).contains("not a number"));
        QVERIFY(!view.places().at(QPointF(map.right() + 20, map.top() + 5)));
    }

    void complexUnitsAreToldByTheirModulus()
    {
        Appearance appearance(ThemeChoice::Light);
        HeatMapView view(appearance);
        const ProbeFrame frame{5, {"a", "b"}, {frameOf(SignalKind::Complex, 2, 2, {3, -4, kInf, 0})}};
        view.setFrame(std::make_shared<const ProbeFrame>(frame), 0);
        QVERIFY2(view.data().describe({0, 0}).endsWith("modulus 5"), qPrintable(view.data().describe({0, 0})));
        QVERIFY2(view.data().describe({1, 0}).endsWith("infinite"), qPrintable(view.data().describe({1, 0})));
    }

    void numbersOfMatricesAreToldByRowAndColumn()
    {
        Appearance appearance(ThemeChoice::Light);
        HeatMapView view(appearance);
        SignalFrame matrices = frameOf(SignalKind::Matrix, 1, 8, std::vector<float>(8, 0.5f));
        const auto shown = [&](std::int64_t rows, std::int64_t columns) {
            matrices.rows = rows;
            matrices.columns = columns;
            view.setFrame(std::make_shared<const ProbeFrame>(ProbeFrame{5, {"a"}, {matrices}}), 0);
            return view.data().describe({0, 6});
        };
        QVERIFY2(shown(2, 2).contains("matrix 1, row 1, column 0:"), qPrintable(shown(2, 2)));
        QVERIFY2(shown(4, 2).contains("matrix 0, row 3, column 0:"), qPrintable(shown(4, 2)));
        QVERIFY2(shown(1, 4).contains("matrix 1, row 0, column 2:"), qPrintable(shown(1, 4)));
    }

    void heldLooksShareTheirScale()
    {
        Appearance appearance(ThemeChoice::Light);
        HeatMapView view(appearance);
        const auto show = [&](float value, const char* signal = "c") {
            ProbeFrame frame{1, {"a"}, {frameOf(SignalKind::Signed, 1, 1, {value})}};
            frame.signalFrames[0].signal = signal;
            view.setFrame(std::make_shared<const ProbeFrame>(frame), 0);
            return view.data().scale().high;
        };
        QCOMPARE(show(2), 2.0f);
        view.holdScale(true);
        QCOMPARE(show(0.5f), 2.0f);
        QCOMPARE(show(5), 2.0f);
        QCOMPARE(show(5, "h"), 6.0f); // another signal has a scale of its own
        view.holdScale(false);
        QCOMPARE(show(0.5f, "h"), 0.6f);
    }

    void unitsAreOrdered()
    {
        // Columns are units: 0 peaks last and below zero, 1 and 4 are alike, 2 has no number, 3 peaks first but once.
        const HeatCells cells = heatCells(frameOf(SignalKind::Signed, 3, 5,
                                                  {0.1f, 0.2f, kNanCell, 0.9f, 0.2f, //
                                                   0.1f, -0.4f, kInf, 0.0f, 0.4f,    //
                                                   -0.8f, 0.2f, -kInf, kNanCell, 0.2f}));
        QCOMPARE(unitRows(cells, UnitOrder::Index), (Rows{0, 1, 2, 3, 4}));
        QCOMPARE(unitRows(cells, UnitOrder::Peak), (Rows{3, 1, 4, 0, 2}));
        QCOMPARE(unitRows(cells, UnitOrder::Mean), (Rows{3, 0, 1, 4, 2})); // 0.45, 0.333, 0.267 twice, none
        const HeatCells placed = inRows(cells, {3, 1, 4, 0, 2});
        QCOMPARE(placed.steps, std::int64_t{3});
        QCOMPARE(placed.width, std::int64_t{5});
        QCOMPARE(placed.at(0, 0), 0.9f);
        QCOMPARE(placed.at(1, 1), -0.4f);
        QCOMPARE(placed.at(2, 3), -0.8f);
        QVERIFY(std::isnan(placed.at(0, 4)));
        QCOMPARE(placed.missing, cells.missing);
        const HeatCells flat = heatCells(frameOf(SignalKind::Signed, 2, 3, std::vector<float>(6, 0)));
        QCOMPARE(unitRows(flat, UnitOrder::Peak), (Rows{0, 1, 2}));
        QCOMPARE(unitRows(flat, UnitOrder::Mean), (Rows{0, 1, 2}));
        QCOMPARE(unitRows(HeatCells{}, UnitOrder::Peak), Rows{});
    }

    void looksAreKeptEvenly()
    {
        FrameHistory kept(100);
        for (std::int64_t step = 1; step <= 10000; ++step)
            kept.add(look(step));
        QCOMPARE(kept.size(), std::size_t{100});
        QCOMPARE(kept.at(0)->step, std::int64_t{1});
        QCOMPARE(kept.newest()->step, std::int64_t{10000});
        for (std::size_t i = 1; i < kept.size(); ++i) {
            const std::int64_t gap = kept.at(i)->step - kept.at(i - 1)->step;
            QVERIFY2(gap > 0 && gap <= 2 * 10000 / 98, qPrintable(QString("%1: %2").arg(i).arg(gap)));
        }
    }

    void looksAreBoundedInBytes()
    {
        FrameHistory kept(100, 1000 * sizeof(float));
        for (std::int64_t step = 1; step <= 50; ++step) {
            kept.add(look(step, 100));
            QVERIFY(kept.bytes() <= 1000 * sizeof(float));
            QCOMPARE(kept.bytes(), kept.size() * 100 * sizeof(float));
        }
        QCOMPARE(kept.size(), std::size_t{10});
        kept.add(look(51, 5000)); // more than all the room: it alone
        QCOMPARE(kept.size(), std::size_t{1});
        QCOMPARE(kept.newest()->step, std::int64_t{51});
        kept.clear();
        QCOMPARE(kept.bytes(), std::size_t{0});
    }

    void aHistoryIsOfOneRunAndText()
    {
        FrameHistory kept;
        const auto tenth = look(10);
        kept.add(look(5));
        kept.add(tenth);
        kept.add(tenth); // told twice
        QCOMPARE(kept.size(), std::size_t{2});
        const auto anew = look(10);
        kept.add(anew);
        QCOMPARE(kept.size(), std::size_t{2});
        QVERIFY(kept.newest() == anew);
        QCOMPARE(kept.bytes(), 4 * sizeof(float));
        kept.add(look(20));
        QCOMPARE(kept.nearest(0), std::size_t{0});
        QCOMPARE(kept.nearest(7), std::size_t{0});
        QCOMPARE(kept.nearest(8), std::size_t{1});
        QCOMPARE(kept.nearest(15), std::size_t{1});
        QCOMPARE(kept.nearest(99), std::size_t{2});
        kept.add(look(21, 2, "b"));
        QCOMPARE(kept.size(), std::size_t{1});
        kept.add(look(3, 2, "b"));
        QCOMPARE(kept.size(), std::size_t{1});
        QCOMPARE(kept.newest()->step, std::int64_t{3});
    }

    void theSignalsLookedAtLastAreRemembered()
    {
        FrameHistories all;
        for (const char* signal : {"a", "b", "c", "d"})
            all.of({"lstm", signal}).add(look(7));
        QCOMPARE(all.of({"lstm", "a"}).size(), std::size_t{1});
        QVERIFY(all.of({"lstm", "e"}).isEmpty()); // takes the place of b
        QCOMPARE(all.of({"lstm", "a"}).size(), std::size_t{1});
        QVERIFY(all.of({"lstm", "b"}).isEmpty());
        all.clear();
        QVERIFY(all.of({"lstm", "a"}).isEmpty());
    }

    /// Two heads over four characters: rows by head and step, whatever the order, and the characters that a step looks
    /// at tinted.
    void attentionIsReadHeadByHead()
    {
        Appearance appearance(ThemeChoice::Light);
        HeatMapView view(appearance);
        view.resize(600, 300);
        view.show();
        SignalFrame signal{"attention", "weights", SignalKind::Attention, 4, 8, std::vector<float>(4 * 8, 0)};
        signal.values[2 * 8 + 5] = 0.75f; // step 2, head 1, step 1
        signal.values[2 * 8 + 6] = 0.25f;
        view.setFrame(std::make_shared<const ProbeFrame>(ProbeFrame{1, {"a", "b", "c", "d"}, {signal}}), 0);
        QCOMPARE(view.data().cells().heads, 2);
        QVERIFY(!view.data().canReorder());
        view.setOrder(UnitOrder::Mean);
        QCOMPARE(view.data().rows(), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
        QCOMPARE(view.data().describe({2, 5}),
                 QStringLiteral("“c”, character 3 of 4, head 2 attends to “b”, character 2 of 4:  0.75"));
        const QRectF map = view.places().map();
        const auto below = [&](int step) { // at the corner of the step's character, beside the letter
            return QPointF(map.left() + (step + 0.06) * map.width() / 4, map.bottom() + 4).toPoint();
        };
        const QImage before = view.grab().toImage();
        QTest::mouseClick(&view, Qt::LeftButton, {},
                          QPointF(map.left() + 2.5 * map.width() / 4, map.top() + 5.5 * map.height() / 8).toPoint());
        const QImage after = view.grab().toImage();
        QVERIFY(after.pixel(below(1)) != before.pixel(below(1)));
        QCOMPARE(after.pixel(below(0)), before.pixel(below(0)));
        QCOMPARE(after.pixel(below(3)), before.pixel(below(3)));
        signal.look = SignalKind::Gate;
        view.setFrame(std::make_shared<const ProbeFrame>(ProbeFrame{1, {"a", "b", "c", "d"}, {signal}}), 0);
        QVERIFY(view.data().canReorder());
    }

    /// Work, not time: one picture a frame however the hand moves, and no stroke a cell.
    void aLargeLookIsCheapToPaint()
    {
        Appearance appearance(ThemeChoice::Light);
        HeatMapView view(appearance);
        view.resize(900, 500);
        view.show();
        SignalFrame signal{"lstm", "c", SignalKind::Bounded, 512, 256, std::vector<float>(512 * 256)};
        for (std::size_t i = 0; i < signal.values.size(); ++i)
            signal.values[i] = static_cast<float>(i % 97) / 97;
        ProbeFrame frame{1, std::vector<std::string>(512, "x"), {signal}};
        view.setFrame(std::make_shared<const ProbeFrame>(frame), 0);
        view.setOrder(UnitOrder::Mean);
        (void)view.grab();
        const int made = view.picture().timesMade();
        for (int i = 0; i < 20; ++i) {
            QTest::mouseClick(&view, Qt::LeftButton, {}, view.places().map().center().toPoint() + QPoint(i, i));
            QTest::keyClick(&view, Qt::Key_Right);
            (void)view.grab();
        }
        QCOMPARE(view.picture().timesMade(), made);
        view.setOrder(UnitOrder::Index);
        (void)view.grab();
        QCOMPARE(view.picture().timesMade(), made + 1);
        // A stroke a cell would be 131,072 of them and some megabytes. Of one colour, so that the picture in it packs
        // to nothing.
        std::fill(frame.signalFrames[0].values.begin(), frame.signalFrames[0].values.end(), 0.25f);
        view.setFrame(std::make_shared<const ProbeFrame>(frame), 0);
        QPicture strokes;
        view.render(&strokes);
        QVERIFY(strokes.size() > 1000);
        QVERIFY2(strokes.size() < 400'000, qPrintable(QString::number(strokes.size())));
    }
};

static const AreaOf<LensesTest> lensesTestArea("lenses");

} // namespace unroll::test

#include "lenses_test.moc"
