// SPDX-License-Identifier: GPL-3.0-or-later
// Comments, wires and groups by hand: made, moved, resized, renamed, selected, promoted, unrolled.
#include "app/studio/palette/palette_popup.h"
#include "tests/gui/area.h"
#include "tests/gui/editing.h"
#include "tests/gui/same_picture.h"

#include <QLineEdit>
#include <QMenu>
#include <QPointer>

namespace unroll::test {

namespace {

const Frame& comment(Studio& studio)
{
    return studio.graph().frames.begin()->second;
}

QLineEdit* titleField(Studio& studio)
{
    return studio.window.canvas().viewport()->findChild<QLineEdit*>("frameTitle");
}

/// Middle of the strip, in viewport coordinates.
QPoint titleOf(Studio& studio)
{
    const Frame& frame = comment(studio);
    return studio.window.canvas().mapFromScene(frame.place.x + frame.width / 2,
                                               frame.place.y + FrameItem::kTitleHeight / 2);
}

void addComment(Studio& studio, const std::vector<std::string>& around)
{
    choose(studio, around);
    press(studio, Qt::Key_C, {});
    QTest::keyClick(titleField(studio), Qt::Key_Escape);
    QCOMPARE(studio.graph().frames.size(), std::size_t{1});
}

/// A point of the wire that lies over no node.
QPoint pointOn(Studio& studio, const std::string& from, const std::string& output, const std::string& to,
               const std::string& input)
{
    const Wire wire{{studio.id(from), output}, {studio.id(to), input}};
    return studio.window.canvas().mapFromScene(studio.window.scene().wire(wire)->middle());
}

QAction* entryOf(const QMenu& menu, const char* name)
{
    for (QAction* action : menu.actions())
        if (action->objectName() == QLatin1String(name))
            return action;
    return nullptr;
}

bool isInView(Studio& studio)
{
    GraphView& view = studio.window.canvas();
    return view.mapToScene(view.viewport()->rect()).boundingRect().contains(studio.window.scene().nodesRect(false));
}

} // namespace

class CommentsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aKeyPutsOneAroundTheSelection()
    {
        Studio studio;
        const Graph before = studio.graph();
        choose(studio, {"lstm", "lstm_2"});
        const QRectF nodes = studio.window.scene().nodesRect(true);
        press(studio, Qt::Key_C, {});
        QCOMPARE(studio.graph().frames.size(), std::size_t{1});
        const FrameItem* item = studio.window.scene().frame(comment(studio).id);
        QVERIFY(item != nullptr && item->mapRectToScene(item->body()).contains(nodes));
        QVERIFY(!item->mapRectToScene(item->titleRect()).intersects(nodes));
        QVERIFY(titleField(studio)->isVisible() && titleField(studio)->hasFocus());
        QTest::keyClicks(titleField(studio), "two layers");
        QTest::keyClick(titleField(studio), Qt::Key_Return);
        QVERIFY(!titleField(studio)->isVisible() && studio.window.canvas().hasFocus());
        QCOMPARE(comment(studio).title, std::string("two layers"));
        studio.window.document().undo();
        QCOMPARE(comment(studio).title, std::string("Comment"));
        studio.window.document().undo();
        QVERIFY(studio.graph() == before);
    }

    void onAnEmptyCanvasOneStandsByItself()
    {
        Studio studio;
        studio.window.document().replace({}, {});
        aimAt(studio, {300, 200});
        press(studio, Qt::Key_C, {});
        QCOMPARE(studio.graph().frames.size(), std::size_t{1});
        QVERIFY(comment(studio).width >= FrameItem::kLeastWidth && comment(studio).height >= FrameItem::kLeastHeight);
        QTest::keyClick(titleField(studio), Qt::Key_Escape);
    }

    void draggedByItsTitleItTakesItsNodesAlong()
    {
        Studio studio;
        addComment(studio, {"lstm", "lstm_2"});
        studio.window.scene().pick({});
        const Graph before = studio.graph();
        studio.drag(titleOf(studio), titleOf(studio) + QPoint(60, 40));
        const Graph& after = studio.graph();
        const QPointF moved = QPointF(after.frames.begin()->second.place.x, after.frames.begin()->second.place.y) -
                              QPointF(before.frames.begin()->second.place.x, before.frames.begin()->second.place.y);
        QVERIFY(moved.x() > 0 && moved.y() > 0);
        for (const char* name : {"lstm", "lstm_2"})
            QCOMPARE(placeOf(after, name), placeOf(before, name) + moved);
        QCOMPARE(placeOf(after, "embedding"), placeOf(before, "embedding"));
        isOneStep(studio, before);
        viewEqualsDocument(studio);
    }

