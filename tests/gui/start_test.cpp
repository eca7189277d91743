// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/gallery.h"
#include "tests/gui/area.h"
#include "tests/gui/start_desk.h"
#include "tests/gui/waiting.h"

#include <QClipboard>
#include <set>

namespace unroll::test {

namespace {

std::map<QString, QRect> visiblePanels(const MainWindow& window)
{
    std::map<QString, QRect> panels;
    for (const Dock* dock : window.panels().docks())
        if (!dock->isHidden())
            panels[dock->objectName()] = dock->visibleRegion().isEmpty() ? QRect() : dock->geometry();
    return panels;
}

/// Everything that can be chosen, in Tab's order from the first on.
std::vector<QWidget*> tabWalk(StartDesk& desk)
{
    std::vector<QWidget*> walked;
    desk.way("emptyCanvas").setFocus();
    for (int i = 0; i < 200 && (walked.empty() || QApplication::focusWidget() != walked.front()); ++i) {
        walked.push_back(QApplication::focusWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        if (!desk.page.isAncestorOf(QApplication::focusWidget()))
            break;
    }
    return walked;
}

} // namespace

class StartTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aWindowWithoutAFileBeginsWithIt()
    {
        Desk desk;
        MainWindow fresh(desk.context);
        fresh.startMode().show();
        fresh.show();
        QVERIFY(fresh.startMode().isShown());
        QVERIFY(fresh.startPage().cards().empty()); // the window is seen first
        QVERIFY(comes([&] { return fresh.startPage().isFilled(); }));
        QCOMPARE(fresh.startPage().cards().size(), galleryExperiments().size());
        QVERIFY(visiblePanels(fresh).empty());
        QVERIFY(!fresh.runBar().isVisible());
        QVERIFY(fresh.windowTitle().startsWith("Start"));
        QVERIFY(fresh.startPage().back().isHidden()); // there is nothing to go back to
        QTest::keyClick(&fresh.startPage(), Qt::Key_Escape);
        QVERIFY(!fresh.startMode().isShown()); // to an empty canvas
        QVERIFY(fresh.panels().dock("inspector").isVisible() && fresh.runBar().isVisible());
        QVERIFY(fresh.document().graph().nodes.empty());
    }

    void eachCardOpensItsExperiment()
    {
        StartDesk desk;
        const auto panels = [&] { return visiblePanels(desk.window); };
        desk.window.startMode().leave();
        QVERIFY(comeToRest(desk.window));
        const auto before = panels();
        for (std::size_t i = 0; i < desk.page.cards().size(); ++i) {
            desk.key(Qt::Key_Home, Qt::AltModifier);
            QVERIFY(desk.window.startMode().isShown());
            QVERIFY(panels().empty());
            GalleryCard& card = *desk.page.cards()[i];
            QVERIFY(!card.item().summary.isEmpty() && !card.tags().empty());
            desk.click(card);
            QVERIFY(!desk.window.startMode().isShown());
            QCOMPARE(desk.window.document().title(), card.item().title);
            QCOMPARE(desk.graph(), card.item().graph);
            QVERIFY(desk.window.document().path().isEmpty()); // the gallery stays as it is
            QTRY_COMPARE(panels(), before);
            QVERIFY(desk.window.canvas().isVisible() && desk.window.canvas().hasFocus());
        }
        QCOMPARE(otherWindows(desk.window).size(), 0);
    }

    void cardsSayWhatTheyAreMadeOf()
    {
        StartDesk desk;
        QCOMPARE(desk.page.cards().front()->item().title, QStringLiteral("Fable")); // what a new user tries first
        const auto tags = desk.card("char-lstm").tags();
        QCOMPARE(tags, (std::vector<BlockTag>{{"Text", Category::Data}, {"LSTM × 2", Category::Recurrent}}));
        QVERIFY(desk.card("fable").accessibleDescription().contains("LSTM × 2"));
        QCOMPARE(roughTime(7300), QStringLiteral("about 2 h"));
        QCOMPARE(roughTime(96), QStringLiteral("about 2 min"));
        QCOMPARE(roughTime(20), QStringLiteral("under a minute"));
        QCOMPARE(roughTime(0), QString());
        const Graph grouped = *edits::makeGroup({2, 3}, "body").apply(desk.card("char-lstm").item().graph);
        const Graph repeated = *edits::setRepeat(grouped.findByName("body")->id, 3, false).apply(grouped);
        QVERIFY(blockTags(repeated, desk.registry).back().words.contains("× 4")); // 3 inside the group, one outside
    }

