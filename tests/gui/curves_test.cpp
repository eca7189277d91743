// SPDX-License-Identifier: GPL-3.0-or-later
// The curves of one run: the hand on them, their axes, what is read off them.
#include "app/studio/theme/number_text.h"
#include "tests/gui/area.h"
#include "tests/gui/curves_desk.h"

#include <algorithm>

namespace unroll::test {

namespace {

bool near(double a, double b, double within)
{
    return std::abs(a - b) <= within;
}

} // namespace

class CurvesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void panningLetsGoAndADoubleClickFollowsAgain()
    {
        CurvesDesk desk;
        QVERIFY(desk.panel().isFollowing());
        const AxisRange x = desk.picture().x, y = desk.picture().y;
        desk.drag(desk.at(0.6, 0.5), desk.at(0.35, 0.6));
        QVERIFY(!desk.panel().isFollowing());
        QVERIFY(!desk.button("autoscale")->isChecked());
        QVERIFY2(desk.shownText().contains("Zoomed"), qPrintable(desk.shownText()));
        const double pixel = 1.5 / desk.chart().plot().width();
        QVERIFY(near(x.shareOf(desk.picture().x.low), 0.25, 2 * pixel));
        QVERIFY(near(x.shareOf(desk.picture().x.high), 1.25, 2 * pixel));
        QVERIFY(near(y.shareOf(desk.picture().y.low), -0.1, 0.02));
        const AxisRange held = desk.picture().x;
        desk.oneStepMore();
        QTRY_COMPARE(desk.series("train")->points.back().x(),
                     static_cast<double>(desk.window.controller().snapshot()->step));
        QCOMPARE(desk.picture().x, held); // new steps move nothing
        QTest::mouseDClick(&desk.chart().surface(), Qt::LeftButton, {}, desk.at(0.5, 0.5));
        QVERIFY(desk.panel().isFollowing() && desk.button("autoscale")->isChecked());
        QVERIFY(!desk.shownText().contains("Zoomed"));
        QVERIFY(desk.picture().x.high >= static_cast<double>(desk.window.controller().snapshot()->step));
        QCOMPARE(desk.picture().x.low, 0.0);
    }

    void theFollowButtonHoldsAndFollows()
    {
        CurvesDesk desk;
        const AxisRange before = desk.picture().x;
        QTest::mouseClick(desk.button("autoscale"), Qt::LeftButton);
        QVERIFY(!desk.panel().isFollowing());
        desk.oneStepMore();
        QCOMPARE(desk.picture().x, before);
        QTest::mouseClick(desk.button("autoscale"), Qt::LeftButton);
        QVERIFY(desk.panel().isFollowing());
        QVERIFY(desk.picture().x.high > before.high);
        // A click on the curves is not a pan.
        QTest::mouseClick(&desk.chart().surface(), Qt::LeftButton, {}, desk.at(0.5, 0.5));
        QVERIFY(desk.panel().isFollowing());
        // A run that goes on is the same view.
        desk.drag(desk.at(0.5, 0.5), desk.at(0.3, 0.5));
        desk.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(desk.window.controller().state(), RunState::Stopped);
        QVERIFY(!desk.panel().isFollowing());
        desk.key(Qt::Key_F10); // goes on with the same run
        QVERIFY(!desk.panel().isFollowing());
    }

    void theWheelZoomsAboutTheCursor()
    {
        CurvesDesk desk;
        const QPoint there = desk.at(0.3, 0.4);
        const QRectF plot = desk.chart().plot();
        const double shareX = (there.x() - plot.left()) / plot.width();
        const double shareY = (plot.bottom() - there.y()) / plot.height();
        const AxisRange x = desk.picture().x, y = desk.picture().y;
        desk.wheel(there, 2);
        QVERIFY(near(desk.picture().x.valueAt(shareX), x.valueAt(shareX), 1e-6));
        QVERIFY(near(desk.picture().y.valueAt(shareY), y.valueAt(shareY), 1e-6));
        QVERIFY(near((desk.picture().x.high - desk.picture().x.low) * 1.25 * 1.25, x.high - x.low, 1e-6));
        QVERIFY(!desk.panel().isFollowing());
        desk.wheel(there, -2);
        QVERIFY(near(desk.picture().x.low, x.low, 1e-6) && near(desk.picture().y.high, y.high, 1e-6));
        // Below the plot x alone, left of it y alone; with Shift x alone.
        desk.wheel(QPoint(there.x(), static_cast<int>(plot.bottom()) + 8), 1);
        QVERIFY(near(desk.picture().y.high, y.high, 1e-9) && desk.picture().x.high < x.high - 1);
        const AxisRange nearer = desk.picture().x;
        desk.wheel(QPoint(4, there.y()), 1);
        QVERIFY(near(desk.picture().x.high, nearer.high, 1e-9) && desk.picture().y.high < y.high);
        const AxisRange lower = desk.picture().y;
        desk.wheel(there, 1, Qt::ShiftModifier);
        QVERIFY(near(desk.picture().y.high, lower.high, 1e-9) && desk.picture().x.high < nearer.high);
    }

