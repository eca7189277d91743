// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/runs/run_text.h"
#include "tests/gui/area.h"
#include "tests/gui/run_shelf.h"

#include <QAbstractItemModelTester>
#include <QMenu>
#include <QThread>
#include <random>
#include <thread>

namespace unroll::test {

/// The list of runs, driven as a hand and keys drive it.
class RunsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void emptyItSaysWhatItWillShow()
    {
        RunShelf shelf;
        shelf.open();
        QVERIFY(shelf.panel().isEmpty());
        const auto states = shelf.panel().findChildren<EmptyState*>();
        QVERIFY(std::any_of(states.begin(), states.end(), [&](const EmptyState* state) {
            return state->accessibleDescription().contains(shelf.place);
        }));
    }

    void listsRunsWithTheirFigures()
    {
        RunShelf shelf;
        shelf.add("mine-1", 12, RunState::Stopped, 1.25);
        shelf.add("mine-2", 30, RunState::Finished);
        QVERIFY(QDir().mkpath(shelf.place + "/foreign"));
        shelf.open();
        QCOMPARE(shelf.rows(), 3);
        QCOMPARE(shelf.text("mine-1", RunsModel::State), QStringLiteral("Stopped"));
        QCOMPARE(shelf.text("mine-1", RunsModel::Best), QStringLiteral("1.250"));
        QCOMPARE(shelf.text("mine-1", RunsModel::Steps), QStringLiteral("12 / 30"));
        QCOMPARE(shelf.text("mine-1", RunsModel::Time), QStringLiteral("6 s"));
        QCOMPARE(shelf.text("mine-2", RunsModel::State), QStringLiteral("Finished"));
        QCOMPARE(shelf.text("foreign", RunsModel::State), QStringLiteral("Unreadable"));
        shelf.select("foreign");
        auto* reason = shelf.panel().findChild<QLabel*>("reason");
        QVERIFY2(reason->isVisible() && reason->text().contains("not a run"), qPrintable(reason->text()));
        QVERIFY(!shelf.panel().actions().reopen->isEnabled());
        shelf.select("mine-1");
        QVERIFY(!reason->isVisible());
        QVERIFY(shelf.panel().actions().reopen->isEnabled());
    }

    void filtersAndSorts()
    {
        RunShelf shelf;
        shelf.add("wide-1", 10, RunState::Stopped, 2.0);
        shelf.add("wide-2", 20, RunState::Finished, 1.0);
        shelf.add("narrow-1", 30, RunState::Finished, 3.0);
        shelf.add("none-1", 5, RunState::Failed); // never evaluated
        shelf.open();
        RunsView& view = shelf.panel().view();
        view.sortByColumn(RunsModel::Best, Qt::AscendingOrder);
        QCOMPARE(shelf.names(), (QStringList{"wide-2", "wide-1", "narrow-1", "none-1"}));
        view.sortByColumn(RunsModel::Steps, Qt::DescendingOrder);
        QCOMPARE(shelf.names(), (QStringList{"narrow-1", "wide-2", "wide-1", "none-1"}));
        QLineEdit& filter = shelf.panel().filterField();
        filter.setFocus();
        QTest::keyClicks(&filter, "FINISHED wide");
        QCOMPARE(shelf.names(), QStringList{"wide-2"});
        QTest::keyClicks(&filter, "x");
        QCOMPARE(shelf.names(), QStringList{});
        QVERIFY(!shelf.panel().isEmpty() && !view.isVisible()); // says that none fits
        filter.clear();
        QCOMPARE(shelf.rows(), 4);
    }

    void modelIsSound()
    {
        RunShelf shelf;
        RunsModel model(shelf.studio.appearance);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        RunsFilter filter(model);
        const QAbstractItemModelTester filtered(&filter, QAbstractItemModelTester::FailureReportingMode::Fatal);
        constexpr RunState ofFolders[] = {RunState::Running, RunState::Finished,    RunState::Stopped,
                                          RunState::Failed,  RunState::Interrupted, RunState::Unknown};
        std::mt19937 random(7);
        for (int round = 0; round < 60; ++round) {
            std::vector<RunSummary> runs;
            for (int i = 0; i < 12; ++i)
                if (random() % 2 == 0) {
                    RunSummary run;
                    run.folder = "/runs/" + std::to_string(i);
                    run.state = ofFolders[random() % std::size(ofFolders)];
                    run.step = static_cast<std::int64_t>(random() % 100);
                    runs.push_back(run);
                }
            const auto count = static_cast<int>(runs.size());
            std::shuffle(runs.begin(), runs.end(), random);
            model.setRuns(std::move(runs));
            QCOMPARE(model.rowCount(), count);
            if (count > 0)
                model.setData(model.index(0, 0), Qt::Checked, Qt::CheckStateRole);
            filter.setWords(round % 3 == 0 ? "under" : "");
            filter.sort(round % RunsModel::ColumnCount);
            for (const QString& folder : model.overlaid())
                QVERIFY(model.rowOf(folder) >= 0);
        }
    }

