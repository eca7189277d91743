// SPDX-License-Identifier: GPL-3.0-or-later
// What the list of runs can show of them, in which order, and of which experiment.
#include "app/studio/runs/run_order.h"
#include "tests/gui/area.h"
#include "tests/gui/run_shelf.h"

#include <QApplication>
#include <QComboBox>
#include <QMenu>
#include <QRegularExpression>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <random>

namespace unroll::test {

namespace {

Experiment titled(const char* title, std::uint64_t seed = 1, double rate = 5e-3)
{
    Experiment experiment = testing::tinyExperiment();
    experiment.title = title;
    experiment.seed = seed;
    experiment.training.learningRate = rate;
    return experiment;
}

RunMeasures withParameters(std::int64_t parameters)
{
    RunMeasures measures = madeMeasures();
    measures.parameters = parameters;
    return measures;
}

RunSummary named(const std::string& name)
{
    RunSummary run;
    run.folder = "/runs/" + name;
    run.state = RunState::Stopped;
    run.steps = 30;
    return run;
}

/// The names in the order of a column.
QStringList sorted(RunsModel& model, RunsModel::Column column, Qt::SortOrder order)
{
    RunsFilter filter(model);
    filter.sort(column, order);
    QStringList names;
    for (int row = 0; row < filter.rowCount(); ++row)
        names << filter.index(row, RunsModel::Name).data().toString();
    return names;
}

void choose(RunsView& view, const QString& entry)
{
    QMenu menu;
    view.fillColumnsMenu(menu);
    for (QAction* action : menu.actions())
        if (action->text() == entry)
            action->trigger();
}

bool isTicked(RunsView& view, const QString& entry)
{
    QMenu menu;
    view.fillColumnsMenu(menu);
    const QList<QAction*> entries = menu.actions();
    return std::any_of(entries.begin(), entries.end(),
                       [&](const QAction* action) { return action->text() == entry && action->isChecked(); });
}

} // namespace

class RunColumnsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void parametersSeedRateAndExperimentAreColumns()
    {
        RunShelf shelf;
        makeRun(shelf.place, "mine-1", 3, RunState::Stopped, {}, titled("Two layers", 18446744073709551615U, 2e-4),
                withParameters(1234567));
        makeRun(shelf.place, "mine-2", 3, RunState::Stopped, {}, titled(""), {}); // of an earlier version
        QVERIFY(QDir().mkpath(shelf.place + "/foreign"));
        shelf.open();
        QCOMPARE(shelf.text("mine-1", RunsModel::Parameters), QStringLiteral("1,234,567"));
        QCOMPARE(shelf.text("mine-1", RunsModel::Seed), QStringLiteral("18446744073709551615"));
        QCOMPARE(shelf.text("mine-1", RunsModel::Rate), QStringLiteral("0.0002"));
        QCOMPARE(shelf.text("mine-1", RunsModel::Experiment), QStringLiteral("Two layers"));
        QCOMPARE(shelf.text("mine-1", RunsModel::Device), QStringLiteral("cpu, 2 threads"));
        QCOMPARE(shelf.text("mine-2", RunsModel::Parameters), QString());
        QCOMPARE(shelf.text("mine-2", RunsModel::Experiment), QStringLiteral("(untitled)"));
        for (const auto column : {RunsModel::Parameters, RunsModel::Seed, RunsModel::Rate, RunsModel::Experiment})
            QCOMPARE(shelf.text("foreign", column), QString());
        const QString details =
            shelf.panel().model().index(shelf.rowOf("mine-1"), RunsModel::Name).data(Qt::ToolTipRole).toString();
        QVERIFY2(details.contains("Parameters: 1,234,567") && details.contains("Seed: 1844674407370955161") &&
                     details.contains("Learning rate: 0.0002"),
                 qPrintable(details));
    }

