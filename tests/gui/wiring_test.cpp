// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"
#include "tests/gui/drawn_wire.h"
#include "tests/gui/fixture.h"

#include <QSignalSpy>

namespace unroll::test {

/// Wires by hand: on text -> embedding -> lstm -> head, with a second LSTM, lstm_2, below the first.
class WiringTest : public QObject {
    Q_OBJECT

    struct Bench : Studio {
        Bench()
        {
            window.document().apply(edits::removeAndHeal(id("lstm_2")));
            BlockAdder(window.scene()).add("lstm", {560, 320});
            window.canvas().fitAll();
            (void)comes([this] { return window.document().checked()->nodes.size() == graph().nodes.size(); });
        }
        QPoint port(const std::string& node, const std::string& name, bool output)
        {
            return window.canvas().mapFromScene(window.scene().placeOf({{id(node), name}, output}));
        }
        QPoint input(const std::string& node, const std::string& name) { return port(node, name, false); }
        QPoint output(const std::string& node, const std::string& name) { return port(node, name, true); }
        const Wire* into(const std::string& node, const std::string& name)
        {
            return graph().wireInto({id(node), name});
        }
        bool joined(const std::string& from, const std::string& output, const std::string& to, const std::string& name)
        {
            const Wire* wire = into(to, name);
            return wire != nullptr && wire->from == PortRef{id(from), output};
        }
        void press(const QPoint& from, const QPoint& to)
        {
            QWidget* port = window.canvas().viewport();
            QTest::mousePress(port, Qt::LeftButton, {}, from);
            hover(from + (to - from) / 2);
            hover(to);
        }
        void hover(const QPoint& at)
        {
            QWidget* port = window.canvas().viewport();
            QMouseEvent move(QEvent::MouseMove, QPointF(at), port->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
            QApplication::sendEvent(port, &move);
        }
        void release(const QPoint& at) { QTest::mouseRelease(window.canvas().viewport(), Qt::LeftButton, {}, at); }
        QString hint() { return window.canvas().hint().shownText(); }
    };

private Q_SLOTS:
    void drawnFromEitherEnd()
    {
        Bench studio;
        studio.drag(studio.output("embedding", "y"), studio.input("lstm_2", "x"));
        QVERIFY(studio.joined("embedding", "y", "lstm_2", "x"));
        QVERIFY(studio.joined("embedding", "y", "lstm", "x")); // an output feeds many
        studio.drag(studio.input("lstm_2", "state"), studio.output("lstm", "state"));
        QVERIFY(studio.joined("lstm", "state", "lstm_2", "state"));
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(studio.into("lstm_2", "state") == nullptr);
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(studio.into("lstm_2", "x") == nullptr);
    }

    void aNewWireReplaces()
    {
        Bench studio;
        studio.drag(studio.output("embedding", "y"), studio.input("head", "x"));
        QVERIFY(studio.joined("embedding", "y", "head", "x"));
        studio.key(Qt::Key_Z, Qt::ControlModifier); // one step
        QVERIFY(studio.joined("lstm", "y", "head", "x"));
    }

    void fittingPortsAreLitAndOthersDim()
    {
        Bench studio;
        studio.press(studio.output("lstm", "y"), QPoint(20, 20));
        const auto& lights = studio.item("lstm_2").lights();
        QVERIFY(lights.has_value());
        QCOMPARE(lights->inputs, (std::set<std::string>{"x"}));
        QVERIFY(lights->outputs.empty());
        QVERIFY(studio.item("embedding").lights()->inputs.empty()); // it feeds the lstm: a cycle
        QVERIFY(studio.item("lstm").lights()->held.has_value());
        QTest::keyClick(&studio.window.canvas(), Qt::Key_Escape);
        QVERIFY(!studio.item("lstm_2").lights());
        studio.release(QPoint(20, 20));
        QVERIFY(!studio.window.document().history().canRedo());
    }

