// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/curves/run_curves.h"
#include "app/studio/curves/series_store.h"
#include "app/studio/curves/smoothing.h"
#include "app/studio/plot/axis_range.h"
#include "app/studio/plot/chart_frame.h"
#include "app/studio/plot/point_budget.h"
#include "app/studio/plot/ticks.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QPainter>
#include <QSignalSpy>
#include <numeric>
#include <random>

namespace unroll::test {

namespace {

/// Ends of `spans` equal parts of x0 .. x1.
std::vector<double> evenEdges(double x0, double x1, std::size_t spans)
{
    std::vector<double> edges;
    for (std::size_t s = 0; s <= spans; ++s)
        edges.push_back(x0 + (x1 - x0) * static_cast<double>(s) / static_cast<double>(spans));
    return edges;
}

QStringList labelsOf(const std::vector<Tick>& ticks)
{
    QStringList words;
    for (const Tick& tick : ticks)
        words << tick.label;
    return words;
}

} // namespace

class ChartsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void extentsMatchABruteForce()
    {
        std::mt19937 random(7);
        std::normal_distribution<double> noise;
        SeriesStore store;
        std::vector<double> all;
        for (int i = 0; i < 5003; ++i) {
            const double y = i % 97 == 13 ? std::nan("") : noise(random);
            store.append(i, y);
            all.push_back(y);
        }
        QCOMPARE(store.notNumbers().size(), std::size_t{52});
        for (int round = 0; round < 500; ++round) {
            std::size_t first = random() % 5003, last = random() % 5003;
            if (first > last)
                std::swap(first, last);
            double low = INFINITY, high = -INFINITY;
            for (std::size_t i = first; i < last; ++i)
                if (std::isfinite(all[i])) {
                    low = std::min(low, all[i]);
                    high = std::max(high, all[i]);
                }
            const auto places = store.extremePlaces(first, last);
            QCOMPARE(places.has_value(), low <= high);
            if (places) {
                QCOMPARE(store.y(places->least), low);
                QCOMPARE(store.y(places->greatest), high);
            }
        }
    }