    void columnsAreChosen()
    {
        RunShelf shelf;
        shelf.add("mine-1", 20, RunState::Finished, 1.25);
        shelf.open();
        shelf.window().resize(1100, 800);
        shelf.settle();
        RunsView& view = shelf.panel().view();
        QVERIFY(view.isColumnHidden(RunsModel::Seed) && !isTicked(view, "Seed"));
        choose(view, "Seed");
        choose(view, "Rate");
        QVERIFY(!view.isColumnHidden(RunsModel::Seed) && !view.isColumnHidden(RunsModel::Rate));
        QVERIFY(isTicked(view, "Seed"));
        QVERIFY(view.columnWidth(RunsModel::Seed) >= view.header()->sectionSizeHint(RunsModel::Seed));
        QVERIFY(!view.isColumnHidden(RunsModel::State) && isTicked(view, "State"));
        choose(view, "State");
        QVERIFY(view.isColumnHidden(RunsModel::State));
        RunsModel model(shelf.studio.appearance);
        RunsView later(model, ColumnSettings(shelf.studio.context.settings)); // another window
        later.resize(1600, 300);
        later.show();
        later.fitColumns();
        QVERIFY(!later.isColumnHidden(RunsModel::Seed) && later.isColumnHidden(RunsModel::State));
        choose(later, "Fit to Width");
        QVERIFY(!later.isColumnHidden(RunsModel::State));
        view.fitColumns();
        QVERIFY(!view.isColumnHidden(RunsModel::State) && view.isColumnHidden(RunsModel::Seed));
    }

    /// More than there is room for: they are reached by scrolling.
    void everyColumnThatIsAskedForIsShown()
    {
        RunShelf shelf;
        shelf.add("mine-1", 20, RunState::Finished, 1.25);
        shelf.open();
        RunsView& view = shelf.panel().view();
        for (int column = RunsModel::Name + 1; column < RunsModel::ColumnCount; ++column) {
            const QString heading = view.model()->headerData(column, Qt::Horizontal).toString();
            if (view.isColumnHidden(column))
                choose(view, heading);
            QVERIFY2(!view.isColumnHidden(column), qPrintable(heading));
        }
        int total = 0;
        for (int column = 0; column < RunsModel::ColumnCount; ++column)
            total += view.columnWidth(column);
        QVERIFY(total > view.viewport()->width());
        QTRY_VERIFY(view.horizontalScrollBar()->maximum() > 0);
    }

    /// By mouse: a right click on the headings, and the button beside the filter.
    void theMenusAreThere()
    {
        RunShelf shelf;
        shelf.add("mine-1", 20, RunState::Finished, 1.25);
        shelf.open();
        RunsView& view = shelf.panel().view();
        Q_EMIT view.header()->customContextMenuRequested({20, 5});
        auto* menu = view.findChild<QMenu*>("columnsMenu");
        QVERIFY(menu != nullptr && menu->isVisible());
        QCOMPARE(menu->actions().size(), RunsModel::ColumnCount - 1 + 2);
        menu->close();
        auto* button = shelf.panel().findChild<QToolButton*>("runsColumns");
        QVERIFY(button != nullptr && button->isVisible());
        Q_EMIT button->menu()->aboutToShow();
        QCOMPARE(button->menu()->actions().size(), RunsModel::ColumnCount - 1 + 2);
    }

    void numbersAreSortedAsNumbersAndWhatIsMissingIsLast()
    {
        Studio studio;
        RunsModel model(studio.appearance);
        std::vector<RunSummary> runs;
        const std::int64_t parameters[] = {9, 1000, 20, 0};
        const double rates[] = {1e-2, 5e-4, 1e-3, 0};
        const std::uint64_t seeds[] = {2, 10, 18446744073709551615U, 0};
        for (std::size_t i = 0; i < 4; ++i) {
            RunSummary run = named("run-" + std::to_string(i == 3 ? 10 : i));
            run.measures.parameters = parameters[i];
            if (i < 3) {
                run.learningRate = rates[i];
                run.seed = seeds[i];
            }
            run.best = i == 0 ? 10.5 : i == 1 ? 9.25 : i == 2 ? std::nan("") : 2.0;
            run.device = i < 2 ? (i == 0 ? "cpu, 16 threads" : "cpu, 2 threads") : "";
            runs.push_back(run);
        }
        model.setRuns(runs);
        using M = RunsModel;
        const auto up = [&](M::Column column) { return sorted(model, column, Qt::AscendingOrder).join(' '); };
        const auto down = [&](M::Column column) { return sorted(model, column, Qt::DescendingOrder).join(' '); };
        QCOMPARE(up(M::Parameters), QStringLiteral("run-0 run-2 run-1 run-10"));
        QCOMPARE(down(M::Parameters), QStringLiteral("run-1 run-2 run-0 run-10"));
        QCOMPARE(up(M::Rate), QStringLiteral("run-1 run-2 run-0 run-10"));
        QCOMPARE(down(M::Rate), QStringLiteral("run-0 run-2 run-1 run-10"));
        QCOMPARE(up(M::Seed), QStringLiteral("run-0 run-1 run-2 run-10"));
        QCOMPARE(down(M::Seed), QStringLiteral("run-2 run-1 run-0 run-10"));
        QCOMPARE(up(M::Best), QStringLiteral("run-10 run-1 run-0 run-2"));
        QCOMPARE(down(M::Best), QStringLiteral("run-0 run-1 run-10 run-2"));
        QCOMPARE(up(M::Name), QStringLiteral("run-0 run-1 run-2 run-10"));
        QCOMPARE(down(M::Name), QStringLiteral("run-10 run-2 run-1 run-0"));
        QVERIFY(up(M::Device).startsWith("run-1 run-0 "));
    }