    void byKeysAlone()
    {
        StartDesk desk;
        QVERIFY(desk.page.hasFocus());
        QTest::keyClick(&desk.page, Qt::Key_Down);
        QVERIFY(desk.way("emptyCanvas").hasFocus());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
        QVERIFY(desk.way("ownData").hasFocus());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
        auto* card = qobject_cast<GalleryCard*>(QApplication::focusWidget());
        QVERIFY(card != nullptr);
        QTest::keyClick(card, Qt::Key_Right);
        auto* second = qobject_cast<GalleryCard*>(QApplication::focusWidget());
        QVERIFY(second != nullptr && second != card);
        QTest::keyClick(second, Qt::Key_Left);
        QVERIFY(card->hasFocus());
        QTest::keyClick(card, Qt::Key_Left);
        QVERIFY(qobject_cast<StartRow*>(QApplication::focusWidget()) != nullptr);
        card->setFocus();
        QTest::keyClick(card, Qt::Key_Return);
        QVERIFY(!desk.window.startMode().isShown());
        QCOMPARE(desk.window.document().title(), card->item().title);
    }

    void tabComesToEverythingOnce()
    {
        StartDesk desk;
        desk.window.recentFiles().note(desk.file);
        desk.window.startMode().leave();
        desk.window.startMode().show();
        QVERIFY(comeToRest(desk.window));
        const auto walked = tabWalk(desk);
        QVERIFY(walked.size() >= desk.page.cards().size() + 4);
        QCOMPARE(std::set<QWidget*>(walked.begin(), walked.end()).size(), walked.size());
        const auto at = [&](const QWidget* widget) { return std::find(walked.begin(), walked.end(), widget); };
        QVERIFY(at(desk.page.recent().front()) < at(desk.page.cards().front()));
        for (const GalleryCard* card : desk.page.cards())
            QVERIFY2(at(card) != walked.end(), qPrintable(card->text()));
    }

    void escapeGoesBackToWhatWasThere()
    {
        StartDesk desk;
        QCOMPARE(desk.page.back().text(), QStringLiteral("Back to Fable"));
        const Graph before = desk.graph();
        QTest::keyClick(&desk.card("copy-lstm"), Qt::Key_Escape);
        QVERIFY(!desk.window.startMode().isShown());
        QCOMPARE(desk.graph(), before);
        desk.window.actions().start->trigger();
        desk.page.back().click();
        QVERIFY(!desk.window.startMode().isShown());
        QVERIFY(desk.window.windowTitle().startsWith("Fable"));
    }

    void panelsComeBackAsTheyWere()
    {
        StartDesk desk;
        desk.window.startMode().leave();
        QVERIFY(desk.window.arrange("watch"));
        desk.window.panels().dock("samples").hide();
        desk.window.resizeDocks({&desk.window.panels().dock("curves")}, {333}, Qt::Horizontal);
        QVERIFY(comeToRest(desk.window));
        const auto before = visiblePanels(desk.window);
        QVERIFY(before.size() >= 2 && !before.contains("samples"));
        desk.window.startMode().show();
        QTRY_VERIFY(visiblePanels(desk.window).empty());
        desk.window.startMode().leave();
        QTRY_COMPARE(visiblePanels(desk.window), before);
        desk.window.startMode().show();
        desk.window.panels().dock("palette").toggleViewAction()->trigger(); // asked for by the menu: beside the others
        QVERIFY(!desk.window.startMode().isShown());
        QCOMPARE(visiblePanels(desk.window).size(), before.size() + 1);
        desk.window.startMode().show();
        QVERIFY(desk.window.arrange("edit"));
        QVERIFY(!desk.window.startMode().isShown() && desk.window.panels().dock("problems").isVisible());
    }

