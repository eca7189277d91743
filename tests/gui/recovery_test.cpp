// SPDX-License-Identifier: GPL-3.0-or-later
// Unsaved changes of a studio that ended early, in one list.
#include "app/studio/window/recovery_list.h"
#include "tests/gui/area.h"
#include "tests/gui/desk.h"

#include <QTreeWidget>

namespace unroll::test {

namespace {

RecoveryList* listOf(MainWindow& window)
{
    return window.findChild<RecoveryList*>();
}

QTreeWidgetItem* itemOf(RecoveryList& list, const QString& file)
{
    for (int i = 0; i < list.table().topLevelItemCount(); ++i)
        if (list.table().topLevelItem(i)->text(1).startsWith(file))
            return list.table().topLevelItem(i);
    return nullptr;
}

std::vector<std::int64_t> unitsIn(const QList<MainWindow*>& windows)
{
    std::vector<std::int64_t> units;
    for (MainWindow* window : windows)
        units.push_back(unitsOf(window->document().graph()));
    std::sort(units.begin(), units.end());
    return units;
}

/// A session that ended with changes of two files and of two that were never saved.
struct Crashed : Desk {
    QString other = place + "/other.unroll";

    Crashed()
    {
        (void)saveExperiment(tinyWith(24), other.toStdString());
        for (const auto& [path, units] : {std::pair(QString(), 33), {file, 44}, {QString(), 55}, {other, 66}}) {
            QVERIFY(crash(path, units));
            QVERIFY(waitForAnotherTime());
        }
    }
    /// Until files that are written get another time than those before: the list goes by it.
    bool waitForAnotherTime()
    {
        const auto now = [this] {
            const QString probe = folder.filePath("probe");
            writeContent(probe, "x");
            return QFileInfo(probe).lastModified();
        };
        return comes([&now, before = now()] { return now() > before; });
    }
    RecoveryList& openList()
    {
        window.files().offerAbandoned();
        (void)choose(window, "Show List …");
        return *listOf(window);
    }
    ~Crashed()
    {
        for (MainWindow* restored : otherWindows(window))
            delete restored;
    }
};

} // namespace

class RecoveryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void allThatIsFoundIsOneList()
    {
        Crashed desk;
        desk.window.files().offerAbandoned();
        QCOMPARE(desk.window.questions().shownText(),
                 QStringLiteral("4 experiments have changes that were not saved when the studio closed."));
        QVERIFY(listOf(desk.window) == nullptr && QApplication::activeModalWidget() == nullptr);
        QVERIFY(choose(desk.window, "Show List …"));
        RecoveryList& list = *listOf(desk.window);
        QVERIFY(list.isVisible() && !list.isModal());
        QCOMPARE(list.table().topLevelItemCount(), 4);
        QCOMPARE(list.table().topLevelItem(0)->text(1).section(' ', 0, 0),
                 QStringLiteral("other.unroll")); // the newest
        QVERIFY(itemOf(list, "mine.unroll") != nullptr && itemOf(list, "(never saved)") != nullptr);
        QCOMPARE(itemOf(list, "(never saved)")->text(0), QStringLiteral("Fable"));
    }

    void allAreRestoredTogether()
    {
        Crashed desk;
        RecoveryList& list = desk.openList();
        QVERIFY(clickOn(list, "Restore"));
        QCOMPARE(desk.window.questions().shownText(), QString());
        QTRY_VERIFY(listOf(desk.window) == nullptr); // nothing is left to decide
        QList<MainWindow*> windows = otherWindows(desk.window);
        windows << &desk.window;
        QCOMPARE(unitsIn(windows), (std::vector<std::int64_t>{33, 44, 55, 66}));
        for (MainWindow* window : windows) {
            QVERIFY(window->isWindowModified());
            const bool ofFile = unitsOf(window->document().graph()) % 22 == 0;
            QCOMPARE(window->document().path().isEmpty(), !ofFile);
        }
        QVERIFY(contentOf(desk.file).contains("\"units\": 24")); // as it was
    }

