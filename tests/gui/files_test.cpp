// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"
#include "tests/gui/desk.h"

#include <QFileDialog>

namespace unroll::test {

using namespace std::chrono_literals;

class FilesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void savingOverAnothersChangesAsks()
    {
        Desk desk;
        QVERIFY(desk.window.files().open(desk.file));
        setUnits(desk.window, 33);
        QVERIFY(saveExperiment(tinyWith(55), desk.file.toStdString()).has_value());
        {
            Answering cancel(QMessageBox::Cancel);
            desk.window.actions().save->trigger();
            QCOMPARE(cancel.asked, 1);
        }
        QVERIFY(contentOf(desk.file).contains("\"units\": 55"));
        QVERIFY(desk.window.isWindowModified());
        Answering overwrite(QStringLiteral("Overwrite"));
        desk.window.actions().save->trigger();
        QCOMPARE(overwrite.asked, 1);
        QVERIFY(contentOf(desk.file).contains("\"units\": 33"));
        QVERIFY(!desk.window.isWindowModified());
        QTRY_COMPARE(desk.window.questions().shownText(), QString()); // nothing differs any more
        setUnits(desk.window, 34);
        desk.window.actions().save->trigger(); // our own writing is no change
        QCOMPARE(overwrite.asked, 1);
        QVERIFY(contentOf(desk.file).contains("\"units\": 34"));
    }

    void aChangedFileIsReadAgainIfWished()
    {
        Desk desk;
        QVERIFY(desk.window.files().open(desk.file));
        QWidget elsewhere;
        const auto goAwayAndBack = [&](const std::function<void()>& meanwhile) {
            elsewhere.show();
            elsewhere.activateWindow();
            (void)QTest::qWaitForWindowActive(&elsewhere);
            meanwhile();
            desk.window.activateWindow();
            (void)QTest::qWaitForWindowActive(&desk.window);
        };
        goAwayAndBack([] {});
        QCOMPARE(desk.window.questions().shownText(), QString());
        goAwayAndBack([&] { QVERIFY(saveExperiment(tinyWith(55), desk.file.toStdString()).has_value()); });
        QTRY_VERIFY(answerOf(desk.window, "Reload") != nullptr);
        QCOMPARE(unitsOf(desk.graph()), 24);
        QVERIFY(choose(desk.window, "Reload"));
        QCOMPARE(unitsOf(desk.graph()), 55);
        QCOMPARE(desk.window.questions().shownText(), QString());
        setUnits(desk.window, 56);
        goAwayAndBack([&] { QVERIFY(saveExperiment(tinyWith(57), desk.file.toStdString()).has_value()); });
        QTRY_VERIFY(desk.window.questions().shownText().contains("Saving will ask"));
        QVERIFY(answerOf(desk.window, "Reload") == nullptr);
        QCOMPARE(unitsOf(desk.graph()), 56);
        desk.window.questions().findChild<QToolButton*>()->click(); // the cross
        goAwayAndBack([] {});
        QCOMPARE(desk.window.questions().shownText(), QString()); // said once
    }