    void renamesByKey()
    {
        RunShelf shelf;
        shelf.add("mine-1", 3, RunState::Stopped);
        shelf.add("mine-2", 3, RunState::Stopped);
        shelf.open();
        shelf.select("mine-1");
        shelf.type(Qt::Key_F2, "best so far");
        QTRY_VERIFY(QFileInfo::exists(shelf.place + "/best so far/experiment.unroll"));
        QTRY_VERIFY(shelf.names().contains("best so far"));
        QVERIFY(!shelf.names().contains("mine-1"));
        QCOMPARE(shelf.selected(), QStringList{"best so far"}); // it is the same row
        shelf.select("mine-2");
        shelf.type(Qt::Key_F2, "best so far");
        QTRY_VERIFY(shelf.window().messages().shownText().contains("already taken"));
        QVERIFY(QFileInfo::exists(shelf.place + "/mine-2"));
        shelf.type(Qt::Key_F2, "a/b");
        QTRY_VERIFY(shelf.window().messages().shownText().contains("slash"));
    }

    void aRunThatGoesIsLeftAlone()
    {
        RunShelf shelf;
        const RunFolder going = begunRun(shelf.place, "going", 3); // as another process writes it
        shelf.open();
        QCOMPARE(shelf.text("going", RunsModel::State), QStringLiteral("Running"));
        shelf.select("going");
        const RunsActions& actions = shelf.panel().actions();
        for (QAction* action : {actions.rename, actions.remove, actions.goOn}) {
            shelf.window().messages().hide();
            action->trigger();
            const QString said = shelf.window().messages().shownText(); // at once
            const QString expected =
                action == actions.goOn ? "going is still being written or closed" : "Stop it first";
            QVERIFY2(said.contains(expected), qPrintable(action->text() + ": " + said));
        }
        QVERIFY(!shelf.window().controller().experiment().has_value());
        QVERIFY(QApplication::activeModalWidget() == nullptr);
        QVERIFY(QFileInfo::exists(shelf.place + "/going"));
    }

    void notesAreKept()
    {
        RunShelf shelf;
        shelf.add("mine-1", 3, RunState::Stopped);
        shelf.open();
        shelf.select("mine-1");
        shelf.panel().actions().note->trigger();
        shelf.typeIntoCell("twice as wide");
        QTRY_COMPARE(contentOf(shelf.place + "/mine-1/note.txt"), QByteArray("twice as wide"));
        QTRY_COMPARE(shelf.text("mine-1", RunsModel::Note), QStringLiteral("twice as wide"));
        shelf.panel().actions().note->trigger();
        shelf.typeIntoCell(" ");
        QTRY_VERIFY(!QFileInfo::exists(shelf.place + "/mine-1/note.txt"));
    }

    void typingOutlivesAReading()
    {
        RunShelf shelf;
        shelf.add("mine-1", 3, RunState::Stopped);
        shelf.open();
        shelf.select("mine-1");
        shelf.panel().actions().note->trigger();
        QTest::keyClicks(QApplication::focusWidget(), "half");
        shelf.add("mine-2", 3, RunState::Stopped);
        shelf.panel().refresh();
        QTRY_COMPARE(shelf.rows(), 2);
        QCOMPARE(qobject_cast<QLineEdit*>(QApplication::focusWidget())->text(), QStringLiteral("half"));
    }

    void deletesIntoTheTrashWhenTold()
    {
        RunShelf shelf;
        for (const char* name : {"mine-1", "mine-2", "mine-3"})
            shelf.add(name, 3, RunState::Stopped);
        shelf.open();
        shelf.select("mine-1");
        {
            Answering cancel(QMessageBox::Cancel);
            QTest::keyClick(&shelf.panel().view(), Qt::Key_Delete);
            QTRY_COMPARE(cancel.asked, 1);
        }
        QCOMPARE(shelf.rows(), 3);
        shelf.panel().view().selectAll();
        Answering yes(QStringLiteral("Move to Trash"));
        shelf.activate();
        QTest::keyClick(&shelf.panel().view(), Qt::Key_Delete);
        QTRY_COMPARE(yes.asked, 1);
        QTRY_VERIFY(shelf.panel().isEmpty());
        QCOMPARE(QDir(shelf.bin).entryList(QDir::Dirs | QDir::NoDotAndDotDot),
                 (QStringList{"mine-1", "mine-2", "mine-3"}));
    }

