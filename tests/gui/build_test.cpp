// SPDX-License-Identifier: GPL-3.0-or-later
// A character LSTM made from an empty canvas: once with the mouse, once without it.
#include "tests/gui/area.h"
#include "tests/gui/building.h"
#include "tests/gui/editing.h"

#include <algorithm>

namespace unroll::test {

class BuildTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void byMouse()
    {
        EmptyCanvas start;
        Studio& studio = start.studio;
        start.buildByMouse();
        QCOMPARE(studio.graph().findByName("head")->place, (Place{300, 100}));
        QVERIFY(start.isWhole());
        QTRY_VERIFY(start.isRunnable());
        QVERIFY(studio.window.problems().all().empty());

        start.typeUnits("24");
        QCOMPARE(studio.graph().findByName("lstm")->params.at("units"), ParamValue(std::int64_t{24}));
        QVERIFY(studio.window.document().setTraining("steps", std::int64_t{50}));
        QTRY_VERIFY(start.isRunnable());

        QTest::mouseClick(studio.window.runBar().findChild<QToolButton*>("primary"), Qt::LeftButton);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Finished);
        QCOMPARE(studio.window.controller().snapshot()->step, std::int64_t{50});
        studio.window.arrange("train");
        QTRY_VERIFY(!studio.window.panel<StatePanel>().isEmpty()); // the lstm was selected: its state has been watched

        const Graph built = studio.graph();
        while (studio.window.document().history().canUndo())
            studio.key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(studio.graph().nodes.empty());
        while (studio.window.document().history().canRedo())
            studio.key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(studio.graph() == built);
    }

    /// The head reads with the embedding's table: its ports are there once they are asked for, and a wire between them
    /// ties the two.
    void aTiedHead()
    {
        Studio studio;
        const auto set = [&](const char* node, const char* param, ParamValue value) {
            return studio.window.document().apply(edits::setParam(studio.id(node), param, std::move(value)));
        };
        const auto has = [&](const char* node, bool output) {
            const NodeFace& face = studio.item(node).face();
            const auto& ports = output ? face.outputs : face.inputs;
            return std::any_of(ports.begin(), ports.end(), [](const PortFace& port) { return port.name == "table"; });
        };
        const auto place = [&](const char* node, bool output) {
            const WireEnd end{{studio.id(node), "table"}, output};
            return studio.window.canvas().mapFromScene(studio.window.scene().placeOf(end));
        };
        const ParamValue units = studio.graph().findByName("lstm")->params.at("units");
        QVERIFY(set("embedding", "width", units));
        QVERIFY(!has("embedding", true) && !has("head", false));
        QVERIFY(set("embedding", "share_table", true));
        QTRY_VERIFY(has("embedding", true));
        QVERIFY(set("head", "readout", std::string("tied")));
        QTRY_VERIFY(has("head", false));
        QTRY_COMPARE(studio.window.problems().all().size(), std::size_t{1}); // it must be wired

        studio.drag(place("embedding", true), place("head", false));
        QVERIFY(isWired(studio.graph(), "embedding", "table", "head", "table"));
        QTRY_VERIFY(studio.window.problems().all().empty());

        QVERIFY(set("embedding", "share_table", false));
        QTRY_COMPARE(studio.window.problems().all().size(), std::size_t{1});
        QVERIFY(has("embedding", true)); // its wire still ends there
        viewEqualsDocument(studio);
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY(studio.window.problems().all().empty());
    }

    void byKeyboard()
    {
        EmptyCanvas start;
        Studio& studio = start.studio;
        studio.window.canvas().setFocus();
        start.add("text");
        start.add("emb");
        QVERIFY(start.choose("tokens from", "text.tokens"));
        start.add("lstm");
        QVERIFY(start.choose("x from", "embedding.y"));
        start.add("head");
        QVERIFY(start.choose("x from", "lstm.y"));
        QVERIFY(start.choose("targets from", "text.targets"));
        QVERIFY(start.isWhole());
        QTRY_VERIFY(start.isRunnable());

        // Back to the lstm, out to its own place, and to its name.
        const auto selected = [&studio] { return studio.window.scene().selection(); };
        start.press(Qt::Key_Left, Qt::ControlModifier);
        QCOMPARE(selected(), std::set<NodeId>{studio.id("lstm")});
        const double x = studio.graph().findByName("lstm")->place.x;
        for (int i = 0; i < 3; ++i)
            start.press(Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(studio.graph().findByName("lstm")->place.x, x + 300);
        start.press(Qt::Key_F2);
        QTest::keyClicks(QApplication::focusWidget(), "memory");
        start.press(Qt::Key_Return);
        QVERIFY(studio.graph().findByName("memory") != nullptr);

        // A wire goes by the same menu, and comes back.
        studio.window.canvas().setFocus();
        QVERIFY(start.choose("x from", "embedding.y"));
        QVERIFY(studio.graph().wireInto({studio.id("memory"), "x"}) == nullptr);
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(start.isWired("embedding", "y", "memory", "x"));
    }
};

static const AreaOf<BuildTest> buildTestArea("build");

} // namespace unroll::test

#include "build_test.moc"
