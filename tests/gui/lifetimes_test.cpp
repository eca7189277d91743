// SPDX-License-Identifier: GPL-3.0-or-later
// What is in progress when something it leans on goes: nothing crashes, nothing is edited by chance, nothing that was
// typed is lost.
#include "app/studio/palette/palette_popup.h"
#include "app/studio/start/spotlight.h"
#include "tests/gui/area.h"
#include "tests/gui/desk.h"
#include "tests/gui/editing.h"

#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <memory>

namespace unroll::test {

namespace {

/// A hand on the canvas that can stop half way.
struct Hand : Studio {
    QWidget* port() { return window.canvas().viewport(); }
    QPoint place(const std::string& node, const std::string& name, bool output)
    {
        return window.canvas().mapFromScene(window.scene().placeOf({{id(node), name}, output}));
    }
    void grab(const QPoint& at)
    {
        QTest::mousePress(port(), Qt::LeftButton, {}, at);
        move(at + QPoint(40, 30));
    }
    void move(const QPoint& at, Qt::MouseButtons held = Qt::LeftButton)
    {
        QMouseEvent event(QEvent::MouseMove, QPointF(at), port()->mapToGlobal(at), Qt::NoButton, held, {});
        QApplication::sendEvent(port(), &event);
    }
    void release(const QPoint& at) { QTest::mouseRelease(port(), Qt::LeftButton, {}, at); }
    QPointF placeShown(const std::string& name) { return item(name).pos(); }
    /// The canvas shows the nodes where the document has them, unlit.
    bool isAtRest()
    {
        for (const NodeItem* node : window.scene().nodeItems())
            if (node->pos() != pointAt(node->id()) || node->lights())
                return false;
        return true;
    }
    QPointF pointAt(NodeId id)
    {
        const Place& place = window.scene().shown().find(id)->place;
        return {place.x, place.y};
    }
};

/// Types into the name of the selected node, and leaves it at that.
void typeAName(Studio& studio, const QString& name)
{
    choose(studio, {"lstm"});
    studio.key(Qt::Key_F2);
    QTest::keyClicks(QApplication::focusWidget(), name);
    QVERIFY(studio.graph().findByName(name.toStdString()) == nullptr);
}

} // namespace

class LifetimesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void leavingAGroupLetsGoOfItsNodes()
    {
        Hand hand;
        makeGroup(hand, {"lstm", "lstm_2"}, "stack");
        hand.window.scene().enter(hand.id("stack"));
        const Graph before = hand.graph();
        const NodeId inner = hand.window.scene().nodeItems().front()->id();
        const QPoint at = hand.window.canvas().mapFromScene(hand.pointAt(inner) + QPointF(30, 15));
        hand.grab(at);
        QVERIFY(!hand.isAtRest());
        QTest::keyClick(&hand.window.canvas(), Qt::Key_PageUp);
        QVERIFY(hand.window.scene().path().empty());
        hand.move(at + QPoint(120, 90));
        hand.release(at + QPoint(120, 90));
        QVERIFY(hand.graph() == before);
        QVERIFY(hand.isAtRest());
    }

    void leavingAGroupLetsGoOfItsWires()
    {
        Hand hand;
        makeGroup(hand, {"lstm", "lstm_2"}, "stack");
        hand.window.scene().enter(hand.id("stack"));
        const Graph before = hand.graph();
        const Graph* inside = before.findByName("stack")->group->graph.get();
        const WireEnd end{{inside->findByName("lstm")->id, "y"}, true};
        hand.grab(hand.window.canvas().mapFromScene(hand.window.scene().placeOf(end)));
        QTest::keyClick(&hand.window.canvas(), Qt::Key_PageUp);
        hand.release(hand.place("head", "x", false));
        QVERIFY(hand.graph() == before);
        QCOMPARE(hand.window.messages().shownText(), QString());
        QVERIFY(!hand.window.findChild<PalettePopup*>()->isOpen());
        QVERIFY(hand.isAtRest());
    }

    void whatIsUndoneUnderTheHandIsGone()
    {
        Hand hand;
        BlockAdder(hand.window.scene()).add("lstm", {560, 320});
        hand.window.canvas().fitAll();
        const std::string name = "lstm_3";
        QVERIFY(hand.graph().findByName(name) != nullptr);
        hand.grab(hand.place(name, "y", true)); // a wire
        hand.key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(hand.graph().findByName(name) == nullptr);
        const Graph before = hand.graph();
        hand.move(hand.place("head", "x", false));
        QVERIFY(hand.isAtRest());
        hand.release(hand.place("head", "x", false));
        QVERIFY(hand.graph() == before);
        QCOMPARE(hand.window.messages().shownText(), QString());

        hand.key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        const QPoint head = hand.headerOf(name);
        hand.grab(head); // the node itself
        hand.key(Qt::Key_Z, Qt::ControlModifier);
        hand.move(head + QPoint(90, 90));
        hand.release(head + QPoint(90, 90));
        QVERIFY(hand.graph() == before);
        QVERIFY(hand.isAtRest());
    }

