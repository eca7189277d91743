// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/wire_item.h"
#include "core/experiment/gallery.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <algorithm>
#include <vector>

namespace unroll::test {

namespace {

/// Pixels within a node that are of another colour than its ground.
int inkIn(Studio& studio, const std::string& name)
{
    GraphView& view = studio.window.canvas();
    const NodeItem& item = studio.item(name);
    const QRectF body = item.mapRectToScene(item.geometry().body());
    const QRect inner = view.mapFromScene(body).boundingRect().adjusted(3, 3, -3, -3);
    const QImage picture = view.viewport()->grab(inner).toImage();
    const QColor ground = studio.appearance.theme().categoryFill(item.face().category);
    int ink = 0;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x)
            ink += picture.pixelColor(x, y) != ground;
    return ink;
}

} // namespace

/// What is written on nodes and wires, and when.
class CanvasWordsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void farAwayANodeStillHasItsName()
    {
        Studio studio;
        GraphView& view = studio.window.canvas();
        for (const char* name : {"text", "embedding", "lstm_2", "head"}) {
            view.zoomBy(0.25 / view.zoom());
            view.centerOn(&studio.item(name));
            QVERIFY2(inkIn(studio, name) > 20, name);
            view.zoomBy(0.1 / view.zoom()); // letters would be specks
            view.centerOn(&studio.item(name));
            QCOMPARE(inkIn(studio, name), 0);
        }
    }

    /// Smaller than letters can be, an icon still tells what it is.
    void furtherAwayItHasItsIcon()
    {
        Studio studio;
        GraphView& view = studio.window.canvas();
        view.zoomBy(0.13 / view.zoom());
        view.centerOn(&studio.item("lstm_2"));
        QVERIFY(inkIn(studio, "lstm_2") > 20);
    }

    /// Of the wires of one output those that lie together say their shape once; others each.
    void aShapeIsNotWrittenOverItself()
    {
        Studio studio;
        int hidden = 0;
        for (const char* name : {"char-gpt", "gru-by-hand", "fable"}) {
            const auto file = findExperiment(name);
            QVERIFY(file.has_value() && studio.window.files().open(QString::fromStdString(file->string())));
            std::vector<const WireItem*> wires;
            for (const Wire& wire : studio.graph().wires)
                wires.push_back(studio.window.scene().wire(wire));
            QTRY_VERIFY(std::none_of(wires.begin(), wires.end(),
                                     [](const WireItem* wire) { return wire->shapeText().isEmpty(); }));
            for (const WireItem* wire : wires) {
                const bool meets = std::any_of(wires.begin(), wires.end(), [&](const WireItem* other) {
                    return other != wire && other->isWritten() && other->wire().from == wire->wire().from &&
                           other->labelRect().intersects(wire->labelRect());
                });
                QCOMPARE(wire->isWritten(), !meets);
                const QRectF words = wire->wordsRect();
                for (const WireItem* other : wires)
                    if (wire->isWritten() && other->wire().from == wire->wire().from && words != wire->labelRect())
                        QVERIFY2(!other->runsThrough(words.adjusted(0, 0, 0, -5)),
                                 name); // beside its 10 pixels to be caught by
                hidden += !wire->isWritten();
            }
        }
        QVERIFY(hidden > 0);
    }
};

static const AreaOf<CanvasWordsTest> canvasWordsTestArea("canvasWords");

} // namespace unroll::test

#include "canvas_words_test.moc"
