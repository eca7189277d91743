// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/recent_menu.h"
#include "core/train/run_folder.h"
#include "tests/gui/fixture.h"
#include "tests/support/plain_user.h"
#include "tests/support/tiny_experiment.h"

#include <QDragEnterEvent>
#include <QFile>
#include <QMessageBox>
#include <QMimeData>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <functional>

namespace unroll::test {

namespace {

using namespace std::chrono_literals;

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void writeContent(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

Experiment tinyWith(std::int64_t units)
{
    return testing::tinyExperiment("lstm", units);
}

std::int64_t unitsOf(const Graph& graph)
{
    return std::get<std::int64_t>(graph.findByName("lstm")->params.at("units"));
}

void setUnits(MainWindow& window, std::int64_t units)
{
    Document& document = window.document();
    QVERIFY(document.apply(edits::setParam(document.graph().findByName("lstm")->id, "units", units)));
}

QStringList sideFilesIn(const QString& folder)
{
    return QDir(folder).entryList({"*.autosave*", "*.unroll", "*.lock"}, QDir::Files | QDir::Hidden, QDir::Name);
}

/// A studio that keeps changes at once, and a file of the user's beside it.
struct Desk : Studio {
    QString place = folder.filePath("place"), file = place + "/mine.unroll", side = place + "/.mine.unroll.autosave";

    Desk()
    {
        workshop.autosave.after = 10ms;
        QDir().mkpath(place);
        (void)saveExperiment(tinyWith(24), file.toStdString());
    }
    const QString& ours() const { return workshop.autosave.folder; }
    std::unique_ptr<MainWindow> open(const QString& path)
    {
        auto made = std::make_unique<MainWindow>(workshop);
        made->show();
        if (path.isEmpty())
            made->openDefault();
        else
            made->openFile(path);
        return made;
    }
    /// What a window leaves behind that ends in the middle of changes.
    bool crash(const QString& path, std::int64_t units)
    {
        auto lost = open(path);
        setUnits(*lost, units);
        return QTest::qWaitFor([&] { return !lost->autosave().sideFile().isEmpty(); });
    }
};

QPushButton* answerOf(MainWindow& window, const QString& label)
{
    for (QPushButton* button : window.questions().findChildren<QPushButton*>())
        if (button->text() == label && button->isVisible())
            return button;
    return nullptr;
}

bool choose(MainWindow& window, const QString& label)
{
    QPushButton* button = answerOf(window, label);
    if (button != nullptr)
        QTest::mouseClick(button, Qt::LeftButton);
    return button != nullptr;
}

/// Presses a button of every message box that comes up while it lives.
struct Answering {
    using Pick = std::function<QAbstractButton*(QMessageBox&)>;
    QTimer timer;
    int asked = 0;

    explicit Answering(Pick pick)
    {
        QObject::connect(&timer, &QTimer::timeout, &timer, [this, pick] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (QAbstractButton* button = box != nullptr ? pick(*box) : nullptr) {
                ++asked;
                button->click();
            }
        });
        timer.start(20);
    }
    explicit Answering(QMessageBox::StandardButton standard)
        : Answering([standard](QMessageBox& box) { return box.button(standard); })
    {}
    explicit Answering(const QString& label)
        : Answering([label](QMessageBox& box) -> QAbstractButton* {
              for (QAbstractButton* button : box.buttons())
                  if (QString(button->text()).remove('&') == label)
                      return button;
              return nullptr;
          })
    {}
};

/// As a file manager drags them in.
bool drop(QWidget& window, const QStringList& paths)
{
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& path : paths)
        urls << QUrl::fromLocalFile(path);
    data.setUrls(urls);
    const Qt::DropActions actions = Qt::CopyAction | Qt::MoveAction;
    QDragEnterEvent enter(QPoint(20, 20), actions, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    if (!enter.isAccepted())
        return false;
    QDropEvent event(QPointF(20, 20), actions, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &event);
    return event.isAccepted() && event.dropAction() == Qt::CopyAction;
}

QList<MainWindow*> otherWindows(const MainWindow& than)
{
    QList<MainWindow*> found;
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (auto* window = qobject_cast<MainWindow*>(widget); window != nullptr && window != &than)
            found << window;
    return found;
}

} // namespace

class FilesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void changesAreKeptUntilTheyAreSaved()
    {
        Desk desk;
        QVERIFY(desk.window.openFile(desk.file));
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
        QTest::qWait(50);
        QVERIFY(!QFile::exists(desk.side));
    }

