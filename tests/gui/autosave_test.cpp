// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/recovery_list.h"
#include "tests/gui/area.h"
#include "tests/gui/desk.h"
#include "tests/gui/waiting.h"

#include <QTreeWidget>

namespace unroll::test {

using namespace std::chrono_literals;

class AutosaveTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void changesAreKeptUntilTheyAreSaved()
    {
        Desk desk;
        QVERIFY(desk.window.files().open(desk.file));
        const QByteArray before = contentOf(desk.file);
        setUnits(desk.window, 33);
        QTRY_VERIFY(QFile::exists(desk.side));
        QCOMPARE(contentOf(desk.file), before); // never the user's file
        QCOMPARE(QFile::permissions(desk.side) & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        setUnits(desk.window, 34);
        QTRY_VERIFY(contentOf(desk.side).contains("\"units\": 34"));
        QVERIFY(desk.window.document().setTraining("steps", std::int64_t{777}).has_value());
        QTRY_VERIFY(contentOf(desk.side).contains("\"steps\": 777"));
        desk.window.actions().save->trigger();
        QCOMPARE(sideFilesIn(desk.place), QStringList{"mine.unroll"});
        QVERIFY(contentOf(desk.file).contains("\"units\": 34"));
        QVERIFY(!contentOf(desk.file).contains("autosave"));
        QVERIFY(staysFor(50, [&] { return !QFile::exists(desk.side); }));
    }

    void undoneAndDiscardedChangesAreKeptNoLonger()
    {
        Desk desk;
        QVERIFY(desk.window.files().open(desk.file));
        setUnits(desk.window, 33);
        QTRY_VERIFY(QFile::exists(desk.side));
        desk.window.document().undo();
        QVERIFY(!QFile::exists(desk.side));
        desk.window.document().redo();
        QTRY_VERIFY(QFile::exists(desk.side));
        {
            Answering cancel(QMessageBox::Cancel);
            QVERIFY(!desk.window.close());
            QVERIFY(QFile::exists(desk.side));
        }
        Answering discard(QMessageBox::Discard);
        QVERIFY(desk.window.close());
        QCOMPARE(sideFilesIn(desk.place), QStringList{"mine.unroll"});
        QVERIFY(contentOf(desk.file).contains("\"units\": 24"));
    }

    void changesWithoutAnEndAreKeptToo()
    {
        Desk desk;
        QVERIFY(desk.window.files().open(desk.file));
        desk.context.autosave.after = 1h;
        desk.context.autosave.atMost = 60ms;
        setUnits(desk.window, 33);
        QVERIFY(!QFile::exists(desk.side));
        QTRY_VERIFY(QFile::exists(desk.side));
    }

    void anEndedWindowsChangesAreOffered()
    {
        Desk desk;
        QVERIFY(desk.crash(desk.file, 33));
        QVERIFY(desk.window.files().open(desk.file));
        QVERIFY2(desk.window.questions().shownText().startsWith("Unsaved changes from "),
                 qPrintable(desk.window.questions().shownText()));
        QCOMPARE(unitsOf(desk.graph()), 24); // the file, until the user decides
        QVERIFY(!desk.window.isWindowModified());
        QVERIFY(choose(desk.window, "Restore"));
        QCOMPARE(unitsOf(desk.graph()), 33);
        QVERIFY(desk.window.isWindowModified());
        QCOMPARE(desk.window.document().path(), desk.file);
        QCOMPARE(desk.window.questions().shownText(), QString());
        QVERIFY(contentOf(desk.file).contains("\"units\": 24"));
        QVERIFY(QFile::exists(desk.side)); // not safe before it is saved
        QVERIFY(desk.window.document().experiment().extra.empty());
        desk.window.actions().save->trigger();
        QVERIFY(contentOf(desk.file).contains("\"units\": 33"));
        QCOMPARE(sideFilesIn(desk.place), QStringList{"mine.unroll"});
    }

    void foundChangesCanBeDiscarded()
    {
        Desk desk;
        QVERIFY(desk.crash(desk.file, 33));
        QVERIFY(desk.window.files().open(desk.file));
        desk.window.messages().showError("Something else."); // pushes the question away no more than a run does
        QTRY_VERIFY(desk.window.document().checked()->runnable());
        desk.window.activateWindow(); // another one was active and has gone
        QVERIFY(QTest::qWaitForWindowActive(&desk.window));
        desk.key(Qt::Key_F10);
        QVERIFY(desk.window.controller().isUnderWay());
        QVERIFY(choose(desk.window, "Discard"));
        QCOMPARE(unitsOf(desk.graph()), 24);
        QVERIFY(!desk.window.isWindowModified());
        QCOMPARE(sideFilesIn(desk.place), QStringList{"mine.unroll"});
        QCOMPARE(desk.window.questions().shownText(), QString());
    }