    void textsAreSortedWithTheirNumbers()
    {
        QStringList words{"run-2", "Run-10", "run-1", "a", "", "run-02", "run", "18446744073709551617",
                          "99",    "b7c10",  "b7c9"};
        const QStringList expected{
            "", "99", "18446744073709551617", "a", "b7c9", "b7c10", "run", "run-1", "run-02", "run-2", "Run-10"};
        std::mt19937 random(3);
        for (int round = 0; round < 20; ++round) {
            std::shuffle(words.begin(), words.end(), random);
            std::sort(words.begin(), words.end(), [](const QString& a, const QString& b) { return comesBefore(a, b); });
            QCOMPARE(words, expected);
        }
        for (const QString& a : words)
            for (const QString& b : words)
                QVERIFY(!(comesBefore(a, b) && comesBefore(b, a)) &&
                        (comesBefore(a, b) || comesBefore(b, a) || a == b));
    }

    void oneExperimentsRunsAreListed()
    {
        RunShelf shelf;
        makeRun(shelf.place, "a-1", 3, RunState::Stopped, {}, titled("LSTM"));
        makeRun(shelf.place, "a-2", 3, RunState::Finished, {}, titled("LSTM"));
        QVERIFY(QDir().mkpath(shelf.place + "/foreign"));
        shelf.open();
        QComboBox& list = shelf.panel().bar().experiments();
        QVERIFY(!list.isVisible()); // there is nothing to choose
        makeRun(shelf.place, "b-1", 3, RunState::Finished, {}, titled("GRU"));
        shelf.panel().refresh();
        QTRY_VERIFY(list.isVisible());
        QCOMPARE(list.itemText(0), QStringLiteral("All experiments"));
        QCOMPARE(list.itemText(1), QStringLiteral("GRU (1)"));
        QCOMPARE(list.itemText(2), QStringLiteral("LSTM (2)"));
        QCOMPARE(shelf.rows(), 4);
        list.setCurrentIndex(2);
        QCOMPARE(shelf.names().size(), 2);
        QVERIFY(!shelf.names().contains("b-1"));
        shelf.panel().filterField().setText("finished"); // and words too
        QCOMPARE(shelf.names(), QStringList{"a-2"});
        makeRun(shelf.place, "c-1", 3, RunState::Finished, {}, titled("Another"));
        shelf.panel().refresh();
        QTRY_COMPARE(list.count(), 4);
        QCOMPARE(shelf.panel().bar().experiment(), std::optional<QString>("LSTM")); // it stays chosen
        QCOMPARE(shelf.names(), QStringList{"a-2"});
        shelf.panel().filterField().clear();
        list.setCurrentIndex(0);
        QCOMPARE(shelf.rows(), 5);
        list.setCurrentIndex(list.findText("GRU (1)"));
        QVERIFY(QDir(shelf.place + "/b-1").removeRecursively());
        shelf.panel().refresh();
        QTRY_COMPARE(shelf.rows(), 4); // whose runs are gone is let go of
        QCOMPARE(shelf.panel().bar().experiment(), std::optional<QString>());
    }

    void aNoteBeingTypedIsKeptWhenAnotherCellIsEdited()
    {
        RunShelf shelf;
        shelf.add("mine-1", 3, RunState::Stopped);
        shelf.open();
        shelf.select("mine-1");
        shelf.panel().actions().note->trigger();
        QTest::keyClicks(QApplication::focusWidget(), "twice");
        QTest::failOnWarning(QRegularExpression("editing failed"));
        shelf.panel().actions().rename->trigger();
        QTRY_COMPARE(contentOf(shelf.place + "/mine-1/note.txt"), QByteArray("twice"));
    }
};

static const AreaOf<RunColumnsTest> runColumnsTestArea("runColumns");

} // namespace unroll::test

#include "run_columns_test.moc"
