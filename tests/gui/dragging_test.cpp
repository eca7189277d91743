// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"
#include "tests/gui/editing.h"

#include <QDialog>
#include <QMenu>

namespace unroll::test {

/// Nodes under the hand: moved, chosen, let go of.
class DraggingTest : public QObject {
    Q_OBJECT

    /// Holds the node by its header away from its place; where the hand is, in the viewport.
    static QPoint dragAside(Studio& studio, const std::string& node)
    {
        studio.window.canvas().setFocus();
        QWidget* port = studio.window.canvas().viewport();
        const QPoint from = studio.headerOf(node);
        const QPoint to = from + QPoint(80, 80);
        QTest::mousePress(port, Qt::LeftButton, {}, from);
        QMouseEvent move(QEvent::MouseMove, QPointF(to), port->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(port, &move);
        const Place& place = studio.graph().findByName(node)->place;
        [&] { QVERIFY(studio.item(node).pos() != QPointF(place.x, place.y)); }();
        return to;
    }

private Q_SLOTS:
    void dragMovesBySnappedSteps()
    {
        Studio studio;
        const Place before = studio.graph().findByName("embedding")->place;
        const QPoint from = studio.headerOf("embedding");
        const double zoom = studio.window.canvas().zoom();
        studio.drag(from, from + QPoint(qRound(63 * zoom), qRound(-38 * zoom)));
        const Place after = studio.graph().findByName("embedding")->place;
        QCOMPARE(after.x, before.x + 60);
        QCOMPARE(after.y, before.y - 40);
        viewEqualsDocument(studio);
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(studio.graph().findByName("embedding")->place, before); // one drag, one step
        QVERIFY(!studio.window.document().history().canUndo());
        viewEqualsDocument(studio);
        studio.key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(studio.graph().findByName("embedding")->place, after);
        QCOMPARE(studio.window.isWindowModified(), true);
    }

    void escapeCancelsADrag()
    {
        Studio studio;
        const QPoint at = dragAside(studio, "head");
        QTest::keyClick(&studio.window.canvas(), Qt::Key_Escape);
        QTest::mouseRelease(studio.window.canvas().viewport(), Qt::LeftButton, {}, at);
        viewEqualsDocument(studio);
        QVERIFY(!studio.window.document().history().canUndo());
    }

    // Whatever comes up takes the release.
    void aDialogCancelsADrag()
    {
        Studio studio;
        (void)dragAside(studio, "head");
        QDialog dialog(&studio.window);
        dialog.setModal(true);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog));
        viewEqualsDocument(studio);
        dialog.reject();
        QVERIFY(!studio.window.document().history().canUndo());
    }

    void aMenuCancelsADrag()
    {
        Studio studio;
        (void)dragAside(studio, "head");
        QMenu menu;
        menu.addAction("one");
        menu.popup(studio.window.mapToGlobal(QPoint(5, 5)));
        QVERIFY(QTest::qWaitForWindowExposed(&menu));
        viewEqualsDocument(studio);
        menu.close();
        QVERIFY(!studio.window.document().history().canUndo());
    }

    void dragMovesTheWholeSelection()
    {
        Studio studio;
        QTest::mouseClick(studio.window.canvas().viewport(), Qt::LeftButton, {}, studio.headerOf("text"));
        QTest::mouseClick(studio.window.canvas().viewport(), Qt::LeftButton, Qt::ShiftModifier,
                          studio.headerOf("head"));
        QCOMPARE(studio.window.scene().selection(), (std::set<NodeId>{studio.id("text"), studio.id("head")}));
        const Place text = studio.graph().findByName("text")->place, head = studio.graph().findByName("head")->place;
        const QPoint from = studio.headerOf("text");
        studio.drag(from, from + QPoint(0, qRound(50 * studio.window.canvas().zoom())));
        QCOMPARE(studio.graph().findByName("text")->place.y, text.y + 50);
        QCOMPARE(studio.graph().findByName("head")->place.y, head.y + 50);
        QTest::mouseClick(studio.window.canvas().viewport(), Qt::LeftButton, Qt::ControlModifier,
                          studio.headerOf("text"));
        QCOMPARE(studio.window.scene().selection(), std::set<NodeId>{studio.id("head")});
    }

    void boxSelects()
    {
        Studio studio;
        const QRect nodes = studio.window.canvas().mapFromScene(studio.window.scene().nodesRect(false)).boundingRect();
        studio.drag(nodes.topLeft() - QPoint(15, 15), nodes.bottomRight() + QPoint(15, 15));
        QCOMPARE(studio.window.scene().selection().size(), studio.graph().nodes.size());
        const QRect first = studio.window.canvas().mapFromScene(studio.item("text").sceneBoundingRect()).boundingRect();
        studio.drag(nodes.topLeft() - QPoint(15, 15), QPoint(first.center().x(), first.bottom()), Qt::ControlModifier);
        QCOMPARE(studio.window.scene().selection().size(), studio.graph().nodes.size() - 1);
        QTest::mouseClick(studio.window.canvas().viewport(), Qt::LeftButton, {}, nodes.topLeft() - QPoint(15, 15));
        QVERIFY(studio.window.scene().selection().empty());
    }
};

static const AreaOf<DraggingTest> draggingTestArea("dragging");

} // namespace unroll::test

#include "dragging_test.moc"
