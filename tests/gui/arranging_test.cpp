// SPDX-License-Identifier: GPL-3.0-or-later
// Where nodes stand: Tidy, room for what is dropped on a wire; and ports that a group shows outside.
#include "app/studio/canvas/block_mime.h"
#include "tests/gui/area.h"
#include "tests/gui/editing.h"
#include "tests/gui/same_picture.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMenuBar>
#include <QToolTip>
#include <memory>

namespace unroll::test {

namespace {

QRectF bodyOf(Studio& studio, const std::string& name)
{
    const NodeItem* item = studio.window.scene().node(studio.window.scene().shown().findByName(name)->id);
    return item->mapRectToScene(item->geometry().body());
}

/// As drawn: no node upon another, every wire from left to right.
void isInOrder(Studio& studio)
{
    GraphScene& scene = studio.window.scene();
    const auto items = scene.nodeItems();
    for (const NodeItem* a : items)
        for (const NodeItem* b : items)
            QVERIFY2(a == b ||
                         !a->mapRectToScene(a->geometry().body()).intersects(b->mapRectToScene(b->geometry().body())),
                     qPrintable(a->face().name + " and " + b->face().name));
    for (const Wire& wire : scene.shown().wires)
        QVERIFY(scene.placeOf({wire.from, true}).x() < scene.placeOf({wire.to, false}).x());
    QCOMPARE(differenceFromDocument(studio), QString());
}

void heap(Studio& studio)
{
    std::map<NodeId, Place> places;
    for (const auto& [id, node] : studio.graph().nodes)
        places[id] = {200 - 30 * static_cast<double>(id), 100};
    QVERIFY(studio.window.document().apply(edits::moveNodes(places)));
    studio.window.document().endMerge();
}

void dropFromPalette(Studio& studio, const char* block, const QPointF& middle, Qt::KeyboardModifiers modifiers = {})
{
    GraphView& view = studio.window.canvas();
    const QPointF corner = middle - BlockAdder(studio.window.scene()).bodyOf(block, {}).center();
    const QPoint at = view.mapFromScene(corner + QPointF(kBlockGrip));
    const std::unique_ptr<QMimeData> mime(blockMime(block));
    QDragEnterEvent enter(at, Qt::CopyAction, mime.get(), Qt::LeftButton, modifiers);
    QApplication::sendEvent(view.viewport(), &enter);
    QDragMoveEvent move(at, Qt::CopyAction, mime.get(), Qt::LeftButton, modifiers);
    QApplication::sendEvent(view.viewport(), &move);
    QDropEvent drop(at, Qt::CopyAction, mime.get(), Qt::LeftButton, modifiers);
    QApplication::sendEvent(view.viewport(), &drop);
}

QPointF middleOfWireInto(Studio& studio, const std::string& node, const std::string& port)
{
    GraphScene& scene = studio.window.scene();
    const Wire wire = *scene.shown().wireInto({scene.shown().findByName(node)->id, port});
    return (scene.placeOf({wire.from, true}) + scene.placeOf({wire.to, false})) / 2;
}

} // namespace

class ArrangingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tidyLaysOutTheLevel()
    {
        Studio studio;
        heap(studio);
        const Graph before = studio.graph();
        studio.window.scene().select({});
        press(studio, Qt::Key_L, {});
        isInOrder(studio);
        isOneStep(studio, before);
        QCOMPARE(studio.window.document().history().undoName(), std::string("Tidy"));
        const Graph tidied = studio.graph();
        press(studio, Qt::Key_L, {});
        QVERIFY(studio.graph() == tidied); // nothing left to do: no step
        QCOMPARE(studio.window.document().history().undoName(), std::string("Tidy"));
        QCOMPARE(placeOf(tidied, "embedding").y(), placeOf(tidied, "lstm").y());
    }

    void tidyOfASelectionLeavesTheRest()
    {
        Studio studio;
        const Graph first = studio.graph();
        heap(studio);
        const NodeId embedding = studio.id("embedding"), lstm = studio.id("lstm");
        studio.window.scene().select({embedding, lstm});
        const Graph before = studio.graph();
        press(studio, Qt::Key_L, {});
        for (const char* name : {"text", "lstm_2", "head"})
            QCOMPARE(placeOf(studio.graph(), name), placeOf(before, name));
        for (const char* other : {"text", "lstm_2", "head", "lstm"})
            QVERIFY2(!bodyOf(studio, "embedding").intersects(bodyOf(studio, other)), other);
        QVERIFY(bodyOf(studio, "embedding").right() < bodyOf(studio, "lstm").left());
        QCOMPARE(studio.window.scene().selection(), (std::set<NodeId>{embedding, lstm}));
        isOneStep(studio, before);
    }

    void tidyInsideAGroup()
    {
        Studio studio;
        heap(studio);
        makeGroup(studio, {"embedding", "lstm", "lstm_2"}, "body");
        const Graph before = studio.graph();
        studio.window.scene().enter(studio.id("body"));
        press(studio, Qt::Key_L, {});
        isInOrder(studio);
        QCOMPARE(placeOf(studio.graph(), "text"), placeOf(before, "text"));
        isOneStep(studio, before);
    }