    void aTrashThatRefusesLosesNothing()
    {
        RunShelf shelf;
        shelf.add("mine-1", 3, RunState::Stopped);
        shelf.trashWorks = false;
        shelf.open();
        shelf.select("mine-1");
        Answering yes(QStringLiteral("Move to Trash"));
        shelf.panel().actions().remove->trigger();
        QTRY_VERIFY(shelf.window().messages().shownText().contains("Not moved to the trash: mine-1"));
        QVERIFY(QFileInfo::exists(shelf.place + "/mine-1/experiment.unroll"));
        QCOMPARE(shelf.rows(), 1);
    }

    void ticksGiveCurves()
    {
        RunShelf shelf;
        for (int i = 1; i <= 9; ++i)
            shelf.add(QStringLiteral("mine-%1").arg(i), i, RunState::Stopped);
        shelf.open();
        QSignalSpy changes(&shelf.panel(), &RunsPanel::overlaysChanged);
        shelf.select("mine-3");
        QTest::keyClick(&shelf.panel().view(), Qt::Key_Space);
        QTRY_COMPARE(changes.size(), 1);
        shelf.tickByMouse("mine-5");
        QTRY_COMPARE(changes.size(), 2);
        const auto curves = changes.back().front().value<std::vector<CurveOverlay>>();
        QCOMPARE(curves.size(), std::size_t{2});
        QCOMPARE(curves[1].name, QStringLiteral("mine-5"));
        QCOMPARE(curves[1].rows.size(), std::size_t{5});
        QCOMPARE(curves[1].rows.back().values.at("train/loss"), 0.6);
        QTest::keyClick(&shelf.panel().view(),
                        Qt::Key_Space); // the selection is still on mine-3, or on the one clicked
        QTRY_COMPARE(changes.size(), 3);
        QCOMPARE(changes.back().front().value<std::vector<CurveOverlay>>().size(), std::size_t{1});
        shelf.panel().view().selectAll();
        shelf.panel().actions().overlay->trigger();
        QVERIFY(shelf.panel().model().overlaid().size() <= RunsModel::kMostOverlaid);
    }

    void theMenuHasItsKeys()
    {
        RunShelf shelf;
        shelf.add("mine-1", 3, RunState::Stopped);
        shelf.open();
        shelf.select("mine-1");
        Q_EMIT shelf.panel().view().customContextMenuRequested({10, 10});
        auto* menu = shelf.panel().findChild<QMenu*>("runsMenu");
        QVERIFY(menu != nullptr && menu->isVisible());
        QStringList words;
        for (const QAction* entry : menu->actions())
            if (!entry->isSeparator())
                words << entry->text();
        QCOMPARE(words.size(), 9);
        QVERIFY(words.contains("Rename\tF2") && words.contains("Open Run\tEnter"));
        menu->close();
    }

    void theDiskAnswersInTheWindowsThread()
    {
        std::vector<int> answers;
        QString trouble;
        {
            DiskThread disk;
            QThread* const here = QThread::currentThread();
            connect(&disk, &DiskThread::failed, this, [&](const QString& sentence) { trouble = sentence; });
            for (int i = 0; i < 5; ++i)
                disk.ask([&, i, here](const std::stop_token&) -> DiskThread::Answer {
                    if (i == 2)
                        throw std::bad_alloc();
                    const bool elsewhere = QThread::currentThread() != here;
                    return [&, i, elsewhere, here] {
                        answers.push_back(elsewhere && QThread::currentThread() == here ? i : -1);
                    };
                });
            QTRY_COMPARE(answers, (std::vector<int>{0, 1, 3, 4}));
            QVERIFY(!trouble.isEmpty());
            disk.ask([&](const std::stop_token& stop) -> DiskThread::Answer {
                while (!stop.stop_requested())
                    std::this_thread::yield();
                return [&] { answers.push_back(9); };
            });
        }
        QCoreApplication::processEvents();
        QCOMPARE(answers.size(), std::size_t{4}); // nobody was there for the last one
    }