    void decimationKeepsSpikesAndOrder()
    {
        SeriesStore store;
        for (int i = 0; i < 100000; ++i)
            store.append(i, i == 31234 ? 50 : i == 77777 ? -50 : std::sin(i * 0.001));
        const auto points = store.decimated(evenEdges(0, 99999, 300));
        QVERIFY(points.size() <= 600);
        QVERIFY(points.size() > 500);
        const auto isSpike = [](double y) { return [y](const QPointF& p) { return p.y() == y; }; };
        QVERIFY(std::any_of(points.begin(), points.end(), isSpike(50)));
        QVERIFY(std::any_of(points.begin(), points.end(), isSpike(-50)));
        QVERIFY(std::is_sorted(points.begin(), points.end(),
                               [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); }));
        const auto few = store.decimated(evenEdges(10, 20, 300));
        QCOMPARE(few.size(), std::size_t{13}); // the eleven inside and one to either side
        QVERIFY(store.decimated(evenEdges(-20, -10, 300)).size() <= 1);
        QVERIFY(SeriesStore().decimated(evenEdges(0, 1, 5)).empty());
    }

    /// Spans of any width, as a logarithmic axis or one of time makes them; edges beyond the data are infinite.
    void decimationTakesUnevenSpans()
    {
        SeriesStore store;
        for (int i = 1; i <= 1000; ++i)
            store.append(i, i % 10 == 5 ? std::nan("") : i);
        const std::vector<double> edges{-INFINITY, 10, 10, 100, INFINITY};
        const std::vector<QPointF> wanted{{1, 1}, {10, 10}, {11, 11}, {100, 100}, {101, 101}, {1000, 1000}};
        QCOMPARE(store.decimated(edges), wanted);
        QCOMPARE(store.notNumbersWithin(edges), (std::vector<double>{5, 15, 105}));
        QCOMPARE(store.notNumbersWithin(evenEdges(15, 25, 1)), std::vector<double>{15});
        QVERIFY(store.notNumbersWithin(evenEdges(26, 34, 4)).empty());
    }

    void aClockKnowsTokensAndSecondsOfAStep()
    {
        RunClock clock;
        QCOMPARE(clock.at(XUnit::Tokens, 7), 7.0);
        clock.append({10, 1000, 2.5, {}});
        clock.append({10, 1000, 2.5, {}}); // a step may have two rows
        clock.append({20, 3000, 4.5, {}});
        clock.append({30, 2000, 4.0, {}}); // foreign: these stand still
        clock.append({5, 9000, 9.0, {}});  // goes back: none of it
        QCOMPARE(clock.at(XUnit::Steps, 12.5), 12.5);
        QCOMPARE(clock.at(XUnit::Tokens, 10), 1000.0);
        QCOMPARE(clock.at(XUnit::Tokens, 15), 2000.0);
        QCOMPARE(clock.at(XUnit::Seconds, 15), 3.5);
        QCOMPARE(clock.at(XUnit::Seconds, 30), 4.5);
        QCOMPARE(clock.at(XUnit::Seconds, 99), 4.5);
        QCOMPARE(clock.stepAt(XUnit::Tokens, 2000), 15.0);
        QCOMPARE(clock.stepAt(XUnit::Tokens, 999), -double(INFINITY));
        QCOMPARE(clock.stepAt(XUnit::Tokens, 3000), 30.0);
        QCOMPARE(clock.stepAt(XUnit::Tokens, 3001), double(INFINITY));
        QCOMPARE(clock.firstPositive(XUnit::Seconds), 2.5);
        QCOMPARE(RunClock().firstPositive(XUnit::Tokens), double(INFINITY));
    }

    void aBudgetIsSharedFairly()
    {
        QCOMPARE(shareBudget({100, 100}, 1000), (std::vector<std::size_t>{100, 100}));
        QCOMPARE(shareBudget({900, 20, 900}, 1000), (std::vector<std::size_t>{490, 20, 490}));
        QVERIFY(shareBudget({}, 10).empty());
        std::mt19937 random(3);
        for (int round = 0; round < 300; ++round) {
            std::vector<std::size_t> wanted(1 + random() % 14);
            for (std::size_t& wish : wanted)
                wish = random() % 3000;
            const auto given = shareBudget(wanted, 1800);
            const auto sum = std::accumulate(given.begin(), given.end(), std::size_t{0});
            const auto wish = std::accumulate(wanted.begin(), wanted.end(), std::size_t{0});
            QVERIFY(sum <= 1800);
            QVERIFY(sum + wanted.size() > std::min<std::size_t>(1800, wish)); // nothing is left over
            for (std::size_t i = 0; i < wanted.size(); ++i)
                for (std::size_t j = 0; j < wanted.size(); ++j)
                    QVERIFY(given[i] == wanted[i] ||
                            given[i] + 1 >= given[j]); // who gets less than asked has no less than others
        }
    }

    void anAxisZoomsAboutItsPlace()
    {
        std::mt19937 random(5);
        std::uniform_real_distribution<double> share(0, 1), factor(0.5, 3);
        for (int round = 0; round < 400; ++round) {
            const bool log = round % 2 == 0;
            const AxisRange axis{log ? 0.02 : -3, 40, log, {}};
            const double at = share(random);
            const AxisRange near = axis.zoomed(at, factor(random));
            QVERIFY(near.low < near.high && (!log || near.low > 0));
            QVERIFY(std::abs(near.valueAt(at) - axis.valueAt(at)) < 1e-9 * 40);
            QVERIFY(std::abs(axis.shareOf(axis.valueAt(at)) - at) < 1e-9);
            const AxisRange back = axis.moved(at).moved(-at);
            QVERIFY(std::abs(back.low - axis.low) < 1e-9 && std::abs(back.high - axis.high) < 1e-7);
        }
        AxisRange deep{0, 1, false, {}}, far = deep, small{1e-3, 1, true, {}};
        for (int i = 0; i < 2000; ++i) {
            deep = deep.zoomed(0.3, 2);
            far = far.zoomed(0.5, 0.5);
            small = small.zoomed(0.5, 0.5);
        }
        QVERIFY(deep.high > deep.low && far.high <= 1e15 && small.low > 0 && std::isfinite(small.high));
    }

    void smoothingStartsAtTheData()
    {
        Smoothing smoothing(0.99);
        QVERIFY(std::abs(smoothing.add(4.0) - 4.0) < 1e-12);
        QVERIFY(std::abs(smoothing.add(4.0) - 4.0) < 1e-12);
        const double before = smoothing.add(2.0);
        QVERIFY(before < 4 && before > 3.3 - 0.01);
        QCOMPARE(smoothing.add(std::nan("")), before);
        // Against the sum in its definition.
        Smoothing other(0.9);
        double sum = 0, mass = 0, last = 0;
        for (int k = 1; k <= 20; ++k) {
            last = other.add(k * k);
            sum = 0.9 * sum + k * k;
            mass = 0.9 * mass + 1;
        }
        QVERIFY(std::abs(last - sum / mass) < 1e-9);
    }

    void ticksAreRound()
    {
        QCOMPARE(labelsOf(linearTicks(0, 2000, 4)), QStringList({"0", "500", "1000", "1500", "2000"}));
        QCOMPARE(labelsOf(linearTicks(0, 20000, 4)), QStringList({"0", "5k", "10k", "15k", "20k"}));
        QCOMPARE(labelsOf(linearTicks(0.7, 4.3, 4)), QStringList({"1", "2", "3", "4"}));
        QCOMPARE(labelsOf(linearTicks(-0.02, 0.031, 3)), QStringList({"-0.02", "0", "0.02"}));
        QCOMPARE(labelsOf(logTicks(0.5, 60, 8)), QStringList({"0.5", "1", "2", "5", "10", "20", "50"}));
        QCOMPARE(labelsOf(linearTicks(0, 3e9, 3)), QStringList({"0", "1G", "2G", "3G"}));
        QCOMPARE(labelsOf(logTicks(1e-5, 1e-3, 3)),
                 QStringList({"1e-5", "2e-5", "5e-5", "0.0001", "0.0002", "0.0005", "0.001"}));
        QCOMPARE(labelsOf(logTicks(1e-5, 1e-2, 3)),
                 QStringList({"1e-5", "", "", "0.0001", "", "", "0.001", "", "", "0.01"}));
        QCOMPARE(labelsOf(logTicks(2.1, 4.9, 4)), QStringList({"3", "4"}));           // no 1, 2 or 5 lies there
        QCOMPARE(labelsOf(linearTicks(0, 450, 2)), QStringList({"0", "200", "400"})); // 500 would leave the 0 alone
        QCOMPARE(labelsOf(timeTicks(0, 240, 4)), QStringList({"0 s", "1 min", "2 min", "3 min", "4 min"}));
        QCOMPARE(labelsOf(timeTicks(0, 10000, 4)), QStringList({"0 s", "1 h", "2 h"}));
        QCOMPARE(labelsOf(timeTicks(0, 1, 2)), QStringList({"0 s", "1 s"}));
        QCOMPARE(labelsOf(timeTicks(0, 0.4, 2)), QStringList({"0 s", "0.2 s", "0.4 s"}));
        QVERIFY(linearTicks(1, 1, 4).empty());
        QVERIFY(logTicks(-1, 5, 4).empty());
        for (const double span : {1e-6, 0.37, 12.0, 8.1e7})
            for (const int wanted : {2, 5, 9})
                QVERIFY(linearTicks(0, span, wanted).size() <= static_cast<std::size_t>(2 * wanted + 1));
    }

    /// Whatever range a hand zooms to: ticks lie in it, rise, are 1, 2 or 5 times a power of ten unless the range is
    /// too narrow for that, and two at least have a number.
    void logTicksTellTheScale()
    {
        std::mt19937 random(11);
        std::uniform_real_distribution<double> power(-12, 12), width(0.02, 9);
        for (int round = 0; round < 3000; ++round) {
            const double low = std::pow(10, power(random)), decades = width(random), high = low * std::pow(10, decades);
            const int wanted = 2 + static_cast<int>(random() % 9);
            const auto ticks = logTicks(low, high, wanted);
            const QString where = QString("%1 .. %2, %3 wanted").arg(low).arg(high).arg(wanted);
            QVERIFY2(std::is_sorted(ticks.begin(), ticks.end(),
                                    [](const Tick& a, const Tick& b) { return a.value < b.value; }),
                     qPrintable(where));
            int labelled = 0;
            for (const Tick& tick : ticks) {
                QVERIFY2(tick.value >= low * (1 - 1e-6) && tick.value <= high * (1 + 1e-6), qPrintable(where));
                labelled += !tick.label.isEmpty();
                const double digit = tick.value / std::pow(10, std::floor(std::log10(tick.value) + 1e-9));
                const bool round125 =
                    std::abs(digit - 1) < 1e-6 || std::abs(digit - 2) < 1e-6 || std::abs(digit - 5) < 1e-6;
                QVERIFY2(round125 || decades < 2, qPrintable(where));
            }
            QVERIFY2(labelled >= 2, qPrintable(where));
            QVERIFY2(labelled <= 16 * wanted, qPrintable(where));
        }
    }

    void chartDrawsWhatItWasGiven()
    {
        Appearance appearance(ThemeChoice::Light);
        std::unique_ptr<Chart> chart(makeChart(appearance, nullptr));
        chart->resize(500, 300);
        chart->show();
        chart->draw({.x = {0, 10, false, "step"},
                     .y = {0.1, 10, true, "loss"},
                     .series = {{0, {SeriesLook::Shape::Line, Theme::Role::ChartTrain, "train"}, {{0, 1}, {10, 1}}}}});
        QCoreApplication::processEvents();
        QImage image(500, 300, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        chart->render(painter, QRectF(0, 0, 500, 300));
        painter.end();
        // 1 is the middle of 0.1 .. 10 on a logarithmic axis: some column right of the axis has the line's colour near
        // the plot's middle.
        const QColor wanted = appearance.theme()[Theme::Role::ChartTrain];
        int first = -1;
        for (int y = 0; y < 300 && first < 0; ++y) {
            const QColor there = image.pixelColor(350, y);
            if (std::abs(there.red() - wanted.red()) < 40 && std::abs(there.blue() - wanted.blue()) < 40)
                first = y;
        }
        QVERIFY2(first > 120 && first < 170, qPrintable(QString::number(first)));
    }

    // No item of the chart lies there.
    /// On whichever side of its line, and wherever along it, no curve runs.
    void theWordsOfALevelCoverNoCurve()
    {
        const Appearance appearance(ThemeChoice::Light);
        ChartFrame frame(appearance);
        const QRectF plot(50, 20, 600, 300);
        frame.picture.x = {0, 100};
        frame.picture.y = {0, 4};
        frame.picture.levels = {{1.0, "entropy of these data 1.000", Theme::Role::ChartFloor}};
        const auto covers = [&](const QRectF& box) {
            for (const ChartSeries& series : frame.picture.series)
                for (std::size_t i = 0; i + 1 < series.points.size(); ++i)
                    for (int part = 0; part <= 20; ++part)
                        if (box.contains(frame.toPlot(
                                plot, series.points[i] + (series.points[i + 1] - series.points[i]) * (part / 20.0))))
                            return true;
            return false;
        };
        const auto curve = [](auto y) {
            ChartSeries series;
            for (int x = 0; x <= 100; x += 2)
                series.points.emplace_back(x, y(x));
            return series;
        };
        const auto box = [&] { return frame.levelBox(plot, frame.picture.levels.front()); };
        QVERIFY(box().bottom() <= frame.toPlot(plot, {0, 1}).y() + 1); // above, on the left
        QVERIFY(box().left() < plot.left() + 20);
        frame.picture.series = {curve([](int) { return 1.08; })}; // right above the line
        QVERIFY(!covers(box()) && box().top() > frame.toPlot(plot, {0, 1}).y());
        frame.picture.series.push_back(curve([](int x) { return x < 50 ? 0.9 : 0.1; })); // and below, on the left
        QVERIFY(!covers(box()) && box().center().x() > plot.center().x());
        frame.picture.best = ChartPoint{{92, 0.9}, "best", Theme::Role::ChartValidation};
        QVERIFY(!covers(box()) && !box().contains(frame.toPlot(plot, {92, 0.9})));
        ChartLevel near = frame.picture.levels.front();
        near.y += 0.02; // a second line whose words would lie on the first's
        frame.picture.levels.push_back(near);
        QVERIFY(!box().isNull() && !box().intersects(frame.levelBox(plot, frame.picture.levels.back())));
    }

    void theWordsOfLevelsDoNotCoverEachOtherInASmallPlot()
    {
        const Appearance appearance(ThemeChoice::Light);
        ChartFrame frame(appearance);
        const QRectF plot(50, 20, 260, 80);
        frame.picture.x = {0, 100};
        frame.picture.y = {0, 5};
        frame.picture.levels = {{0.52, "entropy of these data 0.524 (of their source 0.511)", Theme::Role::ChartFloor,
                                 "entropy of these data 0.524"},
                                {0.77, "9-gram, Kneser-Ney 0.771", Theme::Role::ChartFloor},
                                {0.9, "attention, window 256 0.900", Theme::Role::ChartFloor}};
        for (const ChartLevel& one : frame.picture.levels)
            for (const ChartLevel& other : frame.picture.levels)
                QVERIFY(&one == &other || !frame.levelBox(plot, one).intersects(frame.levelBox(plot, other)));
        for (const ChartLevel& level : frame.picture.levels)
            QVERIFY(!frame.levelBox(plot, level).isNull() && plot.contains(frame.levelBox(plot, level)));
    }

    void aPressBesideTheChartDoesNothing()
    {
        Appearance appearance(ThemeChoice::Light);
        std::unique_ptr<Chart> chart(makeChart(appearance, nullptr));
        chart->resize(500, 300);
        chart->show();
        chart->draw({.x = {0, 10, false, "step"}, .y = {0, 1, false, "loss"}, .series = {}});
        const QSignalSpy asked(chart.get(), &Chart::viewAsked);
        for (const QPoint& at : {QPoint(0, 0), QPoint(499, 0), QPoint(0, 299), QPoint(499, 299), QPoint(700, 500)})
            for (const Qt::MouseButton button : {Qt::LeftButton, Qt::RightButton, Qt::MiddleButton})
                QTest::mouseClick(&chart->surface(), button, {}, at);
        QCOMPARE(asked.count(), 0);
    }
};

static const AreaOf<ChartsTest> chartsTestArea("charts");

} // namespace unroll::test

#include "charts_test.moc"
