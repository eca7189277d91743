// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/figure/figure_panel_view.h"
#include "app/studio/lenses/figure_lens_view.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <cmath>

namespace unroll::test {

namespace {

constexpr int kStatsSteps = 40; ///< of a scripted snapshot, and its units
constexpr int kStatsUnits = 24;

/// A studio and the view beside it, in a window of its own.
struct Beside : Studio {
    FigureLensView view{"unit_stats", {window.document(), window.controller(), appearance, window.cursor()}};

    Beside()
    {
        view.resize(500, 400);
        view.show();
        (void)QTest::qWaitForWindowExposed(&view);
    }
    void train() { window.controller().step(window.document().experiment(), SessionOptions{}, 1); }
    bool isDrawn() const { return !view.isEmpty() && !view.view().panels().empty(); }
    FigurePanelView& bars() const { return *view.view().panels().front(); }
    const FigureSeries& series() const { return bars().plot().panel().series.front(); }
};

/// By a plain loop, of the snapshot after one step.
double meanOf(int unit)
{
    double mean = 0;
    for (int t = 0; t < kStatsSteps; ++t)
        mean += static_cast<double>(scriptedSignal(1, t, unit)) / kStatsSteps;
    return mean;
}

} // namespace

class UnitStatsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void barsAreTheUnitsMeans()
    {
        Beside beside;
        QVERIFY(beside.view.isEmpty());
        beside.train();
        QTRY_VERIFY(beside.isDrawn());
        QCOMPARE(beside.series().y.size(), std::size_t{kStatsUnits});
        for (int unit = 0; unit < kStatsUnits; ++unit)
            QVERIFY(std::abs(beside.series().y[static_cast<std::size_t>(unit)] - meanOf(unit)) < 1e-6);
        QCOMPARE(beside.bars().plot().panel().x.title, std::string("unit"));
        QVERIFY(!beside.view.grab().isNull());
    }

    void theHandReadsAUnitAndChoosesIt()
    {
        Beside beside;
        beside.train();
        QTRY_VERIFY(beside.isDrawn());
        beside.bars().setFocus();
        QTest::keyClick(&beside.bars(), Qt::Key_Right);
        QTest::keyClick(&beside.bars(), Qt::Key_Right);
        QVERIFY2(beside.bars().shownText().contains("unit 1") && beside.bars().shownText().contains("40 steps"),
                 qPrintable(beside.bars().shownText()));
        QTest::keyClick(&beside.bars(), Qt::Key_Return);
        QCOMPARE(beside.window.cursor().selection().units, std::vector<std::int64_t>{1});
        QCOMPARE(beside.window.cursor().selection().node, beside.view.picker().node());
    }

    void theOrderIsASettingOfTheQuery()
    {
        Beside beside;
        beside.train();
        QTRY_VERIFY(beside.isDrawn());
        beside.view.set("order", std::string("mean"));
        QCOMPARE(std::get<std::string>(beside.view.query()->settings.at("order")), std::string("mean"));
        int greatest = 0;
        for (int unit = 1; unit < kStatsUnits; ++unit)
            if (meanOf(unit) > meanOf(greatest))
                greatest = unit;
        QTRY_COMPARE(beside.series().units.front(), greatest);
        beside.view.set("order", std::string("size")); // is none
        QCOMPARE(std::get<std::string>(beside.view.query()->settings.at("order")), std::string("mean"));
    }

    void valuesThatAreNoNumbersAreCounted()
    {
        Beside beside;
        beside.script->missingCells =
            1 + (kStatsSteps - 1) * kStatsUnits; // all of unit 0, all but the last of the others
        beside.train();
        QTRY_VERIFY(beside.isDrawn());
        QVERIFY2(beside.view.view().shows().endsWith("937 values are not finite"),
                 qPrintable(beside.view.view().shows()));
        QVERIFY(std::isnan(beside.series().y.front()));
        QVERIFY(!beside.view.grab().isNull());
    }
};

static const AreaOf<UnitStatsTest> unitStatsTestArea("unit_stats");

} // namespace unroll::test

#include "unit_stats_test.moc"