    void itsEdgesResizeIt()
    {
        Studio studio;
        addComment(studio, {"lstm"});
        const Graph before = studio.graph();
        const Frame& frame = comment(studio);
        const QPoint corner =
            studio.window.canvas().mapFromScene(frame.place.x + frame.width, frame.place.y + frame.height);
        studio.drag(corner, corner + QPoint(50, 30));
        QVERIFY(comment(studio).width > before.frames.begin()->second.width);
        QVERIFY(comment(studio).height > before.frames.begin()->second.height);
        QCOMPARE(comment(studio).place, before.frames.begin()->second.place);
        QCOMPARE(placeOf(studio.graph(), "lstm"), placeOf(before, "lstm"));
        isOneStep(studio, before);
        const Frame small = resized(comment(studio), Qt::RightEdge | Qt::BottomEdge, {-9999, -9999});
        QCOMPARE(small.width, FrameItem::kLeastWidth);
        QCOMPARE(small.height, FrameItem::kLeastHeight);
    }

    void itIsRenamedByDoubleClickAndByKey()
    {
        Studio studio;
        addComment(studio, {"lstm"});
        studio.window.scene().pick({});
        QTest::mouseDClick(studio.window.canvas().viewport(), Qt::LeftButton, {}, titleOf(studio));
        QVERIFY(titleField(studio)->isVisible());
        QTest::keyClicks(titleField(studio), "memory");
        QTest::keyClick(titleField(studio), Qt::Key_Return);
        QCOMPARE(comment(studio).title, std::string("memory"));
        press(studio, Qt::Key_F2, {});
        QVERIFY(titleField(studio)->isVisible());
        QTest::keyClicks(titleField(studio), "not this");
        QTest::keyClick(titleField(studio), Qt::Key_Escape);
        QCOMPARE(comment(studio).title, std::string("memory"));
    }