    /// A dialog that comes up under the hand takes the release.
    void aLostReleaseDoesNotStick()
    {
        Hand hand;
        const Graph before = hand.graph();
        const QPoint head = hand.headerOf("lstm");
        hand.grab(head);
        QVERIFY(!hand.isAtRest());
        hand.move(head + QPoint(200, 100), Qt::NoButton);
        QVERIFY(hand.isAtRest());
        QVERIFY(hand.graph() == before);
        hand.drag(hand.headerOf("lstm"), hand.headerOf("lstm") + QPoint(60, 0)); // and the next one does
        QVERIFY(placeOf(hand.graph(), "lstm") != placeOf(before, "lstm"));

        const Graph moved = hand.graph();
        hand.grab(hand.headerOf("lstm"));
        QTest::mousePress(hand.port(), Qt::LeftButton, {}, hand.headerOf("head")); // the same button again
        hand.release(hand.headerOf("head"));
        QVERIFY(hand.graph() == moved);
        QCOMPARE(namesOf(hand.graph(), hand.window.scene().selection()), std::set<std::string>{"head"});
    }

    void thePaletteGoesWithTheGraphItWasAskedFor()
    {
        Hand hand;
        hand.drag(hand.place("lstm", "y", true), QPoint(30, 30)); // on nothing: a block for this wire
        QVERIFY(hand.window.findChild<PalettePopup*>()->isOpen());
        hand.window.document().apply(edits::removeNodes({hand.id("lstm")}));
        QVERIFY(!hand.window.findChild<PalettePopup*>()->isOpen());
    }

    void aNameHalfTypedIsSaved()
    {
        Studio studio;
        const QString path = studio.folder.filePath("mine.unroll");
        QVERIFY(studio.window.document().save(path).has_value());
        typeAName(studio, "memory");
        const QPointer<QWidget> field = QApplication::focusWidget();
        studio.key(Qt::Key_S, Qt::ControlModifier);
        QVERIFY(loadExperiment(path.toStdString())->graph.findByName("memory") != nullptr);
        QVERIFY(!studio.window.isWindowModified());
        QCOMPARE(QApplication::focusWidget(), field.data()); // and one types on
        QTest::keyClick(field, Qt::Key_Escape);
    }

    void aNameHalfTypedIsAskedAbout()
    {
        Studio studio;
        QVERIFY(studio.window.document().save(studio.folder.filePath("mine.unroll")).has_value());
        typeAName(studio, "memory");
        Answering cancel(QMessageBox::Cancel);
        studio.key(Qt::Key_W, Qt::ControlModifier);
        QCOMPARE(cancel.asked, 1);
        QVERIFY(studio.window.isVisible());
        QVERIFY(studio.graph().findByName("memory") != nullptr);
    }

    void aDeviceHalfTypedIsTrainedOn()
    {
        Studio studio;
        auto* device = studio.window.runBar().findChild<QComboBox*>();
        QVERIFY(studio.window.document().training().device != "cpu");
        device->setFocus();
        device->lineEdit()->selectAll();
        QTest::keyClicks(device, "cpu");
        studio.key(Qt::Key_F5);
        QCOMPARE(studio.script->started.size(), std::size_t{1});
        QCOMPARE(studio.script->started.front().training.device, std::string("cpu"));
    }

    void aPanelThatGoesTakesNoName()
    {
        Studio studio;
        typeAName(studio, "memory");
        studio.window.panels().dock("inspector").close();
        QVERIFY(studio.graph().findByName("memory") != nullptr);
        studio.window.panels().dock("inspector").setFloating(true);
        studio.window.panels().dock("inspector").show();
        QTRY_VERIFY(studio.window.panels().dock("inspector").isVisible());
    }

    /// The outline around a part is the window's: it does not follow a panel out of it.
    void aSpotlightStaysInItsWindow()
    {
        Studio studio;
        QTest::failOnWarning(QRegularExpression("mapTo"));
        Spotlight spotlight(studio.appearance);
        Dock& dock = studio.window.panels().dock("inspector");
        spotlight.pointAt(*dock.widget());
        QVERIFY(spotlight.frame()->isVisible());
        dock.setFloating(true);
        dock.resize(500, 400);
        QTRY_VERIFY(spotlight.frame() == nullptr || !spotlight.frame()->isVisible());
    }