    void whatChangesIsSeen()
    {
        StartDesk desk;
        setUnits(desk.window, 33);
        QVERIFY(!desk.window.startMode().isShown());
        desk.window.startMode().show();
        desk.window.actions().undo->trigger();
        QVERIFY(!desk.window.startMode().isShown());
        QTRY_VERIFY(desk.window.document().checked()->runnable());
        desk.window.startMode().show();
        desk.key(Qt::Key_F5);
        QVERIFY(!desk.window.startMode().isShown() && desk.window.controller().isUnderWay());
        desk.window.startMode().show();
        QVERIFY(desk.window.runBar().isVisible()); // it can be stopped from here
        // A run that goes on takes nobody away.
        QVERIFY(staysFor(100, [&] { return desk.window.startMode().isShown(); }));
        desk.click(desk.card("copy-lstm"));
        QCOMPARE(otherWindows(desk.window).size(), 1); // the run keeps its window
        delete otherWindows(desk.window).front();
    }

    void whatWasSaidOfTheCanvasStaysThere()
    {
        StartDesk desk;
        desk.window.startMode().leave();
        desk.window.messages().showNote("The clipboard contains no nodes.");
        desk.window.startMode().show();
        QVERIFY(desk.window.messages().shownText().isEmpty());
    }

    void anEmptyCanvasIsEmpty()
    {
        StartDesk desk;
        desk.click(desk.way("emptyCanvas"));
        QVERIFY(!desk.window.startMode().isShown());
        QVERIFY(desk.graph().nodes.empty());
        QVERIFY(desk.window.panels().dock("palette").isVisible()); // there is something to build first
        QVERIFY(!desk.window.panels().dock("curves").isVisible());
        QVERIFY(!desk.window.isWindowModified() && !desk.window.lesson().isVisible());
    }

    void recentFiles()
    {
        StartDesk desk;
        const QString gone = desk.place + "/gone.unroll";
        desk.window.recentFiles().note(gone);
        desk.window.recentFiles().note(desk.file);
        desk.window.startMode().leave();
        desk.window.startMode().show();
        QCOMPARE(desk.page.recent().size(), 2u);
        StartRow &mine = *desk.page.recent()[0], &missing = *desk.page.recent()[1];
        QCOMPARE(mine.text(), QStringLiteral("mine.unroll"));
        QTRY_COMPARE(missing.note(), QStringLiteral("missing"));
        QVERIFY(mine.isEnabled() && !missing.isEnabled());
        QCOMPARE(mine.note(), QStringLiteral("just now"));
        QVERIFY(missing.toolTip().contains(gone));
        desk.click(mine);
        QVERIFY(!desk.window.startMode().isShown());
        QCOMPARE(desk.window.document().path(), desk.file);
    }

    void agesInWords()
    {
        const QDateTime now(QDate(2026, 3, 10), QTime(12, 0));
        QCOMPARE(ageText(now.addSecs(40), now), QStringLiteral("just now")); // another machine's clock
        QCOMPARE(ageText(now.addSecs(-61), now), QStringLiteral("1 min ago"));
        QCOMPARE(ageText(now.addSecs(-2 * 3600), now), QStringLiteral("2 h ago"));
        QCOMPARE(ageText(now.addSecs(-13 * 3600), now), QStringLiteral("yesterday"));
        QCOMPARE(ageText(now.addDays(-3), now), QStringLiteral("3 days ago"));
        QCOMPARE(ageText(now.addDays(-40), now), QStringLiteral("2026-01-29"));
    }

