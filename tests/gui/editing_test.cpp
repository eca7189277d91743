// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"
#include "tests/gui/editing.h"
#include "tests/support/tiny_experiment.h"

#include <QClipboard>
#include <QMimeData>

namespace unroll::test {

namespace {

const QString mendable = QStringLiteral(R"({"unroll_nodes": 1, "inputs": [], "graph": {"nodes": [%1], "wires": []}})");

} // namespace

class EditingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pasteLandsAtTheCursor()
    {
        Studio studio;
        const Graph before = studio.graph();
        choose(studio, {"lstm", "lstm_2"});
        press(studio, Qt::Key_C, Qt::ControlModifier);
        QVERIFY(studio.graph() == before);
        const QPointF aim = aimAt(studio, {60, 40});
        press(studio, Qt::Key_V, Qt::ControlModifier);
        const Graph after = studio.graph();
        QCOMPARE(namesOf(after, studio.window.scene().selection()), (std::set<std::string>{"lstm_3", "lstm_4"}));
        QCOMPARE(placeOf(after, "lstm_3"), aim);
        QCOMPARE(placeOf(after, "lstm_4") - aim, placeOf(before, "lstm_2") - placeOf(before, "lstm"));
        QVERIFY(after.findByName("lstm_3")->params == before.findByName("lstm")->params);
        QVERIFY(isWired(after, "lstm_3", "y", "lstm_4", "x"));
        QCOMPARE(after.wires.size(), before.wires.size() + 1);
        isOneStep(studio, before);
        press(studio, Qt::Key_V, Qt::ControlModifier); // the cursor rests: the second copies stand beside the first
        QCOMPARE(placeOf(studio.graph(), "lstm_5"), aim + QPointF(30, 30));
        isOneStep(studio, after);
    }

