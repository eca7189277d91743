// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/state_saving.h"
#include "core/lens/unit_ranking.h"
#include "tests/gui/area.h"
#include "tests/gui/desk.h"

#include <QComboBox>
#include <QFile>
#include <QSignalSpy>
#include <algorithm>
#include <cmath>

namespace unroll::test {

namespace {

constexpr int kStackSteps = 40; ///< of a scripted snapshot, and its units
constexpr int kStackUnits = 24;

/// A studio with a first snapshot, and the parts of the panel.
struct StackBench : Studio {
    StackBench() { train(); }

    StatePanel& panel = window.panel<StatePanel>();
    StateStack& stack = panel.stack();
    QComboBox& drawing = *panel.findChild<QComboBox*>("drawing");
    QComboBox& scale = *panel.findChild<QComboBox*>("scale");
    QToolButton& add = *panel.findChild<QToolButton*>("addSignal");

    void train(std::int64_t count = 1)
    {
        window.controller().step(window.document().experiment(), SessionOptions{}, count);
    }
    ReadingCursor& cursor() { return window.cursor(); }
    HeatMapView& map(std::size_t index) { return stack.all()[index]->map(); }
};

QPoint at(const HeatMapView& map, int step, int row)
{
    const AxisZoom &columns = map.places().steps(), &rows = map.places().rows();
    return (map.places().map().topLeft() +
            QPointF(columns.placeOf(step) + columns.cell() / 2, rows.placeOf(row) + rows.cell() / 2))
        .toPoint();
}

/// What a lens says that ranks two units.
struct TwoRanked : LensData, UnitRanking {
    Figure figure() const override { return {}; }
    std::vector<std::int64_t> unitsRanked(const std::string&, const std::string&) const override { return {23, 7}; }
};

} // namespace

class StateStackTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aLargeUnitHidesNoOther()
    {
        StackBench bench;
        bench.scale.setCurrentText("scale per unit");
        const HeatMapData& data = bench.panel.map().data();
        QCOMPARE(data.scale(), (HeatScale{-1, 1, true}));
        for (std::int64_t unit = 0; unit < kStackUnits; ++unit) {
            float largest = 0;
            for (std::int64_t step = 0; step < kStackSteps; ++step)
                largest = std::max(largest, std::abs(data.drawn().at(step, unit)));
            QVERIFY(std::abs(largest - 1) < 1e-6f);
        }
        QVERIFY(data.describe({5, 3}).contains("of the unit's largest"));
        QCOMPARE(data.cells().at(5, 3), scriptedSignal(1, 5, 3)); // as they were
        bench.scale.setCurrentText("standardised");
        QCOMPARE(data.scale(), (HeatScale{-3, 3, true}));
        QVERIFY(data.describe({5, 3}).contains("standard deviations"));
        bench.scale.setCurrentText("shared scale");
        QCOMPARE(data.drawn().values, data.cells().values);
    }

    void theWindowDrawsTheNumbersOfTheLens()
    {
        StackBench bench;
        for (const auto& [order, words] :
             {std::pair{"mean", "by mean |value|"}, {"peak", "by time of peak"}, {"similarity", "by similarity"}}) {
            bench.panel.findChild<QComboBox*>("order")->setCurrentText(words);
            for (const auto& [name, shown] : {std::pair{"shared", "shared scale"}, {"unit", "scale per unit"}}) {
                bench.scale.setCurrentText(shown);
                const HeatMapData& data = bench.panel.map().data();
                const LensQuery query{"state",
                                      data.signal().node,
                                      data.signal().signal,
                                      {{"order", std::string(order)}, {"scale", std::string(name)}}};
                const Figure figure = frameOf({.look = data.frame()}, query)->data->figure();
                const FigureCells& cells = *figure.panels.front().cells;
                QCOMPARE(cells.units, data.rows());
                const HeatCells drawn = data.inOrder();
                for (std::int64_t row = 0; row < kStackUnits; ++row)
                    for (std::int64_t step = 0; step < kStackSteps; ++step)
                        QCOMPARE(cells.values[static_cast<std::size_t>(row * kStackSteps + step)], drawn.at(step, row));
            }
        }
    }

