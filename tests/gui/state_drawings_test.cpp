// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/signal_views.h"
#include "app/studio/theme/appearance.h"
#include "tests/gui/area.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <cmath>
#include <limits>

namespace unroll::test {

namespace {

QPoint pointOf(const HeatMapView& map, int step, int row)
{
    const AxisZoom &columns = map.places().steps(), &rows = map.places().rows();
    return (map.places().map().topLeft() +
            QPointF(columns.placeOf(step) + columns.cell() / 2, rows.placeOf(row) + rows.cell() / 2))
        .toPoint();
}

std::shared_ptr<const ProbeFrame> lookAt(SignalFrame signal)
{
    ProbeFrame frame{1, std::vector<std::string>(static_cast<std::size_t>(signal.steps), "x"), {std::move(signal)}};
    return std::make_shared<const ProbeFrame>(std::move(frame));
}

SignalFrame wave(std::int64_t count, std::int64_t width, SignalKind look = SignalKind::Signed)
{
    SignalFrame signal{"lstm", "c", look, count, width, {}};
    for (std::int64_t i = 0; i < count * width; ++i)
        signal.values.push_back(static_cast<float>(std::sin(0.37 * static_cast<double>(i))));
    return signal;
}

void turn(QWidget& view, const QPointF& where, int notches, Qt::KeyboardModifiers modifiers)
{
    QWheelEvent event(where, view.mapToGlobal(where), {}, {0, 120 * notches}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&view, &event);
}

} // namespace

class StateDrawingsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anAxisKeepsCellsLargeEnough()
    {
        AxisZoom axis(2);
        axis.setExtent(256, 220);
        QCOMPARE(axis.cell(), 2.0);
        QVERIFY(axis.isPart());
        QCOMPARE(axis.first(), std::int64_t{0});
        QCOMPARE(axis.last(), std::int64_t{109});
        axis.scrollTo(1e9);
        QCOMPARE(axis.last(), std::int64_t{255});
        axis.reveal(3);
        QCOMPARE(axis.first(), std::int64_t{3});
        axis.reveal(200);
        QCOMPARE(axis.last(), std::int64_t{200});
        axis.zoomBy(4, 100); // what lies there stays
        const std::int64_t before = axis.cellAt(100);
        axis.zoomBy(1.25, 100);
        QVERIFY(std::abs(axis.cellAt(100) - before) <= 1);
        axis.fit();
        QCOMPARE(axis.cell(), 2.0);
        axis.setExtent(10, 220);
        QCOMPARE(axis.cell(), 22.0);
        QVERIFY(!axis.isPart());
        AxisZoom none(2);
        none.setExtent(0, 100);
        none.zoomBy(2, 5);
        QCOMPARE(none.cellAt(50), std::int64_t{0});
        QVERIFY(!none.isPart());
    }

    void manyRowsScroll()
    {
        Appearance appearance(ThemeChoice::Light);
        HeatMapView view(appearance);
        view.resize(600, 240);
        view.show();
        view.setFrame(lookAt(wave(20, 256)), 0);
        const auto& rows = view.places().rows();
        QVERIFY(rows.cell() >= 2);
        QVERIFY(rows.isPart());
        QCOMPARE(view.places().at(pointOf(view, 3, 0))->unit, std::int64_t{0});
        turn(view, view.places().map().center(), -1, {});
        QVERIFY(rows.first() > 0);
        const std::int64_t first = rows.first();
        QCOMPARE(view.places().at(view.places().map().topLeft() + QPointF(5, 0.5))->unit, first);
        QTest::keyClick(&view, Qt::Key_End); // marks the first row, which comes into sight
        QCOMPARE(rows.first(), std::int64_t{0});
        const double before = rows.cell();
        turn(view, view.places().map().center(), 2, Qt::ControlModifier);
        QVERIFY(rows.cell() > before);
        QTest::keyClick(&view, Qt::Key_Plus);
        QTest::keyClick(&view, Qt::Key_Period);
        QVERIFY(view.places().steps().isPart());
        QTest::keyClick(&view, Qt::Key_0);
        QCOMPARE(rows.cell(), before);
        QVERIFY(!view.places().steps().isPart());
        // The picture has the colours of the rows that are seen.
        QVERIFY(rows.isPart());
        view.setOrder(UnitOrder::Index);
        turn(view, view.places().map().center(), -3, {});
        const QImage image = view.grab().toImage();
        const ColourMap& colours = view.picture().colours(true);
        const std::int64_t row = rows.first() + 20;
        const float value = view.data().cells().at(10, row);
        QCOMPARE(image.pixel(pointOf(view, 10, static_cast<int>(row))),
                 colours[static_cast<int>((value + 1) * 127.5f + 0.5f)]);
    }

