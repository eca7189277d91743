// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/signal_lens_view.h"
#include "app/studio/lenses/unit_stats/unit_bars.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <algorithm>
#include <cmath>

namespace unroll::test {

namespace {

constexpr int steps = 40; ///< of a scripted look, and its units
constexpr int units = 24;

SignalLensView* makeUnitStats(Studio& studio)
{
    for (const LensViewEntry& entry : lensViews())
        if (entry.id == "unit_stats")
            return dynamic_cast<SignalLensView*>(entry.make({studio.window.document(), studio.window.controller(),
                                                             studio.appearance, studio.window.cursor()}));
    return nullptr;
}

/// A studio and the view beside it, in a window of its own.
struct Beside : Studio {
    std::unique_ptr<SignalLensView> view{makeUnitStats(*this)};
    UnitBars& bars = *view->findChild<UnitBars*>();

    Beside()
    {
        view->resize(500, 300);
        view->show();
        (void)QTest::qWaitForWindowExposed(view.get());
    }
    void train() { window.controller().step(window.document().experiment(), SessionOptions{}, 1); }
    bool isDrawn() const { return !view->isEmpty() && bars.plotArea().height() > 50; } ///< and laid out
    bool isAsked() const
    {
        return std::any_of(script->open.begin(), script->open.end(),
                           [](const LensQuery& query) { return query.lens == "unit_stats"; });
    }
    void move(const QPointF& to)
    {
        QMouseEvent event(QEvent::MouseMove, to, bars.mapToGlobal(to), Qt::NoButton, {}, {});
        QApplication::sendEvent(&bars, &event);
    }
};

struct Plain {
    double mean = 0, deviation = 0;
};

/// By plain loops, of the look after one step.
Plain ofUnit(int unit)
{
    Plain plain;
    for (int t = 0; t < steps; ++t)
        plain.mean += static_cast<double>(scriptedSignal(1, t, unit)) / steps;
    for (int t = 0; t < steps; ++t)
        plain.deviation += std::pow(static_cast<double>(scriptedSignal(1, t, unit)) - plain.mean, 2) / steps;
    plain.deviation = std::sqrt(plain.deviation);
    return plain;
}

QString digits(double value)
{
    return QString::number(value, 'g', 4).replace('-', QChar(0x2212));
}

QString wordsOf(int unit)
{
    const Plain plain = ofUnit(unit);
    return QString("unit %1: mean %2, std %3, over 40 steps")
        .arg(unit)
        .arg(digits(plain.mean), digits(plain.deviation));
}

} // namespace

class UnitStatsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void barsAndWhiskersStandWhereTheValuesAre()
    {
        Beside beside;
        QVERIFY(beside.view->isEmpty());
        beside.train();
        QTRY_VERIFY(beside.isDrawn());
        const QRectF area = beside.bars.plotArea();
        // Two bars and two whiskers give the scale; all others stand on it.
        const auto bottom = [&](int unit) { return beside.bars.whisker(static_cast<std::size_t>(unit)).y1(); };
        const auto top = [&](int unit) { return beside.bars.whisker(static_cast<std::size_t>(unit)).y2(); };
        const double perUnit = (bottom(0) - top(0)) / (2 * ofUnit(0).deviation);
        const double zero = (bottom(0) + top(0)) / 2 + ofUnit(0).mean * perUnit;
        for (int unit = 0; unit < units; ++unit) {
            const auto [mean, deviation] = ofUnit(unit);
            QVERIFY(std::abs(bottom(unit) - (zero - (mean - deviation) * perUnit)) < 1e-3);
            QVERIFY(std::abs(top(unit) - (zero - (mean + deviation) * perUnit)) < 1e-3);
            const QRectF bar = beside.bars.barArea(static_cast<std::size_t>(unit));
            QVERIFY(std::abs(bar.height() - std::abs(mean) * perUnit) < 1e-3);
            QVERIFY(area.adjusted(-1, -1, 1, 1).contains(bar) && top(unit) >= area.top() &&
                    bottom(unit) <= area.bottom());
        }
        QVERIFY(!beside.bars.grab().isNull());
    }