    /// Whoever goes on without an answer loses neither the found changes nor the new ones.
    void undecidedChangesAreNotOverwritten()
    {
        Desk desk;
        QVERIFY(desk.crash(desk.file, 33));
        {
            auto undecided = desk.open(desk.file);
            QVERIFY(answerOf(*undecided, "Restore") != nullptr);
            setUnits(*undecided, 44);
            QTRY_COMPARE(keptIn({desk.ours()}).size(), 1);
            QCOMPARE(keptIn({desk.place}), QStringList{desk.side});
        }
        QVERIFY(desk.window.files().open(desk.file));
        QVERIFY(desk.window.questions().shownText().startsWith("2 experiments have changes"));
        QVERIFY(choose(desk.window, "Show List …"));
        auto* list = desk.window.findChild<RecoveryList*>();
        list->table().topLevelItem(1)->setCheckState(0, Qt::Unchecked);
        QVERIFY(clickOn(*list, "Discard")); // the newer one
        QVERIFY(choose(desk.window, "Restore"));
        QCOMPARE(unitsOf(desk.graph()), 33);
        QCOMPARE(sideFilesIn(desk.ours()), QStringList());
    }

    void restoringKeepsWhatWasChangedMeanwhile()
    {
        Desk desk;
        QVERIFY(desk.crash(desk.file, 33));
        QVERIFY(desk.window.files().open(desk.file));
        setUnits(desk.window, 44);
        QVERIFY(choose(desk.window, "Restore"));
        QCOMPARE(unitsOf(desk.graph()), 44);
        const auto others = otherWindows(desk.window);
        QCOMPARE(others.size(), 1);
        QCOMPARE(unitsOf(others.front()->document().graph()), 33);
        QCOMPARE(others.front()->document().path(), desk.file);
        QVERIFY(others.front()->isWindowModified());
        delete others.front();
    }

    void aLivingWindowsChangesAreNotOffered()
    {
        Desk desk;
        auto other = desk.open(desk.file);
        setUnits(*other, 33);
        QTRY_VERIFY(QFile::exists(desk.side));
        QVERIFY(desk.window.files().open(desk.file));
        QCOMPARE(desk.window.questions().shownText(), QString());
        QVERIFY(QFile::exists(desk.side));
    }

    /// The lock of a process that was killed stays; its number is nobody's any more.
    void aDeadProcessHoldsNothing()
    {
        Desk desk;
        QVERIFY(desk.crash(desk.file, 33));
        QProcess ended;
        ended.start("cat", QStringList());
        QVERIFY(ended.waitForStarted());
        const QByteArray number = QByteArray::number(ended.processId());
        ended.closeWriteChannel();
        QVERIFY(ended.waitForFinished());
        writeContent(desk.side + ".lock", number + "\ncat\n" + QSysInfo::machineHostName().toUtf8() + '\n' +
                                              QSysInfo::machineUniqueId() + '\n' + QSysInfo::bootUniqueId() + '\n');
        QVERIFY(desk.window.files().open(desk.file));
        QVERIFY(choose(desk.window, "Restore"));
        QCOMPARE(unitsOf(desk.graph()), 33);
    }

    void whatTheFileSaysAnywayIsNotOffered()
    {
        Desk desk;
        QVERIFY(desk.crash(desk.file, 33));
        QVERIFY(saveExperiment(tinyWith(33), desk.file.toStdString()).has_value());
        QVERIFY(desk.window.files().open(desk.file));
        QCOMPARE(desk.window.questions().shownText(), QString());
        QCOMPARE(sideFilesIn(desk.place), QStringList{"mine.unroll"});
    }

    void whereNothingCanBeWrittenChangesAreKeptElsewhere()
    {
        Desk desk;
        QVERIFY(QFile::setPermissions(desk.place, QFile::ReadOwner | QFile::ExeOwner | QFile::ReadGroup |
                                                      QFile::ExeGroup | QFile::ReadOther | QFile::ExeOther));
        const PlainUser user(desk.folder.path().toStdString());
        QVERIFY(desk.crash(desk.file, 33));
        QVERIFY(!QFile::exists(desk.side));
        QCOMPARE(sideFilesIn(desk.ours()).size(), 1);
        auto other = desk.open(desk.folder.path() + "/place/../place/mine.unroll"); // the same file
        QVERIFY(choose(*other, "Restore"));
        QCOMPARE(unitsOf(other->document().graph()), 33);
        desk.window.files().offerAbandoned(); // has a file, so it is not offered here
        QCOMPARE(desk.window.questions().shownText(), QString());
    }

    void troubleWithKeepingIsSaidOnce()
    {
        Desk desk;
        AutosavePlan plan{desk.folder.filePath("blocked/autosave"), 10ms, 20s};
        writeContent(desk.folder.filePath("blocked"), "a file where a folder is wanted");
        Document document(desk.registry, desk.data);
        Autosave autosave(document, plan);
        QSignalSpy failed(&autosave, &Autosave::failed), works(&autosave, &Autosave::worksAgain);
        document.setSeed(5);
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(failed.front().front().toString().contains("blocked"));
        document.setSeed(6);
        QVERIFY(staysFor(60, [&] { return failed.size() == 1; }));
        QVERIFY(QFile::remove(desk.folder.filePath("blocked")));
        document.setSeed(7); // the next change tries again
        QTRY_COMPARE(works.size(), 1);
        QCOMPARE(works.front().front(), failed.front().front());
        QCOMPARE(keptIn({plan.folder}).size(), 1);
        autosave.drop();
    }
};

static const AreaOf<AutosaveTest> autosaveTestArea("autosave");

} // namespace unroll::test

#include "autosave_test.moc"
