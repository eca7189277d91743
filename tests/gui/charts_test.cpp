// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/charts/series_store.h"
#include "app/studio/charts/smoothing.h"
#include "app/studio/charts/ticks.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QPainter>
#include <random>

namespace unroll::test {

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
            const auto extent = store.extent(first, last);
            QCOMPARE(extent.empty, !(low <= high));
            if (!extent.empty) {
                QCOMPARE(extent.least, low);
                QCOMPARE(extent.greatest, high);
            }
        }
    }

    void decimationKeepsSpikesAndOrder()
    {
        SeriesStore store;
        for (int i = 0; i < 100000; ++i)
            store.append(i, i == 31234 ? 50 : i == 77777 ? -50 : std::sin(i * 0.001));
        const auto points = store.decimated(0, 99999, 600);
        QVERIFY(points.size() <= 600);
        QVERIFY(points.size() > 500);
        const auto isSpike = [](double y) { return [y](const QPointF& p) { return p.y() == y; }; };
        QVERIFY(std::any_of(points.begin(), points.end(), isSpike(50)));
        QVERIFY(std::any_of(points.begin(), points.end(), isSpike(-50)));
        QVERIFY(std::is_sorted(points.begin(), points.end(),
                               [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); }));
        const auto few = store.decimated(10, 20, 600);
        QCOMPARE(few.size(), std::size_t{13}); // the eleven inside and one to either side
        QVERIFY(store.decimated(-20, -10, 600).size() <= 1);
        QVERIFY(SeriesStore().decimated(0, 1, 10).empty());
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
        const auto labels = [](const std::vector<Tick>& ticks) {
            QStringList words;
            for (const Tick& tick : ticks)
                words << tick.label;
            return words;
        };
        QCOMPARE(labels(linearTicks(0, 2000, 4)), QStringList({"0", "500", "1000", "1500", "2000"}));
        QCOMPARE(labels(linearTicks(0, 20000, 4)), QStringList({"0", "5k", "10k", "15k", "20k"}));
        QCOMPARE(labels(linearTicks(0.7, 4.3, 4)), QStringList({"1", "2", "3", "4"}));
        QCOMPARE(labels(linearTicks(-0.02, 0.031, 3)), QStringList({"-0.02", "0", "0.02"}));
        QCOMPARE(labels(logTicks(0.5, 60, 8)), QStringList({"0.5", "1", "2", "5", "10", "20", "50"}));
        QVERIFY(linearTicks(1, 1, 4).empty());
        QVERIFY(logTicks(-1, 5, 4).empty());
        for (const double span : {1e-6, 0.37, 12.0, 8.1e7})
            for (const int wanted : {2, 5, 9})
                QVERIFY(linearTicks(0, span, wanted).size() <= static_cast<std::size_t>(2 * wanted + 1));
    }

    void chartDrawsWhatItWasGiven()
    {
        Appearance appearance(ThemeChoice::Light);
        std::unique_ptr<Chart> chart(makeChart(appearance, nullptr));
        chart->resize(500, 300);
        chart->show();
        chart->setRange({0, 10, false, "step"}, {0.1, 10, true, "loss"});
        const std::vector<QPointF> line{{0, 1}, {10, 1}};
        chart->setSeries(0, {SeriesLook::Shape::Line, Theme::Role::ChartTrain, "train"}, line);
        QCoreApplication::processEvents();
        QImage image(500, 300, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        chart->render(painter, QRectF(0, 0, 500, 300));
        painter.end();
        // 1 is the middle of 0.1 .. 10 on a logarithmic axis: some column right of the axis has the line's colour near the plot's middle.
        const QColor wanted = appearance.theme()[Theme::Role::ChartTrain];
        int first = -1;
        for (int y = 0; y < 300 && first < 0; ++y) {
            const QColor there = image.pixelColor(350, y);
            if (std::abs(there.red() - wanted.red()) < 40 && std::abs(there.blue() - wanted.blue()) < 40)
                first = y;
        }
        QVERIFY2(first > 120 && first < 170, qPrintable(QString::number(first)));
    }
};

static const AreaOf<ChartsTest> area("charts");

} // namespace unroll::test

#include "charts_test.moc"