    void aCursorElsewhereAimsAtTheMiddle()
    {
        Studio studio;
        GraphView& view = studio.window.canvas();
        choose(studio, {"head"});
        press(studio, Qt::Key_C, Qt::ControlModifier);
        aimAt(studio, {-30, -30});
        const QPointF middle = snapped(view.mapToScene(view.viewport()->rect().center()));
        press(studio, Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(placeOf(studio.graph(), "head_2"), middle);
    }

    void incomingWiresAreKeptWhenAsked()
    {
        Studio studio;
        choose(studio, {"lstm"});
        press(studio, Qt::Key_C, Qt::ControlModifier);
        aimAt(studio, {60, 40});
        const Graph before = studio.graph();
        press(studio, Qt::Key_V, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(isWired(studio.graph(), "embedding", "y", "lstm_3", "x"));
        QVERIFY(isWired(studio.graph(), "embedding", "y", "lstm", "x"));
        isOneStep(studio, before);
    }

    void cutAndPasteGiveTheNameBack()
    {
        Studio studio;
        const Graph before = studio.graph();
        choose(studio, {"lstm"});
        press(studio, Qt::Key_X, Qt::ControlModifier);
        QVERIFY(studio.graph().findByName("lstm") == nullptr);
        QCOMPARE(studio.window.document().history().undoName(), std::string("Cut"));
        isOneStep(studio, before);
        const Graph without = studio.graph();
        aimAt(studio, {60, 40});
        press(studio, Qt::Key_V, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(isWired(studio.graph(), "embedding", "y", "lstm", "x"));
        isOneStep(studio, without);
    }

    /// In the other window the source has the number that the copied node has here.
    void nodesGoToAnotherWindow()
    {
        Studio here, there;
        Experiment other = testing::tinyExperiment();
        const NodeId id = here.id("lstm");
        other.graph =
            testing::makeGraph({testing::makeNode(id, "embedding", "embedding", {{"width", std::int64_t{12}}})}, {});
        there.window.document().replace(other, {});
        choose(here, {"lstm"});
        press(here, Qt::Key_C, Qt::ControlModifier);
        const Graph untouched = here.graph(), before = there.graph();
        const QPointF aim = aimAt(there, {200, 40});
        press(there, Qt::Key_V, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(placeOf(there.graph(), "lstm"), aim);
        QVERIFY(there.graph().findByName("lstm")->params == here.graph().findByName("lstm")->params);
        QVERIFY(isWired(there.graph(), "embedding", "y", "lstm", "x"));
        QVERIFY(here.graph() == untouched);
        isOneStep(there, before);
    }

    void theClipboardHoldsText()
    {
        Studio studio;
        choose(studio, {"embedding", "lstm"});
        press(studio, Qt::Key_C, Qt::ControlModifier);
        const QMimeData* data = QGuiApplication::clipboard()->mimeData();
        QVERIFY(data->hasFormat("application/x-unroll-graph"));
        const QString text = data->text();
        QVERIFY(text.contains("\"embedding.y -> lstm.x\""));
        QGuiApplication::clipboard()->setText(text); // as it comes back from a mail
        press(studio, Qt::Key_V, Qt::ControlModifier);
        QVERIFY(isWired(studio.graph(), "embedding_2", "y", "lstm_3", "x"));
    }

    void foreignTextPastesNothing_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("words");
        const QString none = "contains no nodes", damaged = "cannot be pasted";
        QTest::newRow("nothing") << QString() << none;
        QTest::newRow("words") << "The raven spoke." << none;
        QTest::newRow("other JSON") << "[1, 2]" << none;
        QTest::newRow("half") << mendable.left(40) << none;
        QTest::newRow("empty") << mendable.arg("") << none;
        QTest::newRow("newer") << QString(mendable.arg("")).replace("1,", "7,") << "another version";
        QTest::newRow("no graph") << "{\"unroll_nodes\": 1, \"inputs\": []}" << damaged;
        QTest::newRow("bad node") << mendable.arg("{\"id\": 1}") << damaged;
        QTest::newRow("bad wire")
            << QString(mendable.arg("{\"block\": \"lstm\"}")).replace("\"wires\": []", "\"wires\": [\"a.y -> lstm.x\"]")
            << damaged;
        QTest::newRow("bad input")
            << QString(mendable.arg("{\"block\": \"lstm\"}")).replace("\"inputs\": []", "\"inputs\": [3]") << damaged;
        QTest::newRow("far apart") << mendable.arg("{\"block\": \"lstm\", \"at\": [1e300, 0]}, "
                                                   "{\"block\": \"head\", \"at\": [-1e300, 0]}")
                                   << "too far apart";
        QTest::newRow("huge") << mendable.arg(QString(17 << 20, ' ')) << "16 MiB";
    }

    void foreignTextPastesNothing()
    {
        QFETCH(QString, text);
        QFETCH(QString, words);
        Studio studio;
        const Graph before = studio.graph();
        QGuiApplication::clipboard()->setText(text);
        press(studio, Qt::Key_V, Qt::ControlModifier);
        QVERIFY(studio.graph() == before);
        QVERIFY(!studio.window.document().history().canUndo());
        QVERIFY2(studio.window.messages().shownText().contains(words),
                 qPrintable(studio.window.messages().shownText()));
        QGuiApplication::clipboard()->setText(mendable.arg("{\"block\": \"lstm\"}"));
        press(studio, Qt::Key_V, Qt::ControlModifier); // the rows above fail for what they say and for nothing else
        QCOMPARE(studio.graph().nodes.size(), before.nodes.size() + 1);
    }

    void pasteGoesIntoTheGroupShown()
    {
        Studio studio;
        GraphScene& scene = studio.window.scene();
        makeGroup(studio, {"lstm_2"}, "body");
        choose(studio, {"lstm"});
        press(studio, Qt::Key_C, Qt::ControlModifier);
        const Graph before = studio.graph();
        scene.enter(studio.id("body"));
        aimAt(studio, {200, 200});
        press(studio, Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(scene.shown().nodes.size(), std::size_t{2});
        QCOMPARE(namesOf(scene.shown(), scene.selection()), (std::set<std::string>{"lstm"}));
        QVERIFY(*studio.graph().findByName("body")->group->graph == scene.shown());
        QCOMPARE(studio.graph().nodes.size(), before.nodes.size());
        isOneStep(studio, before);
        press(studio, Qt::Key_D, Qt::ControlModifier); // redone, nothing is selected
        QCOMPARE(scene.shown().nodes.size(), std::size_t{2});
        press(studio, Qt::Key_A, Qt::ControlModifier);
        press(studio, Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(scene.shown().nodes.size(), std::size_t{4});
    }

    void duplicateSelectsTheCopies()
    {
        Studio studio;
        GraphScene& scene = studio.window.scene();
        const Graph before = studio.graph();
        choose(studio, {"lstm", "lstm_2"});
        const auto originals = scene.selection();
        press(studio, Qt::Key_D, Qt::ControlModifier);
        const auto copies = scene.selection();
        QCOMPARE(namesOf(studio.graph(), copies), (std::set<std::string>{"lstm_3", "lstm_4"}));
        QCOMPARE(placeOf(studio.graph(), "lstm_3"), placeOf(before, "lstm") + QPointF(30, 30));
        QCOMPARE(studio.window.document().history().undoName(), std::string("Duplicate"));
        isOneStep(studio, before);
        scene.select(originals);
        press(studio, Qt::Key_D, Qt::ShiftModifier);
        QCOMPARE(placeOf(studio.graph(), "lstm_5"), placeOf(before, "lstm") + QPointF(60, 60)); // hides no other
    }

    void healingKeepsTheChainWired()
    {
        Studio studio;
        const Graph before = studio.graph();
        choose(studio, {"lstm", "lstm_2"});
        press(studio, Qt::Key_Delete, Qt::ControlModifier);
        QVERIFY(isWired(studio.graph(), "embedding", "y", "head", "x"));
        QCOMPARE(studio.graph().nodes.size(), before.nodes.size() - 2);
        isOneStep(studio, before);
        studio.window.document().undo();
        choose(studio, {"lstm"});
        press(studio, Qt::Key_Delete, Qt::NoModifier); // the plain key leaves a gap
        QVERIFY(!isWired(studio.graph(), "embedding", "y", "lstm_2", "x"));
    }

    /// The keys of the canvas are a text field's too.
    void fieldsKeepTheirKeys()
    {
        Studio studio;
        const Graph before = studio.graph();
        choose(studio, {"lstm"});
        QLineEdit& field = studio.window.panel<InspectorPanel>().page()->nameField();
        field.setFocus();
        QTRY_VERIFY(field.hasFocus());
        QTest::keyClick(&field, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(&field, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), QString("lstm"));
        QTest::keyClick(&field, 'D', Qt::ShiftModifier);
        QTest::keyClick(&field, Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(field.text(), QString("Dlstm"));
        QTest::keyClick(&field, Qt::Key_X, Qt::ControlModifier);
        QVERIFY(studio.graph() == before);
    }
};

static const AreaOf<EditingTest> editingTestArea("editing");

} // namespace unroll::test

#include "editing_test.moc"