    void aWindowMayGoAtAnyMoment_data()
    {
        QTest::addColumn<int>("moment");
        for (std::size_t i = 0; i < moments().size(); ++i)
            QTest::newRow(moments()[i].name) << static_cast<int>(i);
    }
    /// Closed where nobody asks, and simply ended where somebody does.
    void aWindowMayGoAtAnyMoment()
    {
        QFETCH(int, moment);
        Studio studio;
        for (const bool closes : {true, false}) {
            QPointer<MainWindow> window = new MainWindow(studio.context);
            window->setAttribute(Qt::WA_DeleteOnClose);
            window->show();
            window->files().openDefault();
            window->activateWindow();
            QVERIFY(QTest::qWaitForWindowActive(window));
            QTRY_VERIFY(!window->document().checked()->order.empty());
            moments()[static_cast<std::size_t>(moment)].come(*window);
            Answering discard(QMessageBox::Discard);
            if (closes)
                window->close();
            else
                delete window;
            QTRY_VERIFY(window.isNull());
            QVERIFY(QApplication::activePopupWidget() == nullptr);
            QTest::mouseRelease(studio.window.canvas().viewport(), Qt::LeftButton); // what it held
        }
        studio.script->released = true;
        QCOMPARE(otherWindows(studio.window).size(), 0);
    }

    /// One window asks about its changes; meanwhile the one that the wish to quit came from has saved its run, and
    /// goes.
    void quittingOutlivesTheWindowItWasAskedIn()
    {
        Studio studio;
        studio.script->slowToStop = true;
        QPointer<MainWindow> asker = new MainWindow(studio.context);
        asker->setAttribute(Qt::WA_DeleteOnClose);
        asker->show();
        asker->files().openDefault();
        QTRY_VERIFY(asker->document().checked()->runnable());
        asker->actions().run->trigger();
        QTRY_VERIFY(asker->controller().isUnderWay());
        setUnits(studio.window, 40);
        asker->close(); // it waits for its run
        QVERIFY(!asker.isNull() && asker->isVisible());
        Answering cancel([&](QMessageBox& box) -> QAbstractButton* {
            studio.script->released = true;
            return asker.isNull() ? box.button(QMessageBox::Cancel) : nullptr;
        });
        asker->actions().quit->trigger();
        QTRY_VERIFY(asker.isNull());
        QVERIFY(studio.window.isVisible()); // it stayed, with its changes
        QCOMPARE(unitsOf(studio.graph()), std::int64_t{40});
    }

private:
    struct Moment {
        const char* name;
        void (*come)(MainWindow& window);
    };

    static QPoint headOf(MainWindow& window, const std::string& name)
    {
        const NodeId id = window.document().graph().findByName(name)->id;
        return window.canvas().mapFromScene(window.scene().node(id)->mapToScene(30, 15));
    }
    static void hold(MainWindow& window, const QPoint& at)
    {
        QWidget* port = window.canvas().viewport();
        QTest::mousePress(port, Qt::LeftButton, {}, at);
        QTest::mouseMove(port, at + QPoint(30, 20));
    }
    static void selectNode(MainWindow& window)
    {
        QTest::mouseClick(window.canvas().viewport(), Qt::LeftButton, {}, headOf(window, "lstm"));
        window.canvas().setFocus();
    }

    static const std::vector<Moment>& moments()
    {
        static const std::vector<Moment> all{
            {"a node in the hand", [](MainWindow& w) { hold(w, headOf(w, "lstm")); }},
            {"a box",
             [](MainWindow& w) {
                 hold(w, {6, 6});
             }},
            {"a palette open", [](MainWindow& w) { w.canvas().askForBlockHere(); }},
            {"a menu open", [](MainWindow& w) { w.canvas().menuAsked(headOf(w, "lstm")); }},
            {"the wires' menu open",
             [](MainWindow& w) {
                 selectNode(w);
                 w.actions().connectNode->trigger();
             }},
            {"a name half typed",
             [](MainWindow& w) {
                 selectNode(w);
                 w.actions().rename->trigger();
                 QTest::keyClicks(w.focusWidget(), "half");
             }},
            {"a number half typed",
             [](MainWindow& w) {
                 selectNode(w);
                 auto* units = w.panel<InspectorPanel>().page()->form().editor("units")->findChild<QAbstractSpinBox*>();
                 units->setFocus();
                 QTest::keyClicks(units, "1");
             }},
            {"a check under way", [](MainWindow& w) { setUnits(w, 77); }},
            {"a run beginning", [](MainWindow& w) { w.actions().run->trigger(); }},
            {"a question unanswered",
             [](MainWindow& w) {
                 w.actions().run->trigger();
                 setUnits(w, 48);
                 QTRY_VERIFY(w.document().checked()->runnable());
                 w.actions().run->trigger();
             }},
            {"another run to follow",
             [](MainWindow& w) {
                 w.actions().run->trigger();
                 w.actions().restart->trigger();
             }},
            {"a name half typed outside of the window",
             [](MainWindow& w) {
                 selectNode(w);
                 w.panels().dock("inspector").setFloating(true);
                 w.panels().dock("inspector").activateWindow();
                 QVERIFY(QTest::qWaitForWindowActive(&w.panels().dock("inspector")));
                 w.panel<InspectorPanel>().renameSelected();
                 QTest::keyClicks(w.panels().dock("inspector").focusWidget(), "half");
             }},
        };
        return all;
    }
};

static const AreaOf<LifetimesTest> lifetimesTestArea("lifetimes");

} // namespace unroll::test

#include "lifetimes_test.moc"