    void aBoxIsZoomedTo()
    {
        CurvesDesk desk;
        const AxisRange x = desk.picture().x, y = desk.picture().y;
        desk.drag(desk.at(0.2, 0.8), desk.at(0.6, 0.3), Qt::ShiftModifier);
        const double pixel = 1.5 / desk.chart().plot().width();
        QVERIFY(near(x.shareOf(desk.picture().x.low), 0.2, pixel) &&
                near(x.shareOf(desk.picture().x.high), 0.6, pixel));
        QVERIFY(near(y.shareOf(desk.picture().y.low), 0.3, 0.02) && near(y.shareOf(desk.picture().y.high), 0.8, 0.02));
        const AxisRange boxed = desk.picture().x;
        desk.drag(desk.at(0.5, 0.5), desk.at(0.5, 0.5) + QPoint(2, 2), Qt::ShiftModifier); // a slip of the hand
        QCOMPARE(desk.picture().x, boxed);
    }

    void keysReadMoveAndZoom()
    {
        CurvesDesk desk;
        desk.chart().setFocus();
        QWidget* keys = QApplication::focusWidget();
        QVERIFY(keys != nullptr && desk.chart().isAncestorOf(keys));
        QTest::keyClick(keys, Qt::Key_Left);
        const QString last = desk.shownText();
        QVERIFY2(last.contains("|step "), qPrintable(last));
        QVERIFY2(keys->accessibleDescription().contains("smoothed "), qPrintable(keys->accessibleDescription()));
        QTest::keyClick(keys, Qt::Key_Left);
        QVERIFY(desk.shownText() != last);
        QVERIFY(desk.panel().isFollowing()); // reading is not moving
        const AxisRange x = desk.picture().x;
        QTest::keyClick(keys, Qt::Key_Left, Qt::ShiftModifier);
        QVERIFY(near(x.shareOf(desk.picture().x.low), -0.1, 1e-9));
        QTest::keyClick(keys, Qt::Key_Plus);
        QVERIFY(desk.picture().x.high - desk.picture().x.low < x.high - x.low);
        QTest::keyClick(keys, Qt::Key_Home);
        QVERIFY(desk.panel().isFollowing());
        QCOMPARE(desk.picture().x, x);
        QTest::keyClick(keys, Qt::Key_Escape);
        QVERIFY2(!desk.shownText().contains("|step "), qPrintable(desk.shownText()));
    }

    void tokensAndTimeAreAxes()
    {
        CurvesDesk desk;
        const auto last = static_cast<double>(desk.window.controller().snapshot()->step);
        desk.chooseAxis("Tokens");
        QCOMPARE(desk.picture().x.title, QString("tokens"));
        QCOMPARE(desk.series("train")->points.back().x(), last * 768);
        QCOMPARE(desk.series("validation")->points.front().x(), 50.0 * 768);
        desk.pointAt(100 * 768);
        QVERIFY2(desk.shownText().contains("|76,800 tokens, step 100|"), qPrintable(desk.shownText()));
        desk.chooseAxis("Time");
        QVERIFY(!desk.shownText().contains("76,800 tokens"));
        QVERIFY(desk.picture().x.isTime);
        QVERIFY(near(desk.series("train")->points.back().x(), last * 0.01, 1e-9));
        QVERIFY(near(desk.picture().best->at.x(), last * 0.01, 0.51)); // the best is the newest validation
        desk.pointAt(1.5);
        QVERIFY2(desk.shownText().contains("|1.500 s, step 150|"), qPrintable(desk.shownText()));
        desk.chooseAxis("Steps");
        QCOMPARE(desk.series("train")->points.back().x(), last);
    }

    /// What was zoomed to stays in sight when it is counted in something else.
    void aHeldPartStaysThroughUnitsAndMetrics()
    {
        CurvesDesk desk;
        Q_EMIT desk.chart().viewAsked({50, 100, false, {}}, {1, 3, false, {}});
        desk.chooseAxis("Tokens");
        QVERIFY(!desk.panel().isFollowing());
        QVERIFY(near(desk.picture().x.low, 50 * 768, 1e-6) && near(desk.picture().x.high, 100 * 768, 1e-6));
        QVERIFY(near(desk.picture().y.low, 1, 1e-9));
        desk.chooseAxis("Steps");
        desk.panel().findChild<QComboBox*>()->setCurrentText("Validation loss");
        QVERIFY(near(desk.picture().x.low, 50, 1e-6) && near(desk.picture().x.high, 100, 1e-6));
        QVERIFY(desk.picture().y.low != 1); // as high as this metric is
        QVERIFY(desk.series("train") == nullptr);
    }