    void itIsCopiedAndDeletedWithoutItsNodes()
    {
        Studio studio;
        addComment(studio, {"lstm"});
        const Graph before = studio.graph();
        press(studio, Qt::Key_C, Qt::ShiftModifier);
        QCOMPARE(studio.window.scene().picked().frames.size(), std::size_t{1});
        press(studio, Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(studio.graph().frames.size(), std::size_t{2});
        QCOMPARE(studio.graph().nodes.size(), before.nodes.size());
        press(studio, Qt::Key_Delete, {});
        QVERIFY(studio.graph().frames == before.frames);
        press(studio, Qt::Key_C, Qt::ShiftModifier);
        const Graph still = studio.graph();
        press(studio, Qt::Key_Delete, {});
        QVERIFY(studio.graph().frames.empty());
        QCOMPARE(studio.graph().nodes.size(), before.nodes.size());
        isOneStep(studio, still);
    }

    void aClickSelectsAWireAndDeleteTakesItAway()
    {
        Studio studio;
        const Graph before = studio.graph();
        QTest::mouseClick(studio.window.canvas().viewport(), Qt::LeftButton, {},
                          pointOn(studio, "lstm", "y", "lstm_2", "x"));
        QCOMPARE(studio.window.scene().picked().wires.size(), std::size_t{1});
        press(studio, Qt::Key_Delete, {});
        QVERIFY(!isWired(studio.graph(), "lstm", "y", "lstm_2", "x"));
        QCOMPARE(studio.graph().nodes.size(), before.nodes.size());
        isOneStep(studio, before);
    }

    void wiresAreSelectedByKey()
    {
        Studio studio;
        choose(studio, {"lstm_2"});
        press(studio, Qt::Key_W, Qt::ShiftModifier);
        const Picked first = studio.window.scene().picked();
        QCOMPARE(first.wires.size(), std::size_t{1});
        QVERIFY(first.nodes.empty());
        press(studio, Qt::Key_W, Qt::ShiftModifier);
        const Wire second = *studio.window.scene().picked().wires.begin();
        QVERIFY(second != *first.wires.begin());
        QVERIFY(second.from.node == studio.id("lstm_2") || second.to.node == studio.id("lstm_2"));
        press(studio, Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(studio.window.scene().selection(), std::set<NodeId>{second.to.node});
    }

    void tabOnAWirePutsABlockIntoIt()
    {
        Studio studio;
        const Graph before = studio.graph();
        QTest::mouseClick(studio.window.canvas().viewport(), Qt::LeftButton, {},
                          pointOn(studio, "lstm", "y", "lstm_2", "x"));
        press(studio, Qt::Key_Tab, {});
        QVERIFY(studio.window.findChild<PalettePopup*>()->isOpen());
        QTest::keyClicks(QApplication::focusWidget(), "dropout");
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QVERIFY(isWired(studio.graph(), "lstm", "y", "dropout", "x"));
        QVERIFY(isWired(studio.graph(), "dropout", "y", "lstm_2", "x"));
        isOneStep(studio, before);
    }

    void aRepeatedGroupIsUnrolled()
    {
        Studio studio;
        makeGroup(studio, {"lstm_2"}, "body");
        QVERIFY(studio.window.document().apply(edits::setRepeat(studio.id("body"), 3, false)));
        studio.window.scene().select({studio.id("body")});
        const Graph before = studio.graph();
        QVERIFY(studio.window.actions().unrollGroup->isEnabled());
        press(studio, Qt::Key_G, Qt::ControlModifier | Qt::AltModifier);
        QCOMPARE(namesOf(studio.graph(), studio.window.scene().selection()),
                 (std::set<std::string>{"body_1", "body_2", "body_3"}));
        QVERIFY(isWired(studio.graph(), "lstm", "y", "body_1", "x"));
        QVERIFY(isWired(studio.graph(), "body_1", "y", "body_2", "x"));
        QVERIFY(isWired(studio.graph(), "body_3", "y", "head", "x"));
        for (const NodeItem* a : studio.window.scene().nodeItems())
            for (const NodeItem* b : studio.window.scene().nodeItems())
                QVERIFY(a == b ||
                        !a->mapRectToScene(a->geometry().body()).intersects(b->mapRectToScene(b->geometry().body())));
        isOneStep(studio, before);
        QCOMPARE(differenceFromDocument(studio), QString());
    }

    void portsArePromotedByTheMenuOfThePort()
    {
        Studio studio;
        GraphScene& scene = studio.window.scene();
        makeGroup(studio, {"lstm_2"}, "body");
        const NodeId body = studio.id("body");
        scene.enter(body);
        const Node* inner = scene.shown().findByName("lstm_2");
        const WireEnd state{{inner->id, "state"}, true};
        const Graph before = studio.graph();
        studio.window.canvas().menuAsked(studio.window.canvas().mapFromScene(scene.placeOf(state)));
        const QPointer<QMenu> menu = studio.window.findChild<QMenu*>("contextMenu");
        QVERIFY(menu && entryOf(*menu, "promotePort") != nullptr);
        entryOf(*menu, "promotePort")->trigger();
        QVERIFY(isPromoted(scene, state));
        QCOMPARE(studio.graph().find(body)->group->outputs.back().name, std::string("state"));
        isOneStep(studio, before);
        setPromoted(scene, state, false);
        QVERIFY(studio.graph() == before);
        menu->close();
    }

    void tidyAndItsUndoStayInView()
    {
        Studio studio;
        std::map<NodeId, Place> places;
        double at = 0;
        for (const auto& [id, node] : studio.graph().nodes)
            places[id] = {at += 9000, -4000};
        QVERIFY(studio.window.document().apply(edits::moveNodes(places)));
        studio.window.canvas().fitAll();
        studio.window.scene().select({});
        press(studio, Qt::Key_L, {});
        QVERIFY(isInView(studio));
        press(studio, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(studio.window.canvas()
                    .mapToScene(studio.window.canvas().viewport()->rect())
                    .boundingRect()
                    .intersects(studio.window.scene().nodesRect(false)));
        press(studio, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(isInView(studio));
    }
};

static const AreaOf<CommentsTest> commentsTestArea("comments");

} // namespace unroll::test

#include "comments_test.moc"