    void refusedInWordsAtTheCursor()
    {
        Bench studio;
        const QPoint there = studio.input("lstm_2", "x");
        studio.press(studio.output("text", "tokens"), there);
        QCOMPARE(studio.hint(), QString("lstm_2.x expects a sequence; text.tokens gives tokens: insert Embedding"));
        studio.hover(there + QPoint(0, 60));
        QCOMPARE(studio.hint(), QString());
        studio.hover(there);
        studio.release(there);
        QVERIFY(studio.into("lstm_2", "x") == nullptr);
        QVERIFY(studio.hint().endsWith("insert Embedding")); // it stays, with the button
        const std::size_t nodes = studio.graph().nodes.size();
        QTest::mouseClick(&studio.window.canvas().hint().button(), Qt::LeftButton);
        QCOMPARE(studio.graph().nodes.size(), nodes + 1);
        QVERIFY(studio.joined("embedding_2", "y", "lstm_2", "x"));
        QVERIFY(studio.joined("text", "tokens", "embedding_2", "tokens"));
        studio.key(Qt::Key_Z, Qt::ControlModifier); // one step
        QCOMPARE(studio.graph().nodes.size(), nodes);
    }

    void theHintHidesNoNode()
    {
        Bench studio;
        studio.window.arrange("edit");
        QTRY_VERIFY(studio.window.panel<PalettePanel>().isVisible());
        QApplication::processEvents();
        const QPoint there = studio.input("lstm", "x");
        const auto hides = [&] {
            const QRect hint = studio.window.canvas().hint().geometry();
            bool any = hint.contains(there);
            for (const auto& [id, node] : studio.graph().nodes) {
                const NodeItem& item = *studio.window.scene().node(id);
                const QRectF body = item.mapRectToScene(item.geometry().body());
                any = any || studio.window.canvas().mapFromScene(body).boundingRect().intersects(hint);
            }
            return any;
        };
        studio.press(studio.output("text", "tokens"), there);
        QVERIFY(!studio.hint().isEmpty());
        QVERIFY(!hides());
        studio.release(there);
        QVERIFY(studio.window.canvas().hint().button().isVisible());
        QVERIFY(!hides());
    }

    void theWindowMayGoInTheMiddle()
    {
        Bench studio;
        studio.press(studio.input("head", "x"), QPoint(20, 20));
        QVERIFY(studio.item("lstm").lights().has_value());
    }

    /// A loop needs a delay; the wire can be had with one.
    void aCycleIsRefused()
    {
        Bench studio;
        studio.drag(studio.output("lstm", "y"), studio.input("lstm_2", "x"));
        const Graph before = studio.graph();
        studio.drag(studio.output("lstm_2", "y"), studio.input("lstm", "x"));
        QVERIFY(studio.graph() == before);
        QVERIFY2(studio.hint().contains("cycle"), qPrintable(studio.hint()));
        QCOMPARE(studio.window.canvas().hint().button().text(), QString("Insert Delay"));
        QTest::mouseClick(&studio.window.canvas().hint().button(), Qt::LeftButton);
        QVERIFY(studio.graph().findByName("delay") != nullptr);
        QVERIFY(studio.joined("delay", "y", "lstm", "x"));
    }

    void outputToOutputIsRefused()
    {
        Bench studio;
        studio.drag(studio.output("embedding", "y"), studio.output("lstm_2", "y"));
        QCOMPARE(studio.hint(), QString("a wire from an output must end at an input"));
    }

    void draggedOffAnInputIsPickedUp()
    {
        Bench studio;
        const QPoint head = studio.input("head", "x");
        studio.press(head, head + QPoint(60, 80));
        QVERIFY(!studio.window.scene().wire(*studio.into("head", "x"))->isVisible());
        studio.hover(head);
        studio.release(head); // put back where it was
        QVERIFY(studio.joined("lstm", "y", "head", "x"));
        QVERIFY(studio.window.scene().wire(*studio.into("head", "x"))->isVisible());
        studio.drag(head, studio.input("lstm_2", "x"));
        QVERIFY(studio.into("head", "x") == nullptr);
        QVERIFY(studio.joined("lstm", "y", "lstm_2", "x"));
        studio.key(Qt::Key_Z, Qt::ControlModifier); // one step
        QVERIFY(studio.joined("lstm", "y", "head", "x"));
        studio.drag(studio.input("head", "x"), QPoint(15, 15)); // off, onto nothing
        QVERIFY(studio.into("head", "x") == nullptr);
    }