    void theCrosshairReadsEveryCurve()
    {
        CurvesDesk desk;
        desk.panel().setOverlays({{"older", "/runs/older", rowsOf(120, 0.5)}});
        desk.panel().findChild<QSlider*>()->setValue(0); // unsmoothed: every figure is known
        desk.pointAt(100);
        const double loss = 0.8 + 3.4 * std::exp(-100.0 / 150);
        for (const QString& line :
             {QString("step 100"), "train " + readingText(loss), "smoothed " + readingText(loss),
              "validation " + readingText(loss + 0.05) + " at 100", "older " + readingText(loss + 0.5)})
            QVERIFY2(desk.chart().shownText().contains(line), qPrintable(line + " in " + desk.shownText()));
        desk.pointAt(160);
        const double last = 1.3 + 3.4 * std::exp(-120.0 / 150);
        QVERIFY2(desk.chart().shownText().contains("older ended at " + readingText(last)),
                 qPrintable(desk.shownText()));
        desk.moveMouse({1, 1}, Qt::NoButton);
        QVERIFY2(!desk.shownText().contains("|step 160"), qPrintable(desk.shownText()));
    }

    void theMouseStandsWhereItReads()
    {
        CurvesDesk desk;
        std::vector<double> xs;
        connect(&desk.chart(), &Chart::hovered, &desk.chart(), [&](double x) { xs.push_back(x); });
        for (const bool log : {false, true}) {
            if (log)
                desk.chooseAxis("Logarithmic");
            desk.moveMouse(desk.at(0.25, 0.5), Qt::NoButton);
            const double pixel = 1 / desk.chart().plot().width();
            QVERIFY(!xs.empty() && near(desk.picture().x.shareOf(xs.back()), 0.25, pixel));
            QVERIFY2(desk.shownText().contains("|step "), qPrintable(desk.shownText()));
        }
    }

    void logarithmsAreTrue()
    {
        CurvesDesk desk;
        desk.panel().showRows(rowsOf({4, 2, 0, -1, 0.5}));
        buttonNamed(desk.panel(), "Logarithmic y")->click();
        QVERIFY(desk.picture().y.log && desk.picture().y.low > 0);
        for (const ChartSeries& series : desk.picture().series)
            for (const QPointF& point : series.points)
                QVERIFY(point.y() > 0);
        const auto marked = desk.marks(ChartMark::Kind::NotPositive);
        QVERIFY(std::count(marked.begin(), marked.end(), 3.0) > 0 && std::count(marked.begin(), marked.end(), 4.0) > 0);
        desk.chooseAxis("Logarithmic");
        QVERIFY(desk.picture().x.log);
        QCOMPARE(desk.picture().x.low, 1.0);
        QVERIFY(near(desk.picture().x.shareOf(std::sqrt(5.0)), 0.5, 0.15)); // half way in its logarithm
        desk.panel().showRows(rowsOf({-1, -2, 0}));                         // nothing to draw, and no harm
        QVERIFY(desk.picture().y.low > 0 && desk.picture().y.high > desk.picture().y.low);
        QVERIFY(!desk.chart().grab().isNull());
    }

    void whatIsNoNumberIsMarked()
    {
        CurvesDesk desk;
        desk.panel().showRows(rowsOf({4, 3, std::nan(""), 2, INFINITY, 1}));
        QCOMPARE(desk.marks(ChartMark::Kind::NotANumber), (std::vector<double>{3, 5}));
        for (const ChartSeries& series : desk.picture().series)
            for (const QPointF& point : series.points)
                QVERIFY(std::isfinite(point.y()));
        // A triangle in the error's colour hangs from the plot's upper edge.
        const QImage image = desk.chart().grab().toImage();
        const QColor wanted = desk.appearance.theme()[Theme::Role::Error];
        const QPoint there = desk.at(desk.picture().x.shareOf(3), 1) + QPoint(0, 2);
        QCOMPARE(image.pixelColor(there * image.devicePixelRatio()), wanted);
        // A run that diverged long ago costs no more than the picture is wide.
        desk.panel().showRows(rowsOf(std::vector<double>(50000, std::nan(""))));
        const auto width = static_cast<std::size_t>(desk.chart().plot().width()) + 1;
        QVERIFY(desk.marks(ChartMark::Kind::NotANumber).size() <= std::max<std::size_t>(width, 100));
    }
};

static const AreaOf<CurvesTest> curvesTestArea("curves");

} // namespace unroll::test

#include "curves_test.moc"