    void tidyIsInTheMenus()
    {
        Studio studio;
        QAction* tidy = studio.window.actions().tidy;
        bool inEdit = false;
        for (QAction* menu : studio.window.menuBar()->actions())
            inEdit = inEdit || menu->menu()->actions().contains(tidy);
        QVERIFY(inEdit);
        for (const bool onNode : {false, true}) {
            studio.window.canvas().menuAsked(onNode ? studio.headerOf("lstm") : QPoint(10, 10));
            auto* menu = studio.window.findChild<QMenu*>("contextMenu");
            QVERIFY(menu->actions().contains(tidy));
            menu->close();
            QTRY_VERIFY(studio.window.findChild<QMenu*>("contextMenu") == nullptr);
        }
        studio.window.document().replace(Experiment(), {});
        QVERIFY(!tidy->isEnabled());
    }

    void commentsGoWithTheirNodes()
    {
        Studio studio;
        heap(studio);
        const Place at = studio.graph().findByName("head")->place;
        QVERIFY(studio.window.document().apply(edits::setFrame({0, "the end", {at.x - 20, at.y - 20}, 400, 400})));
        const Graph before = studio.graph();
        studio.window.scene().select({});
        press(studio, Qt::Key_L, {});
        const Frame& frame = studio.graph().frames.begin()->second;
        QVERIFY(!(frame == before.frames.begin()->second));
        QVERIFY(QRectF(frame.place.x, frame.place.y, frame.width, frame.height).contains(bodyOf(studio, "head")));
        isOneStep(studio, before);
    }

    void whatIsDroppedOnAWireGetsRoom()
    {
        Studio studio;
        const Graph before = studio.graph();
        dropFromPalette(studio, "linear", middleOfWireInto(studio, "lstm", "x"));
        QVERIFY(isWired(studio.graph(), "embedding", "y", "linear", "x") &&
                isWired(studio.graph(), "linear", "y", "lstm", "x"));
        for (const char* name : {"text", "embedding"})
            QCOMPARE(placeOf(studio.graph(), name), placeOf(before, name));
        const double gone = placeOf(studio.graph(), "lstm").x() - placeOf(before, "lstm").x();
        QVERIFY(gone > 0);
        for (const char* name : {"lstm_2", "head"})
            QCOMPARE(placeOf(studio.graph(), name) - placeOf(before, name), QPointF(gone, 0));
        isInOrder(studio);
        isOneStep(studio, before);
    }

    void aNodeThatIsMovedOntoAWireGetsRoom()
    {
        Studio studio;
        BlockAdder(studio.window.scene()).add("linear", {500, 500});
        studio.window.canvas().fitAll();
        const Graph before = studio.graph();
        const QPointF way = middleOfWireInto(studio, "lstm", "x") - bodyOf(studio, "linear").center();
        const QPoint grip = studio.headerOf("linear");
        const auto there = grip + (way * studio.window.canvas().zoom()).toPoint();
        studio.drag(grip, there, Qt::AltModifier); // Alt: neither grid nor wire
        QVERIFY(!isWired(studio.graph(), "embedding", "y", "linear", "x"));
        QCOMPARE(placeOf(studio.graph(), "lstm"), placeOf(before, "lstm"));
        studio.window.document().undo();
        studio.drag(grip, there);
        QVERIFY(isWired(studio.graph(), "embedding", "y", "linear", "x") &&
                isWired(studio.graph(), "linear", "y", "lstm", "x"));
        QVERIFY(placeOf(studio.graph(), "lstm").x() > placeOf(before, "lstm").x());
        isInOrder(studio);
        isOneStep(studio, before);
    }

    void altKeepsADropOffTheWire()
    {
        Studio studio;
        const Graph before = studio.graph();
        dropFromPalette(studio, "linear", middleOfWireInto(studio, "lstm", "x"), Qt::AltModifier);
        QVERIFY(studio.graph().findByName("linear") != nullptr);
        QCOMPARE(studio.graph().wires, before.wires);
        QCOMPARE(placeOf(studio.graph(), "lstm"), placeOf(before, "lstm"));
    }

    void portsThatTheGroupShowsAreTaken()
    {
        Studio studio;
        makeGroup(studio, {"lstm"}, "body");
        GraphScene& scene = studio.window.scene();
        scene.enter(studio.id("body"));
        const NodeItem& item = *scene.node(scene.shown().findByName("lstm")->id);
        QVERIFY(item.port("x", false)->isTaken() && item.port("y", true)->isTaken());
        QVERIFY(!item.port("x", false)->wired); // by no wire of this level
        QCOMPARE(item.port("x", false)->outer, QString("x"));
        QVERIFY(!item.port("state", false)->isTaken());
        QCOMPARE(differenceFromDocument(studio), QString());

        const auto tipAt = [&](const WireEnd& end) {
            QWidget* port = studio.window.canvas().viewport();
            const QPoint at = studio.window.canvas().mapFromScene(scene.placeOf(end));
            QHelpEvent help(QEvent::ToolTip, at, port->mapToGlobal(at));
            QApplication::sendEvent(port, &help);
            return QToolTip::text();
        };
        QVERIFY2(tipAt({{item.id(), "x"}, false}).contains("Group input “x”."), qPrintable(QToolTip::text()));
        QVERIFY(tipAt({{item.id(), "y"}, true}).contains("Group output “y”."));
        QVERIFY(!tipAt({{item.id(), "state"}, false}).contains("group"));
        QToolTip::hideText();

        // Taken back outside, it is free inside.
        const PromotedPort port = studio.graph().findByName("body")->group->inputs.front();
        QVERIFY(studio.window.document().apply(edits::demoteInput(studio.id("body"), port)));
        QVERIFY(!item.port("x", false)->isTaken());
        scene.leave();
        QCOMPARE(differenceFromDocument(studio), QString());
    }
};

static const AreaOf<ArrangingTest> arrangingTestArea("arranging");

} // namespace unroll::test

#include "arranging_test.moc"