    void unitsStandByWhatTheyTrack()
    {
        StackBench bench;
        QComboBox& order = *bench.panel.findChild<QComboBox*>("order");
        const auto isRanking = [](const LensQuery& query) { return query.lens == "tracks"; };
        const auto asks = [&] { return std::any_of(bench.script->open.begin(), bench.script->open.end(), isRanking); };
        order.setCurrentText("by what they track");
        QTRY_VERIFY(asks());
        const auto says = [&](const char* words) {
            const auto labels = bench.panel.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* label) { return label->text().contains(words); });
        };
        QTRY_VERIFY(says("by index: "));
        bench.script->answers = [&, known = bench.window.controller().snapshot()->frames](const auto& open) {
            std::vector<std::shared_ptr<const LensFrame>> frames;
            for (const LensQuery& query : open) {
                const auto frame =
                    std::find_if(known.begin(), known.end(), [&](const auto& each) { return each->query == query; });
                if (isRanking(query))
                    frames.push_back(std::make_shared<const LensFrame>(
                        LensFrame{query, 1, {}, std::make_shared<const TwoRanked>()}));
                else if (frame != known.end())
                    frames.push_back(*frame);
            }
            return frames;
        };
        bench.window.controller().look();
        QTRY_COMPARE(bench.map(0).data().rows().front(), std::int64_t{23});
        QCOMPARE(bench.map(0).data().rows()[1], std::int64_t{7});
        QCOMPARE(bench.map(0).data().rows()[2], std::int64_t{0}); // the others by index
        QTRY_VERIFY(!says("by index: "));
        order.setCurrentText("by index");
        QTRY_VERIFY(!asks());
        QCOMPARE(bench.map(0).data().rows().front(), std::int64_t{0});
    }

    void signalsStandOneUnderAnother()
    {
        StackBench bench;
        const std::string first = bench.panel.signal();
        QTest::mouseClick(&bench.add, Qt::LeftButton);
        QCOMPARE(bench.stack.sections().size(), std::size_t{1});
        const SignalSection& section = *bench.stack.sections().front();
        QVERIFY(section.watched().signal != first); // another one of the node
        QCOMPARE(section.watched().node, bench.panel.node());
        QTRY_VERIFY(!bench.map(1).isEmpty());
        QCOMPARE(bench.script->open.size(), std::size_t{2});
        // One column axis, one step: in the other one too.
        QTRY_VERIFY(bench.map(1).width() == bench.map(0).width());
        QCOMPARE(bench.map(0).places().map().left(), bench.map(1).places().map().left());
        QCOMPARE(bench.map(0).places().map().width(), bench.map(1).places().map().width());
        bench.map(0).zoomSteps(2);
        QCOMPARE(bench.map(1).places().cell({5, 0}).left(), bench.map(0).places().cell({5, 0}).left());
        bench.map(0).fitAll();
        QTest::mouseClick(&bench.map(0), Qt::LeftButton, {}, at(bench.map(0), 7, 3));
        QCOMPARE(bench.cursor().step(), std::int64_t{7});
        QVERIFY(bench.cursor().isHeld());
        QCOMPARE(bench.cursor().selection().units, (std::vector<std::int64_t>{3}));
        QTest::mouseClick(&bench.map(0), Qt::LeftButton, Qt::ControlModifier, at(bench.map(0), 7, 9));
        QCOMPARE(bench.cursor().selection().units, (std::vector<std::int64_t>{3, 9}));
        bench.cursor().hold(11); // by another view: the mark goes along
        QCOMPARE(bench.map(0).marked()->step, std::int64_t{11});
        bench.cursor().release();
        QVERIFY(!bench.map(0).marked());
        bench.train(5);
        QCOMPARE(bench.map(1).data().frame().step, bench.map(0).data().frame().step);
        QTest::mouseClick(bench.stack.sections().front()->findChild<QToolButton*>("removeSignal"), Qt::LeftButton);
        QVERIFY(bench.stack.sections().empty());
        QTRY_COMPARE(bench.script->open.size(), std::size_t{1});
    }

    void theFirstSignalCanGoToo()
    {
        StackBench bench;
        QTest::mouseClick(&bench.add, Qt::LeftButton);
        QTest::mouseClick(&bench.add, Qt::LeftButton);
        const WatchedSignal second = bench.stack.sections()[0]->watched();
        QVERIFY(second != bench.stack.sections()[1]->watched());
        QTest::mouseClick(bench.panel.findChild<QToolButton*>("removeFirst"), Qt::LeftButton);
        QCOMPARE(bench.stack.sections().size(), std::size_t{1});
        QCOMPARE(bench.panel.signal(), second.signal);
        QTRY_VERIFY(!bench.panel.isEmpty());
        for (int i = 0; i < 10; ++i)
            bench.add.click();
        QCOMPARE(bench.stack.sections().size() + 1, StateStack::kMost);
        QVERIFY(!bench.add.isEnabled());
    }

    void aHeldLookIsThatOfAllSignals()
    {
        StackBench bench;
        QTest::mouseClick(&bench.add, Qt::LeftButton);
        bench.train(10);
        bench.train(10);
        auto* looks = bench.panel.findChild<QSlider*>();
        looks->setFocus();
        QTest::keyClick(looks, Qt::Key_Left);
        QCOMPARE(bench.map(0).data().frame().step, std::int64_t{11});
        QCOMPARE(bench.map(1).data().frame().step, std::int64_t{11});
        bench.train(10);
        QCOMPARE(bench.map(1).data().frame().step, std::int64_t{11});
    }

    void linesAndTextFollowTheSelection()
    {
        StackBench bench;
        bench.cursor().select({bench.panel.node(), bench.panel.signal(), {4, 2}});
        bench.drawing.setCurrentText("lines");
        UnitLines& lines = bench.stack.first().lines();
        QTRY_VERIFY(lines.isVisible());
        QCOMPARE(lines.units(), (std::vector<std::int64_t>{2, 4}));
        QVERIFY(says(bench.panel, "the selected units"));
        lines.setFocus();
        QTest::keyClick(&lines, Qt::Key_Right);
        QTest::keyClick(&lines, Qt::Key_Right);
        QCOMPARE(bench.cursor().step(), std::int64_t{1});
        QVERIFY2(lines.accessibleDescription().contains("unit 2:"), qPrintable(lines.accessibleDescription()));
        QTest::keyClick(&lines, Qt::Key_Escape);
        QCOMPARE(bench.cursor().step(), std::int64_t{-1});
        bench.drawing.setCurrentText("text");
        TokenText& text = bench.stack.first().text();
        QCOMPARE(text.tokens().size(), std::size_t{kStackSteps});
        const float value = scriptedSignal(1, 9, 2);
        const ColourMap& colours = bench.panel.map().picture().colours(true);
        QCOMPARE(text.tokens()[9].ground.rgb(), colours[static_cast<int>((value + 1) / 2 * 255 + 0.5f)]);
        QVERIFY(says(bench.panel, "unit 2"));
        QTest::mouseClick(text.viewport(), Qt::LeftButton, {}, text.placeOf(6).center().toPoint());
        QCOMPARE(bench.cursor().step(), std::int64_t{6});
        QTest::keyClick(&text, Qt::Key_End);
        QCOMPARE(bench.cursor().step(), std::int64_t{kStackSteps - 1});
        bench.script->missingCells = 3;
        bench.train();
        QVERIFY(text.tokens()[0].missing); // cells 0, 1 and 2 of the first step
        bench.cursor().select({});
        QCOMPARE(bench.stack.first().units().size(), std::size_t{5});
    }

    void whatIsDrawnCanBeSaved()
    {
        StackBench bench;
        bench.panel.findChild<QComboBox*>("order")->setCurrentText("by mean |value|");
        bench.scale.setCurrentText("scale per unit");
        QTest::mouseClick(&bench.add, Qt::LeftButton);
        QTRY_VERIFY(!bench.map(1).isEmpty());
        QSignalSpy told(&bench.panel, &LensView::noted);
        const auto save = [&](StateTools::Format format, const char* name) {
            const QString path = bench.folder.filePath(name);
            const auto before = told.size();
            bench.panel.save(format, path);
            [&] { QTRY_VERIFY(told.size() > before); }();
            return path;
        };
        const QList<QByteArray> lines = contentOf(save(StateTools::Format::Csv, "state.csv")).split('\n');
        QCOMPARE(lines[0], QByteArray("signal,unit,step,label,value,drawn,phase"));
        QCOMPARE(lines.size(), 1 + 2 * kStackSteps * kStackUnits + 1);
        const HeatMapData& data = bench.panel.map().data();
        const QList<QByteArray> first = lines[1].split(',');
        QCOMPARE(first[1].toLongLong(), data.rows()[0]);
        QCOMPARE(first[4].toFloat(), data.cells().at(0, data.rows()[0]));
        QCOMPARE(first[5].toFloat(), data.drawn().at(0, data.rows()[0]));
        const QImage picture(save(StateTools::Format::Png, "state.png"));
        QVERIFY(picture.width() >= bench.panel.map().width());
        QVERIFY(contentOf(save(StateTools::Format::Npz, "state.npz")).startsWith("PK"));
    }

    void anotherViewChoosesTheSignal()
    {
        StackBench bench;
        const std::string other = bench.panel.signal() == "f" ? "h" : "f";
        bench.cursor().select({bench.panel.node(), other, {5}});
        QCOMPARE(bench.panel.signal(), other);
        QTRY_VERIFY(!bench.panel.isEmpty());
        bench.cursor().select({"nowhere", "h", {5}}); // is none: nothing happens
        QCOMPARE(QString::fromStdString(bench.panel.signal()), QString::fromStdString(other));
    }
};

static const AreaOf<StateStackTest> stateStackTestArea("stateStack");

} // namespace unroll::test

#include "state_stack_test.moc"
