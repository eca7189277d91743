// SPDX-License-Identifier: GPL-3.0-or-later
// A character LSTM made from an empty canvas: once with the mouse, once without it.
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QLineEdit>
#include <QMenu>

namespace unroll::test {

namespace {

struct Start {
    BlockRegistry registry = allSpecs();
    Studio studio{sessionRuns(registry, allBuilders())};

    Start()
    {
        Experiment empty;
        empty.training.evaluateEvery = 0;
        empty.training.evaluateBatches = 1;
        empty.training.evaluateWhole = false;
        empty.training.sampleEvery = 0;
        empty.training.threads = 1;
        studio.window.arrange("edit");
        studio.window.document().replace(std::move(empty), {});
        QApplication::processEvents();
        studio.window.canvas().zoomBy(0.6 / studio.window.canvas().zoom());
        studio.window.canvas().centerOn(0, 0);
    }

    bool isWired(const std::string& from, const std::string& output, const std::string& to, const std::string& input)
    {
        const Wire* wire = studio.graph().wireInto({studio.id(to), input});
        return wire != nullptr && wire->from == PortRef{studio.id(from), output};
    }
    bool isWhole()
    {
        return isWired("text", "tokens", "embedding", "tokens") && isWired("embedding", "y", "lstm", "x") &&
               isWired("lstm", "y", "head", "x") && isWired("text", "targets", "head", "targets");
    }
    bool isRunnable()
    {
        const auto& checked = studio.window.document().checked();
        return checked->order.size() == 4 && checked->runnable();
    }

    // The mouse
    void clickInPanel(const std::string& block)
    {
        BlockList& list = studio.window.palettePanel().picker().list();
        const QModelIndex row = list.model()->index(list.blocks().rowOf(*studio.registry.find(block)), 0);
        list.scrollTo(row);
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(row).center());
    }
    QPoint port(const std::string& node, const std::string& name, bool output)
    {
        return studio.window.canvas().mapFromScene(studio.window.scene().placeOf({{studio.id(node), name}, output}));
    }
    void dragTo(const std::string& node, const QPointF& corner)
    {
        const QPoint from = studio.headerOf(node);
        const QPointF way = corner - studio.item(node).pos();
        studio.drag(from, from + (way * studio.window.canvas().zoom()).toPoint());
    }
    void wire(const std::string& from, const std::string& output, const std::string& to, const std::string& input)
    {
        studio.drag(port(from, output, true), port(to, input, false));
    }

    // The keyboard
    void press(int key, Qt::KeyboardModifiers keys = {})
    {
        QWidget* target = QApplication::activePopupWidget();
        if (target == nullptr) {
            studio.window.activateWindow(); // after a menu no window is active on this platform
            (void)QTest::qWaitForWindowActive(&studio.window);
            target = studio.window.focusWidget();
        }
        QTest::keyClick(target, static_cast<Qt::Key>(key), keys);
    }
    void add(const QString& words)
    {
        press(Qt::Key_Tab);
        QTest::keyClicks(QApplication::focusWidget(), words);
        press(Qt::Key_Return);
    }
    /// Opens the wires of the selected node and goes down to the entry.
    bool choose(const QString& port, const QString& partner)
    {
        press(Qt::Key_W);
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (menu == nullptr || !goTo(menu, port))
            return false;
        press(Qt::Key_Right);
        auto* entries = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (entries == nullptr || entries == menu || !goTo(entries, partner))
            return false;
        press(Qt::Key_Return);
        return true;
    }
    bool goTo(QMenu* menu, const QString& words)
    {
        for (int i = 0; i < 20; ++i) {
            if (menu->activeAction() != nullptr && menu->activeAction()->text().startsWith(words))
                return true;
            press(Qt::Key_Down);
        }
        return false;
    }
};

} // namespace

class BuildTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void byMouse()
    {
        Start start;
        Studio& studio = start.studio;
        for (const char* block : {"text", "embedding", "lstm", "head"})
            start.clickInPanel(block);
        QCOMPARE(studio.graph().nodes.size(), std::size_t{4});
        start.dragTo("text", {-480, 100});
        start.dragTo("embedding", {-220, -60});
        start.dragTo("lstm", {40, -60});
        start.dragTo("head", {300, 100});
        QCOMPARE(studio.graph().findByName("head")->place, (Place{300, 100}));
        start.wire("text", "tokens", "embedding", "tokens");
        start.wire("embedding", "y", "lstm", "x");
        studio.drag(start.port("head", "x", false), start.port("lstm", "y", true)); // from the other end
        start.wire("text", "targets", "head", "targets");
        QVERIFY(start.isWhole());
        QTRY_VERIFY(start.isRunnable());
        QVERIFY(studio.window.problems().all().empty());

        QTest::mouseClick(studio.window.canvas().viewport(), Qt::LeftButton, {}, studio.headerOf("lstm"));
        auto* units = studio.window.inspector().page()->form().editor("units")->findChild<QAbstractSpinBox*>();
        units->selectAll();
        QTest::keyClicks(units, "24");
        QTest::keyClick(units, Qt::Key_Return);
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
        Start start;
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