    void ownTextByDialog()
    {
        StartDesk desk;
        const QString text = desk.writeTales("Ten Tales.txt");
        desk.window.findChild<OwnData*>()->askWhich = [](QWidget*) { return QString(); };
        desk.click(desk.way("ownData"));
        QVERIFY(desk.window.startMode().isShown()); // cancelled
        desk.window.findChild<OwnData*>()->askWhich = [&](QWidget* window) {
            return window == &desk.window ? text : QString();
        };
        desk.click(desk.way("ownData"));
        QVERIFY(!desk.window.startMode().isShown());
        QCOMPARE(desk.textFile(), text.toStdString());
        QCOMPARE(desk.window.document().title(), QStringLiteral("Ten Tales"));
        QVERIFY(desk.window.messages().shownText().contains("Ten Tales.txt"));
        QVERIFY(!desk.window.lesson().isVisible()); // nobody knows what is to be seen in it
        QTRY_VERIFY(!desk.window.document().checked()->order.empty());
        QVERIFY(desk.window.document().checked()->runnable());
    }

    void ownTextByDrop()
    {
        StartDesk desk;
        const QString text = desk.writeTales("tales.txt");
        QVERIFY(drop(desk.window, {text}));
        QVERIFY(!desk.window.startMode().isShown());
        QCOMPARE(desk.textFile(), text.toStdString());
        desk.window.startMode().show();
        QVERIFY(drop(desk.window, {desk.file})); // an experiment is opened as ever
        QCOMPARE(desk.window.document().path(), desk.file);
        QVERIFY(!desk.window.startMode().isShown());
    }

    void ownTableByDrop()
    {
        StartDesk desk;
        const QString table = desk.place + "/heights.csv";
        writeContent(table, "time,height\n" + QByteArray("1,0.5\n2,0.75\n3,0.25\n").repeated(1000));
        QVERIFY(drop(desk.window, {table}));
        QVERIFY(!desk.window.startMode().isShown());
        QCOMPARE(desk.window.document().title(), QStringLiteral("heights"));
        QCOMPARE(std::get<std::string>(desk.graph().findByName("series")->params.at("file")), table.toStdString());
    }

    void pastedTextBecomesAFile()
    {
        StartDesk desk;
        QClipboard& clipboard = *QGuiApplication::clipboard();
        clipboard.clear();
        QVERIFY(!desk.way("pastedText").isEnabled());
        const QString words = QStringLiteral("Ein Fuchs – und eine Henne. ").repeated(2000);
        clipboard.setText(words);
        QVERIFY(desk.way("pastedText").isEnabled());
        desk.window.findChild<OwnData*>()->askWhereTo = [&](QWidget*) { return desk.place + "/no such folder/x.txt"; };
        desk.click(desk.way("pastedText"));
        QVERIFY(desk.window.startMode().isShown());
        QVERIFY2(desk.window.messages().shownText().startsWith("The text was not saved."),
                 qPrintable(desk.window.messages().shownText()));
        const QString file = desk.place + "/pasted.txt";
        desk.window.findChild<OwnData*>()->askWhereTo = [&](QWidget*) { return file; };
        desk.page.setFocus();
        QTest::keyClick(&desk.page, Qt::Key_V, Qt::ControlModifier);
        QVERIFY(!desk.window.startMode().isShown());
        QCOMPARE(contentOf(file), words.toUtf8());
        QCOMPARE(desk.textFile(), file.toStdString());
        clipboard.clear();
    }

    void lostWorkIsOfferedOverIt()
    {
        Desk desk;
        setUnits(desk.window, 33); // the window keeps its own work
        QVERIFY(desk.crash({}, 41));
        MainWindow fresh(desk.context);
        fresh.startMode().show();
        fresh.show();
        fresh.files().offerAbandoned();
        QVERIFY(fresh.startMode().isShown() && fresh.questions().isVisible());
        QVERIFY(choose(fresh, "Restore"));
        QVERIFY(!fresh.startMode().isShown());
        QCOMPARE(unitsOf(fresh.document().graph()), 41);
    }
};

static const AreaOf<StartTest> startTestArea("start");

} // namespace unroll::test

#include "start_test.moc"