    void theHandReadsAUnit()
    {
        Beside beside;
        beside.train();
        QTRY_VERIFY(beside.isDrawn());
        QCOMPARE(beside.bars.words(), QStringLiteral("mean of 24 units over 40 steps, ± one standard deviation"));
        const QRectF area = beside.bars.plotArea();
        beside.move({area.left() + 5.5 * area.width() / units, area.center().y()});
        QCOMPARE(beside.bars.words(), wordsOf(5));
        QTest::keyClick(&beside.bars, Qt::Key_Right);
        QCOMPARE(beside.bars.words(), wordsOf(6));
        QCOMPARE(beside.bars.accessibleDescription(), wordsOf(6));
        QTest::keyClick(&beside.bars, Qt::Key_End);
        QTest::keyClick(&beside.bars, Qt::Key_Right);
        QCOMPARE(beside.bars.words(), wordsOf(23));
        QTest::keyClick(&beside.bars, Qt::Key_Escape);
        QVERIFY(!beside.bars.pointed());
        beside.move({1, 1});
        QVERIFY(!beside.bars.pointed());
    }

    void theOrderIsASettingOfTheQuery()
    {
        Beside beside;
        beside.train();
        QTRY_VERIFY(beside.isDrawn());
        beside.view->set("order", std::string("mean"));
        QCOMPARE(std::get<std::string>(beside.view->query()->settings.at("order")), std::string("mean"));
        QTRY_VERIFY(beside.isDrawn());
        int greatest = 0;
        for (int unit = 1; unit < units; ++unit)
            if (ofUnit(unit).mean > ofUnit(greatest).mean)
                greatest = unit;
        QTest::keyClick(&beside.bars, Qt::Key_Home);
        QCOMPARE(beside.bars.words(), wordsOf(greatest));
        beside.view->set("order", std::string("size")); // is none
        QCOMPARE(std::get<std::string>(beside.view->query()->settings.at("order")), std::string("mean"));
    }

    void valuesThatAreNoNumbersAreCounted()
    {
        Beside beside;
        beside.script->missingCells = 1 + (steps - 1) * units; // all of unit 0, all but the last of the others
        beside.train();
        QTRY_VERIFY(beside.isDrawn());
        QVERIFY(beside.bars.words().endsWith("937 values are not finite"));
        QTest::keyClick(&beside.bars, Qt::Key_Home);
        QCOMPARE(beside.bars.words(), QStringLiteral("unit 0: n/a, none of its 40 values is finite"));
        QVERIFY(beside.bars.barArea(0).isNull());
        QTest::keyClick(&beside.bars, Qt::Key_Right);
        QVERIFY(beside.bars.words().endsWith("std 0, over 1 of 40 steps"));
        QVERIFY(!beside.bars.grab().isNull());
    }

    void nothingIsShownWithoutAReason()
    {
        Beside beside;
        QCOMPARE(beside.view->emptyState().title(), QStringLiteral("Units' mean and deviation"));
        QVERIFY(!beside.view->grab().isNull());
        beside.train();
        QTRY_VERIFY(beside.isDrawn());
        beside.window.controller().forget();
        QVERIFY(beside.view->isEmpty());
    }

    /// A hidden view costs the run nothing.
    void itAsksWhileItIsSeen()
    {
        Beside beside;
        beside.train();
        QTRY_VERIFY(beside.isAsked());
        beside.view->hide();
        QVERIFY(!beside.isAsked());
        beside.view->show();
        QTRY_VERIFY(beside.isAsked());
        QTRY_VERIFY(beside.isDrawn());
        beside.view.reset();
        QVERIFY(!beside.isAsked());
    }
};

static const AreaOf<UnitStatsTest> area("unit_stats");

} // namespace unroll::test

#include "unit_stats_test.moc"
