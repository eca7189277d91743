// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/file_drops.h"
#include "tests/gui/area.h"
#include "tests/gui/desk.h"

namespace unroll::test {

using namespace std::chrono_literals;

class DropsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anExperimentIsDroppedIn()
    {
        Desk desk;
        QVERIFY(drop(desk.window, {desk.file}));
        QCOMPARE(desk.window.document().path(), desk.file); // nothing was done in the window
        QCOMPARE(otherWindows(desk.window).size(), 0);
        setUnits(desk.window, 33);
        const QString second = desk.place + "/second.UNROLL";
        QVERIFY(saveExperiment(tinyWith(48), second.toStdString()).has_value());
        QVERIFY(drop(desk.window, {desk.folder.filePath("nowhere.unroll"), second, desk.file}));
        QCOMPARE(unitsOf(desk.graph()), 33); // its changes keep the window
        const auto others = otherWindows(desk.window);
        QCOMPARE(others.size(), 1);
        QVERIFY(others.front()->isVisible());
        QCOMPARE(others.front()->document().path(), second);
        QVERIFY2(others.front()->messages().shownText().contains("Only second.UNROLL of the 3 files was used."),
                 qPrintable(others.front()->messages().shownText()));
        delete others.front();
        writeContent(second, "{\"unroll\": 1, ");
        QVERIFY(!drop(desk.window, {second}));
        QVERIFY(desk.window.messages().shownText().contains("second.UNROLL"));
        QCOMPARE(otherWindows(desk.window).size(), 0);
    }

    void aRunIsDroppedIn()
    {
        Desk desk;
        const QString run = desk.place + "/runs/mine-1";
        QVERIFY(QDir().mkpath(desk.place + "/runs"));
        QVERIFY(RunFolder::create(run.toStdString(), tinyWith(48), RunEnvironment{}).has_value());
        QVERIFY(!drop(desk.window, {desk.place})); // a folder, but no run
        QVERIFY(drop(desk.window, {run + "/"}));
        QCOMPARE(unitsOf(desk.graph()), 48);
        QVERIFY(desk.window.document().path().isEmpty()); // the run's own record is not what is saved to
        QVERIFY(!desk.window.isWindowModified());
        QVERIFY(desk.window.messages().shownText().contains("mine-1"));
    }

    void aTextIsDroppedIn()
    {
        Desk desk;
        const QString text = desk.place + "/Ten Tales.txt";
        writeContent(text, QByteArray("Once there was a fox and a hen. ").repeated(2000));
        QVERIFY(drop(desk.window, {text}));
        const auto fileOf = [&](const char* node) {
            const Params& params = desk.graph().findByName(node)->params;
            const auto found = params.find("file");
            return found == params.end() ? std::string() : std::get<std::string>(found->second);
        };
        QCOMPARE(fileOf("text"), text.toStdString());
        QCOMPARE(desk.window.messages().shownText(), QStringLiteral("text now reads Ten Tales.txt."));
        const QString other = desk.place + "/notes.md";
        writeContent(other, "Other words");
        QVERIFY(drop(desk.window, {other}));
        desk.window.document().undo(); // each drop is a step
        QCOMPARE(fileOf("text"), text.toStdString());
        desk.window.document().undo();
        QCOMPARE(fileOf("text"), std::string());
    }

    void whereNoOrManyTextsAreReadTheWindowSaysWhatToDo()
    {
        Desk desk;
        const QString text = desk.place + "/tales.txt";
        writeContent(text, "Once there was a fox.");
        Document& document = desk.window.document();
        QVERIFY(document.apply(edits::addNode(testing::makeNode(0, "text", "text"))));
        const Graph two = desk.graph();
        QVERIFY(!drop(desk.window, {text}));
        QVERIFY2(desk.window.messages().shownText().contains("Select one"),
                 qPrintable(desk.window.messages().shownText()));
        QCOMPARE(desk.graph(), two);
        QVERIFY(document.apply(edits::removeNodes({desk.id("text"), desk.id("text_2")})));
        QVERIFY(document.apply(edits::addNode(testing::makeNode(0, "copy", "copy"))));
        QVERIFY(!drop(desk.window, {text}));
        QVERIFY2(desk.window.messages().shownText().contains("Add a Text block"),
                 qPrintable(desk.window.messages().shownText()));
    }

    void whatIsNoFileIsNotTaken()
    {
        Desk desk;
        QMimeData block;
        block.setData("application/x-unroll-block", "lstm");
        QVERIFY(!FileDrops::accepts(block) && !desk.window.findChild<FileDrops*>()->handleDrop(block));
        QMimeData far;
        far.setUrls({QUrl("https://example.org/a.unroll")});
        QVERIFY(!FileDrops::accepts(far));
    }
};

static const AreaOf<DropsTest> dropsTestArea("drops");

} // namespace unroll::test

#include "drops_test.moc"