    void aNarrowPanelShowsWhatMattersMost()
    {
        Studio studio;
        RunsModel model(studio.appearance);
        RunSummary run;
        run.folder = "/runs/a-rather-long-name-of-a-run-1";
        run.state = RunState::Stopped;
        run.best = 1.25;
        run.steps = 2000;
        run.started = 1'700'000'000;
        run.device = "cpu, 2 threads";
        run.note = "what was tried";
        model.setRuns({run});
        RunsView view(model, ColumnSettings(studio.context.settings));
        for (const int width : {260, 400, 700, 1200}) {
            view.resize(width, 300);
            view.show();
            view.fitColumns();
            QVERIFY(!view.isColumnHidden(RunsModel::Name));
            int total = 0;
            for (int column = 0; column < RunsModel::ColumnCount; ++column)
                total += view.isColumnHidden(column) ? 0 : view.columnWidth(column);
            QVERIFY2(total <= view.viewport()->width(), qPrintable(QString::number(width)));
            QVERIFY(!view.isColumnHidden(RunsModel::State));
            for (int column = 1; column < RunsModel::ColumnCount; ++column)
                QVERIFY2(view.isColumnHidden(column) ||
                             view.columnWidth(column) >= view.header()->sectionSizeHint(column),
                         qPrintable(QString::number(width) + ": " + QString::number(column)));
            QVERIFY(width < 400 || !view.isColumnHidden(RunsModel::Best));
            QVERIFY(width < 1200 || !view.isColumnHidden(RunsModel::Note));
        }
    }

    void aWidthThatIsDraggedStays()
    {
        RunShelf shelf;
        shelf.add("mine-1", 20, RunState::Finished, 1.25);
        shelf.open();
        shelf.window().resize(1800, 900);
        shelf.settle();
        QHeaderView& header = *shelf.panel().view().header();
        QVERIFY(!header.isSectionHidden(RunsModel::State));
        const int before = header.sectionSize(RunsModel::State);
        const auto edge = [&] {
            return QPoint(header.sectionViewportPosition(RunsModel::State) + header.sectionSize(RunsModel::State) - 2,
                          header.height() / 2);
        };
        const QPoint from = edge(), to = from + QPoint(60, 0);
        QTest::mousePress(header.viewport(), Qt::LeftButton, {}, from);
        QMouseEvent move(QEvent::MouseMove, QPointF(to), header.viewport()->mapToGlobal(to), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(header.viewport(), &move);
        QTest::mouseRelease(header.viewport(), Qt::LeftButton, {}, to);
        QCoreApplication::processEvents();
        QVERIFY(header.sectionSize(RunsModel::State) > before + 20);
        const int chosen = header.sectionSize(RunsModel::State);
        shelf.panel().view().fitColumns();
        QCOMPARE(header.sectionSize(RunsModel::State), chosen);
        RunsModel model(shelf.studio.appearance);
        RunsView later(model, ColumnSettings(shelf.studio.context.settings)); // another window
        later.resize(1200, 300);
        later.show();
        later.fitColumns();
        QCOMPARE(later.columnWidth(RunsModel::State), chosen);
        QTest::mouseDClick(header.viewport(), Qt::LeftButton, {}, edge());
        QTRY_COMPARE(header.sectionSize(RunsModel::State), before);
    }

    /// A selected row that was scrolled away comes back with the keyboard, and stays where it is when a mouse is used.
    void tabShowsTheRowThatHasTheKeyboard()
    {
        RunShelf shelf;
        for (int i = 0; i < 40; ++i)
            shelf.add(QStringLiteral("mine-%1").arg(i, 2, 10, QLatin1Char('0')), 3, RunState::Stopped);
        shelf.open();
        RunsView& view = shelf.panel().view();
        view.select(view.filter().mapToSource(view.filter().index(0, 0)).row());
        const auto rowIsSeen = [&] {
            return view.viewport()->rect().contains(view.visualRect(view.currentIndex()).center());
        };
        for (const Qt::Key key : {Qt::Key_Tab, Qt::Key_Backtab}) {
            view.scrollToBottom();
            QVERIFY(!rowIsSeen());
            shelf.panel().filterField().setFocus();
            QVERIFY(!rowIsSeen());
            for (int presses = 0; presses < 200 && !view.hasFocus(); ++presses)
                QTest::keyClick(QApplication::focusWidget(), key);
            QVERIFY(view.hasFocus());
            QVERIFY(rowIsSeen());
        }
        view.scrollToBottom();
        shelf.panel().filterField().setFocus();
        view.setFocus(Qt::MouseFocusReason);
        QVERIFY(!rowIsSeen());
    }
};

static const AreaOf<RunsTest> runsTestArea("runs");

} // namespace unroll::test

#include "runs_test.moc"
