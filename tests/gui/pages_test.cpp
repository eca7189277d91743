// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"
#include "tests/gui/start_desk.h"

namespace unroll::test {

namespace {

bool isEditLayout(MainWindow& window)
{
    const PanelSet& panels = window.panels();
    return panels.dock("palette").isVisible() && panels.dock("inspector").isVisible() &&
           panels.dock("problems").isVisible() && !panels.dock("curves").isVisible() &&
           !panels.dock("state").isVisible();
}

} // namespace

/// What belongs to the start page, and what to the canvas.
class PagesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Every way to an empty canvas: the button, Escape, and a panel asked for.
    void anEmptyCanvasHasBlocksBesideIt()
    {
        StartDesk desk;
        desk.click(desk.way("emptyCanvas"));
        QVERIFY(!desk.window.startMode().isShown() && desk.graph().nodes.empty());
        QVERIFY(isEditLayout(desk.window));
        desk.window.startMode().show(); // and back to it
        QVERIFY(!desk.window.panels().dock("palette").isVisible());
        QTest::keyClick(&desk.page, Qt::Key_Escape);
        QVERIFY(isEditLayout(desk.window));
        for (const bool byKey : {true, false}) {
            MainWindow fresh(desk.context);
            fresh.startMode().show();
            fresh.show();
            if (byKey)
                QTest::keyClick(&fresh.startPage(), Qt::Key_Escape);
            else
                fresh.panels().dock("inspector").toggleViewAction()->trigger();
            QVERIFY(!fresh.startMode().isShown() && fresh.document().graph().nodes.empty());
            QVERIFY(fresh.panels().dock("palette").isVisible() && !fresh.panels().dock("curves").isVisible());
        }
    }

    /// The first thing an empty canvas is given is a block; and an experiment that is opened is not in it.
    void anExperimentHasItsOwnLayout()
    {
        StartDesk desk;
        MainWindow fresh(desk.context);
        fresh.startMode().show();
        fresh.show();
        QVERIFY(fresh.files().open(desk.file));
        QVERIFY(!fresh.startMode().isShown());
        QVERIFY(fresh.panels().dock("curves").isVisible() && !fresh.panels().dock("palette").isVisible());
    }

    void aBannerOfTheCanvasIsNotOnTheStartPage()
    {
        Studio studio;
        studio.window.messages().showError("The clipboard contains no nodes.");
        studio.window.startMode().show();
        QCOMPARE(studio.window.messages().shownText(), QString());
        studio.window.startMode().leave();
        QCOMPARE(studio.window.messages().shownText(), QString());
    }

    void aBannerOfTheStartPageIsNotOnTheCanvas()
    {
        StartDesk desk;
        QVERIFY(!desk.window.files().open(desk.place + "/nowhere.unroll"));
        QVERIFY(desk.window.startMode().isShown());
        QVERIFY(desk.window.messages().shownText().contains("nowhere.unroll"));
        QTest::keyClick(&desk.page, Qt::Key_Escape);
        QVERIFY(!desk.window.startMode().isShown());
        QCOMPARE(desk.window.messages().shownText(), QString());
    }

    /// What leaving itself has to say is of the canvas, and stays.
    void whatIsSaidWhileTheCanvasComesStays()
    {
        StartDesk desk;
        QVERIFY(desk.window.document().apply(edits::setParam(desk.id("lstm"), "units", std::int64_t{0})));
        QTRY_VERIFY(desk.window.problems().count(Severity::Error) > 0);
        desk.window.startMode().show();
        QTest::keyClick(&desk.page, Qt::Key_F5); // refused, and the canvas shows why
        QVERIFY(!desk.window.startMode().isShown());
        QVERIFY2(desk.window.messages().shownText().contains("Problems"),
                 qPrintable(desk.window.messages().shownText()));
        desk.window.document().undo();
        desk.window.startMode().show();
        Q_EMIT desk.window.findChild<OwnData*>()->chosen(desk.writeTales("Tales.txt"));
        for (MainWindow* window : otherWindows(desk.window))
            QVERIFY(window == nullptr || !window->isVisible() || window->messages().shownText().contains("Tales.txt") ||
                    desk.window.messages().shownText().contains("Tales.txt"));
    }

    /// The question about the file belongs to the file, not to a page: it waits on either.
    void aQuestionAboutTheFileWaits()
    {
        Studio studio;
        studio.window.questions().ask("Unsaved changes were found.", {{"Restore", [] {}}});
        studio.window.startMode().show();
        QVERIFY(!studio.window.questions().shownText().isEmpty());
        studio.window.startMode().leave();
        QVERIFY(!studio.window.questions().shownText().isEmpty());
    }
};

static const AreaOf<PagesTest> pagesTestArea("pages");

} // namespace unroll::test

#include "pages_test.moc"