    /// Data beside the file, saved into other folders, and taken back.
    void savingElsewhereKeepsDataPathsTrue()
    {
        Desk desk;
        writeContent(desk.place + "/tales.txt", QByteArray("Once there was a fox and a hen. ").repeated(400));
        QVERIFY(desk.window.files().open(desk.file));
        Document& document = desk.window.document();
        const auto read = [&] {
            const Params& params = desk.graph().findByName("text")->params;
            return std::get<std::string>(params.at("file"));
        };
        QVERIFY(document.apply(edits::setParam(desk.id("text"), "file", std::string("tales.txt"))));
        setUnits(desk.window, 33);
        QTRY_VERIFY(document.checked()->runnable());
        const QString inner = desk.place + "/inner/deep";
        QVERIFY(QDir().mkpath(inner));
        QTimer::singleShot(50, &desk.window, [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog != nullptr);
            dialog->setDirectory(inner);
            dialog->selectFile("mine.unroll");
            QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
        });
        desk.window.actions().saveAs->trigger();
        QCOMPARE(document.path(), inner + "/mine.unroll");
        QCOMPARE(read(), std::string("../../tales.txt"));
        QVERIFY(contentOf(inner + "/mine.unroll").contains("../../tales.txt"));
        QVERIFY(!desk.window.isWindowModified());
        QTRY_VERIFY(document.checked()->runnable()); // it is found
        document.undo();                             // the units; the path is that of the new place there too
        QCOMPARE(read(), std::string("../../tales.txt"));
        QTRY_VERIFY(document.checked()->runnable());
        document.redo();
        QVERIFY(!desk.window.isWindowModified());
        QVERIFY(document.save(desk.folder.filePath("above.unroll")).has_value());
        QCOMPARE(read(), std::string("place/tales.txt"));
        QVERIFY(document.save(desk.file).has_value());
        QCOMPARE(read(), std::string("tales.txt"));
        QVERIFY(document.apply(edits::setParam(desk.id("text"), "file", (desk.place + "/tales.txt").toStdString())));
        QVERIFY(document.save(inner + "/again.unroll").has_value());
        QCOMPARE(read(), (desk.place + "/tales.txt").toStdString()); // absolute paths stay
    }

    void aRunSeesNoChangeInAMove()
    {
        Desk desk;
        writeContent(desk.place + "/tales.txt", QByteArray("Once there was a fox and a hen. ").repeated(400));
        QVERIFY(desk.window.files().open(desk.file));
        Document& document = desk.window.document();
        QVERIFY(document.apply(edits::setParam(desk.id("text"), "file", std::string("tales.txt"))));
        QTRY_VERIFY(document.checked()->runnable());
        desk.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&desk.window));
        desk.window.actions().run->trigger();
        QTRY_VERIFY(desk.window.controller().isUnderWay());
        QVERIFY(document.save(desk.folder.filePath("above.unroll")).has_value());
        QVERIFY(desk.window.actions().run->text() != "Run Changes");
    }

    void aFileThatCannotBeWrittenChangesNothing()
    {
        Desk desk;
        QVERIFY(desk.window.files().open(desk.file));
        Document& document = desk.window.document();
        QVERIFY(document.apply(edits::setParam(desk.id("text"), "file", std::string("tales.txt"))));
        const Experiment before = document.experiment();
        QVERIFY(!document.save(desk.place + "/nowhere/mine.unroll"));
        QVERIFY(document.experiment() == before);
        QCOMPARE(document.path(), desk.file);
    }

    void aFileHasOneWindow()
    {
        Desk desk;
        auto first = desk.open(desk.file);
        setUnits(*first, 33);
        desk.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&desk.window));
        QVERIFY(drop(desk.window, {desk.place + "/./mine.unroll"}));
        QTRY_COMPARE(QApplication::activeWindow(), first.get());
        QVERIFY(first->messages().shownText().contains("mine.unroll"));
        QVERIFY(desk.window.document().path().isEmpty());
        QCOMPARE(otherWindows(desk.window).size(), 1);
        QVERIFY(drop(*first, {desk.file})); // also itself: its changes stay
        QCOMPARE(unitsOf(first->document().graph()), 33);
        QCOMPARE(otherWindows(desk.window).size(), 1);
    }

    void quittingAsksForEveryChangedWindow()
    {
        Desk desk;
        auto second = desk.open(desk.file);
        setUnits(*second, 33);
        setUnits(desk.window, 44);
        {
            Answering cancel(QMessageBox::Cancel);
            desk.window.actions().quit->trigger();
            QCOMPARE(cancel.asked, 1);
            QVERIFY(desk.window.isVisible() && second->isVisible());
        }
        Answering discard(QMessageBox::Discard);
        desk.window.actions().quit->trigger();
        QCOMPARE(discard.asked, 2);
        QVERIFY(!desk.window.isVisible() && !second->isVisible());
        QCOMPARE(sideFilesIn(desk.place), QStringList{"mine.unroll"});
    }

    void recentFilesAreToldApart()
    {
        Desk desk;
        RecentMenu& menu = *desk.window.findChild<RecentMenu*>();
        QCOMPARE(fileLabels({"/a/x.unroll", "/b/x.unroll", "/a/y.unroll"}),
                 (QStringList{"x.unroll – /a", "x.unroll – /b", "y.unroll"}));
        const QString gone = desk.place + "/gone & lost.unroll";
        desk.window.recentFiles().note(gone);
        auto other = desk.open(desk.file); // what one window opens all windows list
        Q_EMIT menu.aboutToShow();
        QCOMPARE(menu.actions().size(), 4); // two files, a line, Clear List
        QCOMPARE(menu.actions()[0]->text(), QStringLiteral("mine.unroll"));
        QVERIFY(menu.actions()[0]->isEnabled());
        QCOMPARE(menu.actions()[1]->text(), QStringLiteral("gone && lost.unroll"));
        QVERIFY(!menu.actions()[1]->isEnabled());
        other.reset();
        menu.actions()[0]->trigger();
        QCOMPARE(desk.window.document().path(), desk.file);
        menu.actions()[3]->trigger();
        Q_EMIT menu.aboutToShow();
        QCOMPARE(menu.actions()[0]->text(), QStringLiteral("No files yet"));
        QVERIFY(!menu.actions()[0]->isEnabled() && !menu.actions().back()->isEnabled());
        QVERIFY(desk.settings.value("recent").toStringList().isEmpty());
    }
};

static const AreaOf<FilesTest> filesTestArea("files");

} // namespace unroll::test

#include "files_test.moc"
