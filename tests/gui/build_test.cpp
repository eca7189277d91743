// SPDX-License-Identifier: GPL-3.0-or-later
// A character LSTM made from an empty canvas: once with the mouse, once without it.
#include "tests/gui/area.h"
#include "tests/gui/building.h"

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
        QTRY_COMPARE_WITH_TIMEOUT(studio.window.controller().state(), RunState::Finished, 60000);
        QCOMPARE(studio.window.controller().snapshot()->step, std::int64_t{50});
        studio.window.arrange("train");
        QTRY_VERIFY(!studio.window.state().isEmpty()); // the lstm was selected: its state has been watched

        const Graph built = studio.graph();
        while (studio.window.document().history().canUndo())
            studio.key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(studio.graph().nodes.empty());
        while (studio.window.document().history().canRedo())
            studio.key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(studio.graph() == built);
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
        start.press(Qt::Key_Up, Qt::ControlModifier);
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

static const AreaOf<BuildTest> area("build");

} // namespace unroll::test

#include "build_test.moc"
