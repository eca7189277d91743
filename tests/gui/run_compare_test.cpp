// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of two runs, side by side.
#include "app/studio/runs/run_comparison.h"
#include "tests/gui/area.h"
#include "tests/gui/run_shelf.h"

#include <QClipboard>
#include <QMenu>

namespace unroll::test {

namespace {

RunComparison* comparison(RunShelf& shelf)
{
    return shelf.window().findChild<RunComparison*>();
}

void selectBoth(RunShelf& shelf)
{
    shelf.panel().view().sortByColumn(RunsModel::Name, Qt::AscendingOrder);
    shelf.panel().view().selectAll();
}

QStringList rowOf(const RunComparison& dialog, const QString& place)
{
    const auto found = dialog.table().findItems(place, Qt::MatchExactly, 0);
    return found.size() == 1 ? QStringList{found.front()->text(1), found.front()->text(2)} : QStringList();
}

} // namespace

class RunCompareTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void twoSelectedRunsAreCompared()
    {
        RunShelf shelf;
        Experiment other = testing::tinyExperiment("lstm", 48);
        other.training.learningRate = 2e-3;
        other.seed = 9;
        makeRun(shelf.place, "mine-1", 3, RunState::Stopped);
        makeRun(shelf.place, "mine-2", 3, RunState::Stopped, {}, other);
        makeRun(shelf.place, "mine-3", 3, RunState::Stopped);
        shelf.open();
        QAction* compare = shelf.panel().actions().compare;
        shelf.select("mine-1");
        QVERIFY(!compare->isEnabled());
        selectBoth(shelf);
        QVERIFY(!compare->isEnabled()); // three
        shelf.panel().filterField().setText("mine");
        shelf.panel().view().selectionModel()->select(shelf.panel().view().filter().index(2, 0),
                                                      QItemSelectionModel::Deselect | QItemSelectionModel::Rows);
        QCOMPARE(shelf.selected(), (QStringList{"mine-1", "mine-2"}));
        QVERIFY(compare->isEnabled());
        compare->trigger();
        QTRY_VERIFY(comparison(shelf) != nullptr && comparison(shelf)->isVisible());
        const RunComparison& dialog = *comparison(shelf);
        QCOMPARE(dialog.windowTitle(), QStringLiteral("Settings of mine-1 and mine-2"));
        QCOMPARE(dialog.table().topLevelItemCount(), 3);
        QCOMPARE(dialog.shownText(), QStringLiteral("3 settings differ."));
        QCOMPARE(rowOf(dialog, "seed"), (QStringList{"1", "9"}));
        QCOMPARE(rowOf(dialog, "training.learning_rate"), (QStringList{"0.005", "0.002"}));
        QCOMPARE(rowOf(dialog, "lstm.units"), (QStringList{"24", "48"}));
        for (auto* button : dialog.findChildren<QPushButton*>())
            if (button->text().contains("Copy"))
                button->click();
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 QStringLiteral("Setting\tmine-1\tmine-2\nseed\t1\t9\ntraining.learning_rate\t0.005\t0.002\nlstm."
                                "units\t24\t48\n"));
    }

    void sameSettingsAreSaid()
    {
        RunShelf shelf;
        makeRun(shelf.place, "mine-1", 3, RunState::Stopped);
        makeRun(shelf.place, "mine-2", 9, RunState::Finished, 1.5);
        shelf.open();
        selectBoth(shelf);
        shelf.panel().actions().compare->trigger();
        QTRY_VERIFY(comparison(shelf) != nullptr);
        QVERIFY(comparison(shelf)->shownText().startsWith("These runs have identical settings"));
        QVERIFY(!comparison(shelf)->table().isVisible());
    }

    void aRunThatIsGoneIsSaid()
    {
        RunShelf shelf;
        makeRun(shelf.place, "mine-1", 3, RunState::Stopped);
        makeRun(shelf.place, "mine-2", 3, RunState::Stopped);
        QVERIFY(QDir().mkpath(shelf.place + "/foreign"));
        shelf.open();
        shelf.panel().filterField().setText("mine");
        selectBoth(shelf);
        QVERIFY(QFile::remove(shelf.place + "/mine-2/experiment.unroll"));
        shelf.panel().actions().compare->trigger();
        QTRY_VERIFY2(shelf.window().messages().shownText().contains("cannot be compared"),
                     qPrintable(shelf.window().messages().shownText()));
        QVERIFY(comparison(shelf) == nullptr);
    }

    void theMenuOffersIt()
    {
        RunShelf shelf;
        makeRun(shelf.place, "mine-1", 3, RunState::Stopped);
        makeRun(shelf.place, "mine-2", 3, RunState::Stopped);
        shelf.open();
        selectBoth(shelf);
        Q_EMIT shelf.panel().view().customContextMenuRequested({10, 10});
        auto* menu = shelf.panel().findChild<QMenu*>("runsMenu");
        QVERIFY(menu != nullptr);
        const QList<QAction*> entries = menu->actions();
        QVERIFY(std::any_of(entries.begin(), entries.end(), [](const QAction* entry) {
            return entry->text() == "Compare Settings" && entry->isEnabled();
        }));
        menu->close();
    }

    void whatIsMissingOrEmptyIsSaid()
    {
        QCOMPARE(sideText({}), QString(QChar(0x2013)));
        QCOMPARE(sideText(std::string()), QStringLiteral("(empty)"));
        QCOMPARE(comparisonText("a", "b", {{"text.file", "x\ty\nz", {}}}),
                 QStringLiteral("Setting\ta\tb\ntext.file\tx y z\t\u2013\n"));
    }
};

static const AreaOf<RunCompareTest> runCompareTestArea("runCompare");

} // namespace unroll::test

#include "run_compare_test.moc"