    void undoneAndDiscardedChangesAreKeptNoLonger()
    {
        Desk desk;
        QVERIFY(desk.window.openFile(desk.file));
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
        QVERIFY(desk.window.openFile(desk.file));
        desk.workshop.autosave.after = 1h;
        desk.workshop.autosave.atMost = 60ms;
        setUnits(desk.window, 33);
        QVERIFY(!QFile::exists(desk.side));
        QTRY_VERIFY(QFile::exists(desk.side));
    }

    void anEndedWindowsChangesAreOffered()
    {
        Desk desk;
        QVERIFY(desk.crash(desk.file, 33));
        QVERIFY(desk.window.openFile(desk.file));
        QVERIFY2(desk.window.questions().words().startsWith("Unsaved changes from "),
                 qPrintable(desk.window.questions().words()));
        QCOMPARE(unitsOf(desk.graph()), 24); // the file, until the user decides
        QVERIFY(!desk.window.isWindowModified());
        QVERIFY(choose(desk.window, "Restore"));
        QCOMPARE(unitsOf(desk.graph()), 33);
        QVERIFY(desk.window.isWindowModified());
        QCOMPARE(desk.window.document().path(), desk.file);
        QCOMPARE(desk.window.questions().words(), QString());
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
        QVERIFY(desk.window.openFile(desk.file));
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
        QCOMPARE(desk.window.questions().words(), QString());
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
            QTRY_VERIFY(!undecided->autosave().sideFile().isEmpty());
            QVERIFY(undecided->autosave().sideFile() != desk.side);
        }
        QVERIFY(desk.window.openFile(desk.file));
        QVERIFY(choose(desk.window, "Discard")); // the newer one
        QVERIFY(choose(desk.window, "Restore"));
        QCOMPARE(unitsOf(desk.graph()), 33);
        QCOMPARE(sideFilesIn(desk.ours()), QStringList());
    }

    void restoringKeepsWhatWasChangedMeanwhile()
    {
        Desk desk;
        QVERIFY(desk.crash(desk.file, 33));
        QVERIFY(desk.window.openFile(desk.file));
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
        QVERIFY(desk.window.openFile(desk.file));
        QCOMPARE(desk.window.questions().words(), QString());
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
        QVERIFY(desk.window.openFile(desk.file));
        QVERIFY(choose(desk.window, "Restore"));
        QCOMPARE(unitsOf(desk.graph()), 33);
    }

    void whatTheFileSaysAnywayIsNotOffered()
    {
        Desk desk;
        QVERIFY(desk.crash(desk.file, 33));
        QVERIFY(saveExperiment(tinyWith(33), desk.file.toStdString()).has_value());
        QVERIFY(desk.window.openFile(desk.file));
        QCOMPARE(desk.window.questions().words(), QString());
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
        desk.window.offerUntitled(); // has a file, so it is not offered here
        QCOMPARE(desk.window.questions().words(), QString());
    }

    void untitledExperimentsAreOfferedOneByOne()
    {
        Desk desk;
        QVERIFY(desk.crash({}, 33));
        QTest::qWait(30); // another time of writing
        QVERIFY(desk.crash({}, 44));
        QCOMPARE(sideFilesIn(desk.ours()).size(), 2);
        desk.window.offerUntitled();
        QVERIFY2(desk.window.questions().words().startsWith("“Fable” from "),
                 qPrintable(desk.window.questions().words()));
        QVERIFY(choose(desk.window, "Restore"));
        QCOMPARE(unitsOf(desk.graph()), 44); // the newest, in the window that nothing was done in
        QVERIFY(desk.window.isWindowModified());
        QVERIFY(desk.window.document().path().isEmpty());
        QVERIFY(choose(desk.window, "Restore"));
        QCOMPARE(unitsOf(desk.graph()), 44);
        const auto others = otherWindows(desk.window);
        QCOMPARE(others.size(), 1);
        QCOMPARE(unitsOf(others.front()->document().graph()), 33);
        QCOMPARE(desk.window.questions().words(), QString());
        delete others.front();
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
        QTest::qWait(60);
        QCOMPARE(failed.size(), 1);
        QVERIFY(QFile::remove(desk.folder.filePath("blocked")));
        document.setSeed(7); // the next change tries again
        QTRY_COMPARE(works.size(), 1);
        QCOMPARE(works.front().front(), failed.front().front());
        QVERIFY(QFile::exists(autosave.sideFile()));
        autosave.drop();
    }

    void savingOverAnothersChangesAsks()
    {
        Desk desk;
        QVERIFY(desk.window.openFile(desk.file));
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
        QTRY_COMPARE(desk.window.questions().words(), QString()); // nothing differs any more
        setUnits(desk.window, 34);
        desk.window.actions().save->trigger(); // our own writing is no change
        QCOMPARE(overwrite.asked, 1);
        QVERIFY(contentOf(desk.file).contains("\"units\": 34"));
    }

    void aChangedFileIsReadAgainIfWished()
    {
        Desk desk;
        QVERIFY(desk.window.openFile(desk.file));
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
        QCOMPARE(desk.window.questions().words(), QString());
        goAwayAndBack([&] { QVERIFY(saveExperiment(tinyWith(55), desk.file.toStdString()).has_value()); });
        QTRY_VERIFY(answerOf(desk.window, "Reload") != nullptr);
        QCOMPARE(unitsOf(desk.graph()), 24);
        QVERIFY(choose(desk.window, "Reload"));
        QCOMPARE(unitsOf(desk.graph()), 55);
        QCOMPARE(desk.window.questions().words(), QString());
        setUnits(desk.window, 56);
        goAwayAndBack([&] { QVERIFY(saveExperiment(tinyWith(57), desk.file.toStdString()).has_value()); });
        QTRY_VERIFY(desk.window.questions().words().contains("Saving will ask"));
        QVERIFY(answerOf(desk.window, "Reload") == nullptr);
        QCOMPARE(unitsOf(desk.graph()), 56);
        desk.window.questions().findChild<QToolButton*>()->click(); // the cross
        goAwayAndBack([] {});
        QCOMPARE(desk.window.questions().words(), QString()); // said once
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
        QVERIFY(first->messages().words().contains("mine.unroll"));
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
        QVERIFY2(others.front()->messages().words().contains("Of the 3 files only second.UNROLL was taken."),
                 qPrintable(others.front()->messages().words()));
        delete others.front();
        writeContent(second, "{\"unroll\": 1, ");
        QVERIFY(!drop(desk.window, {second}));
        QVERIFY(desk.window.messages().words().contains("second.UNROLL"));
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
        QVERIFY(desk.window.messages().words().contains("mine-1"));
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
        QCOMPARE(desk.window.messages().words(), QStringLiteral("text now reads Ten Tales.txt."));
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
        QVERIFY2(desk.window.messages().words().contains("Select one"), qPrintable(desk.window.messages().words()));
        QCOMPARE(desk.graph(), two);
        QVERIFY(document.apply(edits::removeNodes({desk.id("text"), desk.id("text_2")})));
        QVERIFY(document.apply(edits::addNode(testing::makeNode(0, "copy", "copy"))));
        QVERIFY(!drop(desk.window, {text}));
        QVERIFY2(desk.window.messages().words().contains("Add a Text block"),
                 qPrintable(desk.window.messages().words()));
    }

    void whatIsNoFileIsNotTaken()
    {
        Desk desk;
        QMimeData block;
        block.setData("application/x-unroll-block", "lstm");
        QVERIFY(!desk.window.acceptsDrop(block) && !desk.window.takeDrop(block));
        QMimeData far;
        far.setUrls({QUrl("https://example.org/a.unroll")});
        QVERIFY(!desk.window.acceptsDrop(far));
    }

    void recentFilesAreToldApart()
    {
        Desk desk;
        RecentMenu& menu = desk.window.recentMenu();
        QCOMPARE(RecentMenu::labels({"/a/x.unroll", "/b/x.unroll", "/a/y.unroll"}),
                 (QStringList{"x.unroll – /a", "x.unroll – /b", "y.unroll"}));
        const QString gone = desk.place + "/gone & lost.unroll";
        menu.remember(gone);
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

int runFiles(int argc, char** argv)
{
    FilesTest test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace unroll::test

#include "files_test.moc"
