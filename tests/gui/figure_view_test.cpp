// SPDX-License-Identifier: GPL-3.0-or-later
// A figure that no lens has made: every kind of thing in it, painted, pointed at and walked by keys.
#include "app/studio/figure/figure_panel_view.h"
#include "app/studio/figure/figure_picture.h"
#include "app/studio/figure/figure_table_view.h"
#include "app/studio/figure/figure_view.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QPointer>
#include <QSignalSpy>
#include <cmath>
#include <limits>

namespace unroll::test {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kFigureSteps = 20;

FigurePanel cellsPanel(int rows)
{
    FigurePanel panel{.id = "cells", .title = "State"};
    panel.x.steps = true;
    panel.y.title = "unit";
    for (int t = 0; t < kFigureSteps; ++t)
        panel.x.labels.emplace_back(1, static_cast<char>('a' + t));
    FigureCells cells{
        .name = "h", .rows = rows, .columns = kFigureSteps, .values = {}, .scale = FigureCells::Scale::Bounded};
    for (int row = 0; row < rows; ++row) {
        cells.units.push_back(row);
        for (int t = 0; t < kFigureSteps; ++t)
            cells.values.push_back(static_cast<float>(row * 100 + t) / 1000);
    }
    panel.cells = cells;
    return panel;
}

FigurePanel linesPanel()
{
    FigurePanel panel{.id = "loss", .title = "Loss"};
    panel.x.steps = true;
    FigureSeries one{.name = "one", .x = {}, .y = {}}, two{.name = "two", .x = {}, .y = {}};
    for (int t = 0; t < kFigureSteps; ++t) {
        one.x.push_back(t);
        one.y.push_back(t == 4 ? kNan : 1.23456 + t);
        two.x.push_back(t);
        two.y.push_back(0.5);
    }
    panel.series = {one, two};
    panel.rules = {{false, 3, "floor"}};
    return panel;
}

FigurePanel pointsPanel()
{
    FigurePanel panel{.id = "units", .title = "Units"};
    panel.x = {.title = "AUC", .low = 0.5, .high = 1};
    panel.series = {{.name = "", .kind = FigureSeries::Kind::Points, .x = {0.6, 0.7, 0.9}, .y = {1, 3, 2}}};
    panel.series[0].units = {11, 12, 13};
    panel.series[0].shade = {0, 0.5, kNan};
    panel.circles = {{0.7, 2, 0.1, "near"}};
    return panel;
}

std::shared_ptr<Figure> everything(int rows = 8)
{
    auto figure = std::make_shared<Figure>();
    figure->shows = "Everything there is.";
    figure->findings = {"There is much of it."};
    figure->missing = 1;
    figure->panels = {cellsPanel(rows), linesPanel(), pointsPanel()};
    FigureTable table{.id = "table", .title = "Ranked", .columns = {"unit", "AUC"}, .rows = {}};
    table.rows.push_back({{"lstm c 5", "0.99"}, "lstm", "c", {5}, {}});
    table.rows.push_back({{"step 7", "0.5"}, {}, {}, {}, 7});
    figure->tables = {table};
    return figure;
}

/// A view of a figure in a window of its own.
struct Shown {
    Appearance appearance{ThemeChoice::Light};
    FigureView view{appearance};

    explicit Shown(const std::shared_ptr<const Figure>& figure)
    {
        view.setFigure(figure);
        view.resize(700, 900);
        view.show();
        (void)QTest::qWaitForWindowExposed(&view);
    }
    FigurePanelView& panel(std::size_t i) { return *view.panels()[i]; }
    void move(FigurePanelView& to, const QPointF& at)
    {
        QMouseEvent event(QEvent::MouseMove, at, to.mapToGlobal(at), Qt::NoButton, {}, {});
        QApplication::sendEvent(&to, &event);
    }
};

} // namespace

class FigureViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A cell stands at its step, also where the axis goes on behind the last one.
    void cellsStandAtTheirSteps()
    {
        Appearance appearance(ThemeChoice::Light);
        Figure figure{.shows = "x"};
        FigurePanel panel{.id = "cells", .title = "cells"};
        panel.x = {.title = "step", .steps = true, .labels = {"a", "b", "c", "d", "e", "f"}};
        panel.cells = FigureCells{.name = "cells", .rows = 1, .columns = 3, .values = {0, 0, 1}};
        panel.cells->scale = FigureCells::Scale::Share;
        figure.panels.push_back(panel);
        FigureTable table{.id = "t", .title = "at step 1", .columns = {"name", "value"}, .rows = {}};
        table.rows.push_back({{"a", "1"}});
        figure.tables.push_back(table);
        FigureView view(appearance);
        view.resize(600, 300);
        view.show();
        view.setFigure(std::make_shared<const Figure>(figure));
        QCoreApplication::processEvents();
        FigurePanelView& drawn = *view.panels().front();
        const QImage image = drawn.grab().toImage();
        const auto at = [&](int column) { return image.pixel(drawn.plot().cell(0, column).center().toPoint()); };
        QCOMPARE(at(0), at(1));
        QVERIFY(at(2) != at(1));
        QCOMPARE(at(3), appearance.theme()[Theme::Role::Panel].rgb());
        QCOMPARE(at(5), appearance.theme()[Theme::Role::Panel].rgb());
        figure.tables.front().title = "at step 2"; // the same table with other words
        view.setFigure(std::make_shared<const Figure>(figure));
        QVERIFY(says(view, "at step 2") && !says(view, "at step 1"));
        const auto* header = view.tables().front()->headerItem();
        QVERIFY(header->textAlignment(1) & Qt::AlignRight);
        QVERIFY(header->textAlignment(0) & Qt::AlignLeft);
    }

    /// Who is told of a step may ask for another figure at once: the panel goes when its event is over.
    void aPanelOutlivesItsOwnEvent()
    {
        Shown shown(everything());
        const QPointer<FigurePanelView> panel(&shown.panel(0));
        auto other = std::make_shared<Figure>(*everything());
        other->panels.erase(other->panels.begin());
        bool lived = false;
        connect(&shown.view, &FigureView::stepPointed, this, [&](std::int64_t) {
            if (shown.view.panels().size() == 3)
                shown.view.setFigure(other);
            lived = !panel.isNull();
        });
        shown.move(*panel, panel->plot().cell(3, 7).center());
        QVERIFY(lived);
        QCOMPARE(shown.view.panels().size(), std::size_t{2});
        QSignalSpy pointed(&shown.view, &FigureView::stepPointed);
        if (panel)
            shown.move(*panel, panel->plot().cell(3, 8).center());
        QCOMPARE(pointed.size(), 0); // nobody hears of it any more
        QTRY_VERIFY(panel.isNull());
    }

    /// The row that was chosen is told whole, whatever table stands there by then.
    void aRowIsToldWhole()
    {
        Shown shown(everything());
        auto other = std::make_shared<Figure>(*everything());
        other->tables.front().rows = {{{"gru h 1", "0.7"}, "gru", "h", {1}, {}}};
        auto first = std::make_shared<Figure>(*everything());
        first->tables.front().rows.front().step = 3;
        shown.view.setFigure(first);
        connect(&shown.view, &FigureView::stepHeld, this, [&] { shown.view.setFigure(other); });
        QSignalSpy chosen(&shown.view, &FigureView::unitsChosen);
        FigureTableView& table = *shown.view.tables().front();
        table.setCurrentItem(table.topLevelItem(0));
        QTRY_VERIFY(!chosen.isEmpty());
        QCOMPARE(chosen.first().at(0).value<std::string>(), std::string("lstm"));
        QCOMPARE(chosen.first().at(2).value<std::vector<std::int64_t>>(), std::vector<std::int64_t>{5});
    }

    /// Small multiples stand in rows of the same width.
    void squarePanelsStandInEvenRows()
    {
        for (const auto& [count, across] : {std::pair{2, 2}, {3, 3}, {4, 2}, {5, 3}, {7, 4}, {8, 4}}) {
            auto figure = std::make_shared<Figure>();
            for (int i = 0; i < count; ++i) {
                FigurePanel panel = pointsPanel();
                panel.id += std::to_string(i);
                panel.square = true;
                figure->panels.push_back(panel);
            }
            Shown shown(figure);
            shown.view.resize(1000, 900);
            QApplication::processEvents();
            const int top = shown.panel(0).y();
            int beside = 0;
            for (const FigurePanelView* panel : shown.view.panels()) {
                beside += panel->y() == top ? 1 : 0;
                QVERIFY2(std::abs(panel->width() - shown.panel(0).width()) <= 8, qPrintable(QString::number(count)));
            }
            QCOMPARE(beside, across);
        }
    }

    void allOfItIsPaintedAndNamed()
    {
        Shown shown(everything());
        QCOMPARE(shown.view.shows(), QStringLiteral("Everything there is.  ·  1 value is not finite"));
        QCOMPARE(shown.view.panels().size(), std::size_t{3});
        QCOMPARE(shown.view.tables().size(), std::size_t{1});
        for (FigurePanelView* panel : shown.view.panels()) {
            QVERIFY(!panel->accessibleName().isEmpty() && !panel->accessibleDescription().isEmpty());
            QVERIFY(panel->plot().area().height() > 50);
            QVERIFY(!panel->grab().isNull());
        }
        shown.appearance.setChoice(ThemeChoice::Dark);
        QVERIFY(!shown.view.grab().isNull());
        for (const FigureFormat format : {FigureFormat::Png, FigureFormat::Svg})
            QVERIFY(figurePicture(shown.view.figure(), shown.appearance, 700, format).size() > 2000);
    }

    /// The areas of panels over steps stand under one another, and a step lies at the same place in both.
    void panelsOfStepsAreAligned()
    {
        Shown shown(everything());
        const FigurePlot &cells = shown.panel(0).plot(), &lines = shown.panel(1).plot();
        QCOMPARE(cells.area().left(), lines.area().left());
        QCOMPARE(cells.area().right(), lines.area().right());
        for (int step : {0, 7, kFigureSteps - 1})
            QVERIFY(std::abs(cells.cell(0, step).center().x() - lines.at(step, 1).x()) < 1e-6);
    }

    void cellsSmallerThanAPixelKeepTheirPeaks()
    {
        FigureCells cells{.name = "x", .rows = 100, .columns = 100, .values = std::vector<float>(10000, 0.01f)};
        cells.values[5 * 100 + 5] = -3;
        cells.values[95 * 100 + 95] = std::numeric_limits<float>::quiet_NaN();
        const ColourMap map = ColourMap::diverging(Appearance(ThemeChoice::Light).theme().divergingMap());
        const HeatEnds range{-3, 3, true, false};
        const QRgb missing = qRgb(255, 0, 255);
        const QImage image = cellsImage(cells, range, map, missing, {10, 10});
        QCOMPARE(image.pixel(0, 0), map[0]);
        QVERIFY(image.pixel(9, 9) == missing || image.pixel(9, 9) == QColor(missing).darker(170).rgb());
        QCOMPARE(image.pixel(5, 5), map[static_cast<int>((0.01f + 3) / 6 * 255 + 0.5f)]);
    }

    void manyRowsScrollRatherThanVanish()
    {
        Shown shown(everything(600));
        QVERIFY(shown.panel(0).plot().area().height() >= 1200 - 1);
        QVERIFY(shown.panel(0).height() > shown.view.height());
    }

    void theHandReadsFourDigits()
    {
        Shown shown(everything());
        FigurePanelView& cells = shown.panel(0);
        QSignalSpy pointed(&shown.view, &FigureView::stepPointed);
        shown.move(cells, cells.plot().cell(3, 7).center());
        QCOMPARE(cells.shownText(), QStringLiteral("step 8 “h”, unit 3:  0.307"));
        QCOMPARE(pointed.last().front().toLongLong(), 7);
        FigurePanelView& lines = shown.panel(1);
        shown.move(lines, lines.plot().at(2, 3.23456));
        QCOMPARE(lines.shownText(), QStringLiteral("step 3:  one 3.235,  two 0.5"));
        QCOMPARE(lines.accessibleDescription(), lines.shownText());
        FigurePanelView& points = shown.panel(2);
        shown.move(points, points.plot().at(0.7, 3) + QPointF(2, 1));
        QCOMPARE(points.shownText(), QStringLiteral("AUC 0.7,  3  ·  unit 12"));
    }

    void theKeyboardDoesAsTheHand()
    {
        Shown shown(everything());
        QSignalSpy held(&shown.view, &FigureView::stepHeld), brushed(&shown.view, &FigureView::spanBrushed),
            released(&shown.view, &FigureView::released), chosen(&shown.view, &FigureView::unitsChosen);
        FigurePainter::Hand hand;
        connect(&shown.view, &FigureView::stepHeld, this, [&](std::int64_t step) {
            hand.step = step;
            shown.view.setShared(hand);
        });
        FigurePanelView& cells = shown.panel(0);
        cells.setFocus();
        QTest::keyClick(&cells, Qt::Key_Home);
        QTest::keyClick(&cells, Qt::Key_Right);
        QCOMPARE(held.last().front().toLongLong(), 1);
        QTest::keyClick(&cells, Qt::Key_Down);
        QCOMPARE(cells.shownText(), QStringLiteral("step 2 “b”, unit 1:  0.101"));
        QTest::keyClick(&cells, Qt::Key_Return);
        QCOMPARE(chosen.last().at(2).value<std::vector<std::int64_t>>(), std::vector<std::int64_t>{1});
        QTest::keyClick(&cells, Qt::Key_Right, Qt::ShiftModifier);
        QTest::keyClick(&cells, Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(brushed.last().at(0).toLongLong(), 1);
        QCOMPARE(brushed.last().at(1).toLongLong(), 4);
        QTest::keyClick(&cells, Qt::Key_End);
        QCOMPARE(held.last().front().toLongLong(), kFigureSteps - 1);
        QTest::keyClick(&cells, Qt::Key_Escape);
        QCOMPARE(released.size(), 1);
        FigurePanelView& points = shown.panel(2);
        points.setFocus();
        QTest::keyClick(&points, Qt::Key_Home);
        QTest::keyClick(&points, Qt::Key_End);
        QCOMPARE(points.shownText(), QStringLiteral("AUC 0.9,  2  ·  unit 13"));
        QTest::keyClick(&points, Qt::Key_Left);
        QCOMPARE(points.shownText(), QStringLiteral("AUC 0.7,  3  ·  unit 12"));
    }

    void aRowIsChosenByKeyAndClick()
    {
        Shown shown(everything());
        QSignalSpy held(&shown.view, &FigureView::stepHeld), chosen(&shown.view, &FigureView::unitsChosen);
        FigureTableView& table = *shown.view.tables()[0];
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualItemRect(table.topLevelItem(0)).center());
        QCOMPARE(chosen.last().at(0).value<std::string>(), std::string("lstm"));
        table.setFocus();
        QTest::keyClick(&table, Qt::Key_Down);
        QCOMPARE(held.last().front().toLongLong(), 7);
        QCOMPARE(shown.view.reading(), QStringLiteral("unit step 7,  AUC 0.5"));
        const auto before = chosen.size();
        shown.view.setFigure(everything()); // the next answer chooses nothing
        QCOMPARE(chosen.size(), before);
        QCOMPARE(table.indexOfTopLevelItem(table.currentItem()), 1);
    }

    /// Nothing at all, one value, only NaN, no columns.
    void littleIsNoTrouble()
    {
        auto figure = std::make_shared<Figure>();
        Shown shown(figure);
        auto odd = std::make_shared<Figure>();
        FigurePanel empty{.id = "empty", .title = "Empty"}, lone{.id = "lone", .title = "Lone"},
            log{.id = "log", .title = "Log"}, none{.id = "none", .title = "None"};
        lone.series = {{.name = "one", .x = {3}, .y = {7}}};
        log.y.log = true;
        log.series = {{.name = "bars", .kind = FigureSeries::Kind::Bars, .x = {0, 1, 2}, .y = {-1, kNan, 0}}};
        none.cells = FigureCells{.name = "none", .rows = 0, .columns = 0, .values = {}};
        odd->panels = {empty, lone, log, none};
        odd->tables = {{.id = "nothing", .title = "Nothing", .columns = {}, .rows = {}}};
        shown.view.setFigure(odd);
        QCoreApplication::processEvents();
        QVERIFY(!shown.view.grab().isNull());
        for (FigurePanelView* panel : shown.view.panels()) {
            panel->setFocus();
            for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Up, Qt::Key_End, Qt::Key_Return, Qt::Key_Escape})
                QTest::keyClick(panel, key);
        }
        QCOMPARE(shown.panel(2).plot().axes().leftOut, 2);
    }
};

static const AreaOf<FigureViewTest> figureViewTestArea("figure_view");

} // namespace unroll::test

#include "figure_view_test.moc"