    void releasedOnABodyTheFirstFittingPortTakesIt()
    {
        Bench studio;
        studio.drag(studio.output("lstm", "y"), studio.headerOf("lstm_2"));
        QVERIFY(studio.joined("lstm", "y", "lstm_2", "x"));
        const Graph before = studio.graph();
        studio.drag(studio.output("lstm", "y"), studio.headerOf("text")); // nothing there fits
        QVERIFY(studio.graph() == before);
    }

    void altClickBreaks()
    {
        Bench studio;
        QWidget* port = studio.window.canvas().viewport();
        const std::size_t wires = studio.graph().wires.size();
        QTest::mouseClick(port, Qt::LeftButton, Qt::AltModifier, studio.input("head", "x"));
        QVERIFY(studio.into("head", "x") == nullptr);
        const QPoint middle = (studio.output("embedding", "y") + studio.input("lstm", "x")) / 2;
        QTest::mouseClick(port, Qt::LeftButton, Qt::AltModifier, middle);
        QVERIFY(studio.into("lstm", "x") == nullptr);
        QCOMPARE(studio.graph().wires.size(), wires - 2);
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(studio.graph().wires.size(), wires);
    }

    void aNodeDroppedOnAWireGoesIntoIt()
    {
        Bench studio;
        const QPoint middle = (studio.output("lstm", "y") + studio.input("head", "x")) / 2;
        const QPoint grip = studio.headerOf("lstm_2");
        QVERIFY(!isDrawnLit(*studio.window.scene().wire(*studio.into("head", "x")), studio.appearance));
        const QRect body =
            studio.window.canvas()
                .mapFromScene(studio.item("lstm_2").mapRectToScene(studio.item("lstm_2").geometry().body()))
                .boundingRect();
        const QPoint there = grip + (middle - body.center());
        studio.press(grip, there);
        QVERIFY(isDrawnLit(*studio.window.scene().wire(*studio.into("head", "x")), studio.appearance));
        studio.release(there);
        QVERIFY(studio.joined("lstm", "y", "lstm_2", "x"));
        QVERIFY(studio.joined("lstm_2", "y", "head", "x"));
        studio.key(Qt::Key_Z, Qt::ControlModifier); // move and insertion are one step
        QVERIFY(studio.joined("lstm", "y", "head", "x"));
        QVERIFY(studio.into("lstm_2", "x") == nullptr);
    }

    void onEmptyCanvasABlockIsAskedFor()
    {
        Bench studio;
        QSignalSpy asked(&studio.window.canvas(), &GraphView::blockAsked);
        studio.drag(studio.output("lstm", "y"), QPoint(20, 20));
        QCOMPARE(asked.size(), 1);
        const auto end = asked[0][1].value<std::optional<WireEnd>>();
        QVERIFY(end && end->isOutput && end->port == (PortRef{studio.id("lstm"), "y"}));
        QTest::mouseDClick(studio.window.canvas().viewport(), Qt::LeftButton, {}, QPoint(20, 20));
        studio.window.canvas().setFocus();
        QTest::keyClick(&studio.window.canvas(), Qt::Key_Tab);
        QCOMPARE(asked.size(), 3);
    }

    void aBlockForAnEndStandsWithItsPortThere()
    {
        Bench studio;
        const WireEnd to{{studio.id("lstm_2"), "x"}, false};
        BlockAdder(studio.window.scene()).add("embedding", {200, 500}, to);
        QVERIFY(studio.joined("embedding_2", "y", "lstm_2", "x"));
        QCOMPARE(studio.window.scene().placeOf({{studio.id("embedding_2"), "y"}, true}), QPointF(200, 500));
        const WireEnd from{{studio.id("lstm"), "y"}, true};
        BlockAdder(studio.window.scene()).add("layer_norm", {700, 300}, from);
        QVERIFY(studio.joined("lstm", "y", "layer_norm", "x"));
        QCOMPARE(studio.window.scene().placeOf({{studio.id("layer_norm"), "x"}, false}), QPointF(700, 300));
        QCOMPARE(studio.window.scene().selection(), std::set<NodeId>{studio.id("layer_norm")});
        studio.key(Qt::Key_Z, Qt::ControlModifier); // one step
        QVERIFY(studio.graph().findByName("layer_norm") == nullptr);
    }
};

static const AreaOf<WiringTest> wiringTestArea("wiring");

} // namespace unroll::test

#include "wiring_test.moc"