    void textWraps()
    {
        Appearance appearance(ThemeChoice::Light);
        TokenText text(appearance);
        text.resize(300, 120);
        text.show();
        std::vector<TokenText::Token> tokens(200, {"x"});
        text.setTokens(tokens, true);
        QVERIFY(text.lines() > 2);
        for (std::int64_t i = 0; i < 200; ++i) {
            QVERIFY(text.placeOf(i).right() <= text.viewport()->width());
            QCOMPARE(*text.at(text.placeOf(i).center()), i);
        }
        QVERIFY(text.heightFor(150) > text.heightFor(300));
        tokens[5].text = "\u21b5"; // the end of a line
        text.setTokens(tokens, true);
        QVERIFY(text.placeOf(6).top() > text.placeOf(5).top());
        QSignalSpy held(&text, &TokenText::stepHeld);
        connect(&text, &TokenText::stepHeld, &text, &TokenText::setStep);
        text.setFocus();
        for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Down, Qt::Key_Up, Qt::Key_End, Qt::Key_Left})
            QTest::keyClick(&text, key);
        QCOMPARE(held.size(), 5);
        QCOMPARE(text.step(), std::int64_t{198});
        QVERIFY(text.viewport()->rect().contains(text.placeOf(198).center().toPoint())); // came into sight
        text.setTokens({}, true);
        QCOMPARE(text.lines(), 0);
        QTest::keyClick(&text, Qt::Key_Right);
        (void)text.grab();
    }

    void matricesAreSeenAsSuch()
    {
        Appearance appearance(ThemeChoice::Light);
        ReadingCursor cursor;
        SignalViews views(appearance, cursor);
        views.resize(600, 300);
        views.show();
        SignalFrame signal = wave(30, 18, SignalKind::Matrix);
        signal.rows = signal.columns = 3;
        signal.axes = {.matrix = "head", .row = "key", .column = "value"};
        views.setFrame(lookAt(signal));
        views.setDrawing(StateDrawing::Matrix);
        MatrixView& matrices = views.matrices();
        QVERIFY(matrices.isVisible());
        QCOMPARE(matrices.count(), std::int64_t{2});
        cursor.hold(4);
        const QImage image = matrices.grab().toImage();
        const QRectF place = matrices.placeOf(1);
        const auto cell = [&](int row, int column) {
            return (place.topLeft() + QPointF((column + 0.5) * place.width() / 3, (row + 0.5) * place.height() / 3))
                .toPoint();
        };
        const float value = signal.values[4 * 18 + 9 + 2 * 3 + 1];
        const HeatScale& scale = views.map().data().scale();
        QCOMPARE(image.pixel(cell(2, 1)),
                 views.map().picture().colours(
                     true)[static_cast<int>((value - scale.low) / (scale.high - scale.low) * 255 + 0.5f)]);
        const QRectF bar = matrices.bar();
        QVERIFY(matrices.placeOf(1).right() < bar.left() && bar.right() < matrices.width());
        const ColourMap& colours = views.map().picture().colours(true);
        const auto colourAt = [&](double y) {
            int found = 255;
            while (found >= 0 && colours[found] != image.pixel(QPointF(bar.center().x(), y).toPoint()))
                --found;
            return found;
        };
        QVERIFY(colourAt(bar.top() + 2) > 225);
        QVERIFY(colourAt(bar.bottom() - 2) >= 0 && colourAt(bar.bottom() - 2) < 30);
        QSignalSpy words(&matrices, &MatrixView::pointedAt);
        QMouseEvent move(QEvent::MouseMove, cell(2, 1), matrices.mapToGlobal(cell(2, 1)), Qt::NoButton, Qt::NoButton,
                         {});
        QApplication::sendEvent(&matrices, &move);
        QVERIFY(words.back().front().toString().contains("head 1, key 2, value 1:"));
        for (const auto key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down})
            QTest::keyClick(&matrices, key, Qt::ControlModifier);
        QVERIFY(words.back().front().toString().contains("head 0, key 1, value 1:"));
        QVERIFY(matrices.accessibleDescription().contains("key 1, value 1:"));
        QCOMPARE(cursor.step(), std::int64_t{4});
        const std::int64_t step = 3 * matrices.every();
        QTest::mouseClick(&matrices, Qt::LeftButton, {}, matrices.smallPlaceOf(step).center().toPoint());
        QCOMPARE(cursor.step(), step);
        QTest::keyClick(&matrices, Qt::Key_Right);
        QCOMPARE(cursor.step(), step + 1);
        views.setFrame(lookAt(wave(5, 4))); // of no matrices: the map stands in
        QVERIFY(views.map().isVisible());
    }

    /// Cells are square, but of a matrix that is more than twice as long as wide.
    void matricesNeedNotBeSquare()
    {
        Appearance appearance(ThemeChoice::Light);
        ReadingCursor cursor;
        SignalViews views(appearance, cursor);
        views.resize(600, 300);
        views.show();
        SignalFrame signal = wave(8, 24, SignalKind::Matrix);
        const auto shown = [&](std::int64_t rows, std::int64_t columns) {
            signal.rows = rows;
            signal.columns = columns;
            views.setFrame(lookAt(signal));
            views.setDrawing(StateDrawing::Matrix);
            return views.matrices().placeOf(0).width() / views.matrices().placeOf(0).height();
        };
        MatrixView& matrices = views.matrices();
        QVERIFY(std::abs(shown(12, 1) - 0.5) < 1e-9);
        QCOMPARE(matrices.count(), std::int64_t{2});
        QVERIFY(std::abs(shown(1, 12) - 2) < 1e-9);
        QVERIFY(std::abs(shown(4, 3) - 0.75) < 1e-9);
        QVERIFY(matrices.smallPlaceOf(7).bottom() <= matrices.height());
        cursor.hold(4);
        const QImage image = matrices.grab().toImage();
        const QRectF place = matrices.placeOf(1);
        const QPoint cell =
            (place.topLeft() + QPointF(2.5 * place.width() / 3, 3.5 * place.height() / 4)).toPoint(); // the last one
        const HeatScale& scale = views.map().data().scale();
        const float value = signal.values[4 * 24 + 23];
        QCOMPARE(image.pixel(cell),
                 views.map().picture().colours(
                     true)[static_cast<int>((value - scale.low) / (scale.high - scale.low) * 255 + 0.5f)]);
        QSignalSpy words(&matrices, &MatrixView::pointedAt);
        for (int i = 0; i < 5; ++i)
            for (const auto key : {Qt::Key_Down, Qt::Key_Right})
                QTest::keyClick(&matrices, key, Qt::ControlModifier);
        QVERIFY(words.back().front().toString().contains("matrix 0, row 3, column 2:"));
    }

    /// By a drag with Shift, and by the arrow keys with Shift; Escape lets the step go, then the span.
    void aSpanIsBrushedInEveryDrawing()
    {
        Appearance appearance(ThemeChoice::Light);
        ReadingCursor cursor;
        SignalViews views(appearance, cursor);
        views.resize(600, 300);
        views.show();
        SignalFrame signal = wave(30, 18, SignalKind::Matrix);
        signal.rows = signal.columns = 3;
        views.setFrame(lookAt(signal));
        QWidget* const all[] = {&views.map(), &views.lines(), &views.text(), &views.matrices()};
        for (const auto drawing : {StateDrawing::Map, StateDrawing::Lines, StateDrawing::Text, StateDrawing::Matrix}) {
            views.setDrawing(drawing);
            QWidget& view = *all[static_cast<int>(drawing)];
            cursor.clear();
            cursor.hold(4);
            if (drawing == StateDrawing::Map)
                QTest::keyClick(&view, Qt::Key_Home); // marks a cell
            cursor.hold(4);
            const QImage before = view.grab().toImage();
            QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
            QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
            QCOMPARE(cursor.step(), std::int64_t{6});
            QCOMPARE(cursor.from(), std::int64_t{4});
            QCOMPARE(cursor.to(), std::int64_t{7});
            QVERIFY(view.grab().toImage() != before);
            QTest::keyClick(&view, Qt::Key_Left, Qt::ShiftModifier);
            QCOMPARE(cursor.to(), std::int64_t{6});
            QTest::keyClick(&view, Qt::Key_Right); // moves on: another span begins with the next Shift
            QCOMPARE(cursor.to(), std::int64_t{6});
            QTest::keyClick(&view, Qt::Key_Left, Qt::ShiftModifier);
            QCOMPARE(cursor.from(), std::int64_t{5});
            QCOMPARE(cursor.to(), std::int64_t{7});
            QTest::keyClick(&view, Qt::Key_Escape);
            QCOMPARE(cursor.step(), std::int64_t{-1});
            QCOMPARE(cursor.from(), std::int64_t{5});
            QTest::keyClick(&view, Qt::Key_Escape);
            QCOMPARE(cursor.from(), std::int64_t{-1});
        }
        views.setDrawing(StateDrawing::Map);
        HeatMapView& map = views.map();
        QTest::mousePress(&map, Qt::LeftButton, Qt::ShiftModifier, pointOf(map, 8, 2));
        const QPointF to = pointOf(map, 3, 5);
        QMouseEvent drag(QEvent::MouseMove, to, map.mapToGlobal(to), Qt::NoButton, Qt::LeftButton, Qt::ShiftModifier);
        QApplication::sendEvent(&map, &drag);
        QTest::mouseRelease(&map, Qt::LeftButton, Qt::ShiftModifier, to.toPoint());
        QCOMPARE(cursor.from(), std::int64_t{3});
        QCOMPARE(cursor.to(), std::int64_t{9});
        QVERIFY(!cursor.isHeld());
        const QImage image = map.grab().toImage(); // within the span the colours stay what they are
        const float value = map.data().drawn().at(5, 1);
        QCOMPARE(
            image.pixel(pointOf(map, 5, 1)),
            map.picture().colours(map.data().scale().diverging)[static_cast<int>(
                (value - map.data().scale().low) / (map.data().scale().high - map.data().scale().low) * 255 + 0.5f)]);
    }

    void thePhaseIsAHue()
    {
        Appearance appearance(ThemeChoice::Light);
        HeatMapView view(appearance);
        view.resize(500, 260);
        view.show();
        view.setFrame(lookAt({"lru",
                              "h",
                              SignalKind::Complex,
                              2,
                              4,
                              {1, 0, -1, 0, 0, 1, 0, std::numeric_limits<float>::quiet_NaN()}}),
                      0);
        view.showPhase(true);
        const QImage image = view.grab().toImage();
        const QColor right = image.pixelColor(pointOf(view, 0, 0)), left = image.pixelColor(pointOf(view, 0, 1));
        QVERIFY(std::abs(toOklab(right).lightness - toOklab(left).lightness) < 0.03); // hues are equally light
        QVERIFY(distance(toOklab(right), toOklab(left)) > 0.15);
        QCOMPARE(image.pixel(pointOf(view, 1, 1)), appearance.theme()[Theme::Role::HeatMissing].rgb());
        QVERIFY2(view.data().describe({1, 0}).endsWith("modulus 1, phase 1.571"),
                 qPrintable(view.data().describe({1, 0})));
    }

    void ordersFoundElsewhereAreTaken()
    {
        Appearance appearance(ThemeChoice::Light);
        HeatMapView view(appearance);
        view.setFrame(lookAt(wave(5, 4)), 0);
        view.setRows({2, 0, 3, 1});
        QCOMPARE(view.data().rows(), (std::vector<std::int64_t>{2, 0, 3, 1}));
        view.setRows({2, 2, 3, 1}); // are not its units
        QCOMPARE(view.data().rows(), (std::vector<std::int64_t>{2, 0, 3, 1}));
    }
};

static const AreaOf<StateDrawingsTest> stateDrawingsTestArea("stateDrawings");

} // namespace unroll::test

#include "state_drawings_test.moc"