    void onlyWhatIsTickedIsDecided()
    {
        Crashed desk;
        RecoveryList& list = desk.openList();
        for (const char* kept : {"mine.unroll", "other.unroll"})
            itemOf(list, kept)->setCheckState(0, Qt::Unchecked);
        QVERIFY(clickOn(list, "Discard"));
        QCOMPARE(list.table().topLevelItemCount(), 2);
        QCOMPARE(itemOf(list, "mine.unroll")->checkState(0), Qt::Unchecked); // ticks stay where they were
        QVERIFY(!buttonIn(list, "Discard")->isEnabled() && !buttonIn(list, "Restore")->isEnabled());
        QCOMPARE(sideFilesIn(desk.ours()), QStringList());
        QVERIFY(QFile::exists(desk.side));
        QVERIFY(desk.window.questions().shownText().startsWith("2 experiments"));
        itemOf(list, "other.unroll")->setCheckState(0, Qt::Checked);
        QVERIFY(clickOn(list, "Restore"));
        QVERIFY2(desk.window.questions().shownText().startsWith("Unsaved changes of mine.unroll in "),
                 qPrintable(desk.window.questions().shownText())); // the last one needs no list
        QVERIFY(choose(desk.window, "Discard"));
        QVERIFY(!QFile::exists(desk.side));
        QTRY_VERIFY(listOf(desk.window) == nullptr);
    }

    void laterDecidesNothing()
    {
        Crashed desk;
        RecoveryList& list = desk.openList();
        QVERIFY(clickOn(list, "Later"));
        QVERIFY(desk.window.questions().shownText().startsWith("4 experiments"));
        QVERIFY(choose(desk.window, "Show List …"));
        QTRY_VERIFY(listOf(desk.window) != nullptr && listOf(desk.window)->isVisible());
        QCOMPARE(listOf(desk.window)->table().topLevelItemCount(), 4);
    }

    /// Other documents come and go in the window meanwhile.
    void theListOutlivesTheDocument()
    {
        Crashed desk;
        desk.window.files().offerAbandoned();
        QVERIFY(desk.window.files().open(desk.file));
        QVERIFY2(desk.window.questions().shownText().startsWith("4 experiments"),
                 qPrintable(desk.window.questions().shownText()));
        QVERIFY(choose(desk.window, "Show List …"));
        for (int i = 0; i < 4; ++i) {
            auto* item = listOf(desk.window)->table().topLevelItem(i);
            item->setCheckState(0, item->text(1).startsWith("mine") ? Qt::Checked : Qt::Unchecked);
        }
        QVERIFY(clickOn(*listOf(desk.window), "Restore"));
        QCOMPARE(unitsOf(desk.graph()), 44); // in the window that has the file
        QCOMPARE(desk.window.document().path(), desk.file);
    }

    void oneAloneIsAskedForInTheBar()
    {
        Desk desk;
        QVERIFY(desk.crash({}, 33));
        desk.window.files().offerAbandoned();
        QVERIFY2(desk.window.questions().shownText().startsWith("“Fable” from "),
                 qPrintable(desk.window.questions().shownText()));
        QVERIFY(choose(desk.window, "Restore"));
        QCOMPARE(unitsOf(desk.graph()), 33);
        QVERIFY(desk.window.isWindowModified() && desk.window.document().path().isEmpty());
        QCOMPARE(desk.window.questions().shownText(), QString());
    }

    /// Its file is gone: the changes are all there is of it.
    void changesOfAFileThatIsGoneAreRestoredWithoutIt()
    {
        Desk desk;
        QVERIFY(desk.crash(desk.file, 33));
        QVERIFY(QFile::remove(desk.file));
        desk.window.files().offerAbandoned();
        QVERIFY(choose(desk.window, "Restore"));
        QCOMPARE(unitsOf(desk.graph()), 33);
        QVERIFY(desk.window.document().path().isEmpty() && desk.window.isWindowModified());
    }

    void whatTheFilesSayAnywayIsNotListed()
    {
        Crashed desk;
        QVERIFY(saveExperiment(tinyWith(44), desk.file.toStdString()).has_value());
        desk.window.files().offerAbandoned();
        QVERIFY(desk.window.questions().shownText().startsWith("3 experiments"));
        QVERIFY(!QFile::exists(desk.side));
    }
};

static const AreaOf<RecoveryTest> recoveryTestArea("recovery");

} // namespace unroll::test

#include "recovery_test.moc"
