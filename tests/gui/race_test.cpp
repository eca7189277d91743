// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/compare/comparing.h"
#include "app/studio/race/race_panel.h"
#include "app/studio/window/race_commands.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/made_race.h"
#include "tests/gui/parts.h"
#include "tests/gui/waiting.h"

#include <QDropEvent>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QUrl>

namespace unroll::test {

namespace {

int rowOfLane(const LaneListModel& lanes, const std::string& block)
{
    for (int row = 0; row < lanes.rowCount(); ++row)
        if (lanes.specAt(row).id == block)
            return row;
    return -1;
}

/// The panel with a race that was made, as the disk has it.
RacePanel& panelWith(Studio& studio, const std::vector<std::int64_t>& reached, const QString& name = "cells")
{
    const QString folder = studio.folder.filePath("races/" + name);
    makeRace(folder, madeLanes(), {1, 2, 3}, reached);
    studio.window.race().open(folder);
    RacePanel& panel = studio.window.panel<RacePanel>();
    (void)comes([&] { return panel.results() != nullptr && panel.folder() == folder; });
    return panel;
}

QStringList namesInOrder(const RacePanel& panel)
{
    QStringList names;
    for (const RaceRow& row : panel.shownRows())
        names << QString::fromStdString(row.lane);
    return names;
}

const std::vector<std::int64_t> kWholeRace(12, 100);

} // namespace

/// Compare Cells and the Race panel.
class RaceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theCommandIsThereForWhatCanBeCompared()
    {
        Studio studio;
        QAction& compare = *studio.window.actions().compareCells;
        studio.window.scene().pick({});
        QVERIFY(!compare.isEnabled());
        studio.window.scene().select({studio.id("lstm")});
        QVERIFY(compare.isEnabled());
        studio.window.scene().select({studio.id("text")});
        QVERIFY(!compare.isEnabled());
        studio.window.scene().select({studio.id("lstm")});
        studio.window.actions().contextMenu->trigger();
        auto* menu = studio.window.findChild<QMenu*>("contextMenu");
        QVERIFY(menu != nullptr && menu->actions().contains(&compare));
        menu->close();
    }

    void aGroupOffersTheNodesInside()
    {
        Studio studio;
        studio.window.scene().select({studio.id("lstm"), studio.id("lstm_2")});
        studio.window.actions().group->trigger();
        QTRY_VERIFY(studio.graph().findByName("lstm") == nullptr);
        QVERIFY(studio.window.actions().compareCells->isEnabled());
        RaceDialog* dialog = studio.window.race().showDialog();
        QVERIFY(dialog != nullptr);
        auto* places = dialog->findChild<QComboBox*>("racePlace");
        QCOMPARE(places->count(), 3); // the whole group first
        QVERIFY2(places->itemText(1).contains(".lstm"), qPrintable(places->itemText(1)));
        places->setCurrentIndex(1);
        QTRY_VERIFY(isSolved(*dialog));
        QVERIFY(dialog->lanes().fitAt(0)->fault.isEmpty());
    }

    void widthsAreSolvedBeforeAnythingStarts()
    {
        Studio studio;
        RaceDialog* dialog = dialogFor(studio, "lstm");
        QVERIFY(dialog != nullptr);
        const LaneListModel& lanes = dialog->lanes();
        QCOMPARE(QString::fromStdString(lanes.specAt(0).id), "lstm"); // its own first, ticked
        QVERIFY(lanes.isTicked(0));
        QCOMPARE(lanes.fitAt(0)->width, "as it is");
        QCOMPARE(lanes.fitAt(0)->deviation, 0.0);
        for (const char* block : {"gru", "sru", "mru"}) {
            const int row = rowOfLane(lanes, block);
            QVERIFY2(row > 0 && lanes.fitAt(row), block);
            const LaneFit& fit = *lanes.fitAt(row);
            QVERIFY2(fit.fault.isEmpty(), qPrintable(fit.fault));
            QVERIFY2(std::abs(fit.deviation) <= kMatchTolerance, block);
            QVERIFY2(fit.width.contains(" = "), qPrintable(fit.width));
        }
        QCOMPARE(rowOfLane(lanes, "text"), -1);
    }

    void whatCannotBeComparedIsRefusedInWords()
    {
        Studio studio;
        RaceDialog* dialog = dialogFor(studio, "lstm");
        QVERIFY2(dialog->note().contains("two or more"), qPrintable(dialog->note()));
        QVERIFY(!partNamed<QPushButton>(*dialog, "raceStart").isEnabled());
        const int gru = rowOfLane(dialog->lanes(), "gru");
        dialog->lanes().tick(gru, true);
        QVERIFY(partNamed<QPushButton>(*dialog, "raceStart").isEnabled());
        const QString planned = QString("2 lanes %1 1 seed: 2 runs of").arg(QChar(0x00d7));
        QVERIFY2(dialog->note().startsWith(planned), qPrintable(dialog->note()));
        const QModelIndex settings = dialog->lanes().index(gru, LaneListModel::Settings);
        QVERIFY(dialog->lanes().setData(settings, "unitz=3", Qt::EditRole));
        QTRY_VERIFY(isSolved(*dialog));
        QVERIFY2(dialog->note().contains("unitz"), qPrintable(dialog->note()));
        QVERIFY(!partNamed<QPushButton>(*dialog, "raceStart").isEnabled());
        QVERIFY(dialog->lanes().setData(settings, "", Qt::EditRole));
        QTRY_VERIFY(partNamed<QPushButton>(*dialog, "raceStart").isEnabled());
        QFile other(studio.folder.filePath("other/file"));
        QVERIFY(QDir().mkpath(studio.folder.filePath("other")) && other.open(QIODevice::WriteOnly));
        partNamed<QLineEdit>(*dialog, "raceFolder").setText(studio.folder.filePath("other"));
        QVERIFY2(dialog->note().contains("other files"), qPrintable(dialog->note()));
        QVERIFY(!partNamed<QPushButton>(*dialog, "raceStart").isEnabled());
    }

    void aVariantIsALaneOfItsOwn()
    {
        Studio studio;
        RaceDialog* dialog = dialogFor(studio, "lstm");
        const int before = dialog->lanes().rowCount();
        dialog->view().setCurrentIndex(dialog->view().model()->index(0, 0));
        QVERIFY(clickOn(*dialog, "Add &Variant"));
        QCOMPARE(dialog->lanes().rowCount(), before + 1);
        QVERIFY(
            dialog->lanes().setData(dialog->lanes().index(1, LaneListModel::Settings), "num_layers = 2", Qt::EditRole));
        QCOMPARE(dialog->lanes().wishAt(1), "lstm:num_layers=2");
        QTRY_VERIFY(partNamed<QPushButton>(*dialog, "raceStart").isEnabled());
    }

    void startTrainsEveryLaneAsTheCommandLineDoes()
    {
        Studio studio;
        const QString cli = QCoreApplication::applicationDirPath() + "/../../app/cli/unroll-cli";
        QVERIFY(QFile::exists(cli));
        const QString file = studio.folder.filePath("tiny.unroll");
        QVERIFY(saveExperiment(testing::tinyExperiment(), file.toStdString()));
        QVERIFY(studio.window.files().open(file));
        QTRY_VERIFY(!studio.window.document().checked()->order.empty());
        RacePanel& panel = studio.window.panel<RacePanel>();
        studio.context.commandLine = cli;
        RaceDialog* dialog = dialogFor(studio, "lstm");
        QVERIFY(dialog != nullptr);
        dialog->lanes().tick(rowOfLane(dialog->lanes(), "gru"), true);
        partNamed<NumberField>(*dialog, "raceBudget").setNumber(std::int64_t{6});
        partNamed<NumberField>(*dialog, "raceSeeds").setNumber(std::int64_t{2});
        const QString folder = dialog->form().folder();
        QVERIFY2(folder.endsWith("/races/tiny-lstm"), qPrintable(folder));
        QTRY_VERIFY(partNamed<QPushButton>(*dialog, "raceStart").isEnabled());
        QPointer<RaceDialog> open(dialog);
        partNamed<QPushButton>(*dialog, "raceStart").click();
        QTRY_VERIFY(panel.folder() == folder);
        QTRY_VERIFY(open.isNull());
        QVERIFY(studio.window.panels().dock("race").isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(panel.isFree(), 180000);
        QTRY_VERIFY2(panel.results() != nullptr && panel.results()->doneCount() == 4, qPrintable(panel.shownText()));
        QVERIFY2(panel.shownText().startsWith("Done, 4 of 4 runs."), qPrintable(panel.shownText()));
        for (const RaceLaneResults& lane : panel.results()->lanes)
            for (const RaceRun& run : lane.runs)
                QVERIFY(run.samples.size() == 6 && run.memory > 1e6 && std::isfinite(run.samples.back().train));
        QVERIFY(QFile::exists(folder + "/table.tex")); // the command line's own
    }

    void theTableIsSortedByItsHeadings()
    {
        Studio studio;
        RacePanel& panel = panelWith(studio, kWholeRace);
        QCOMPARE(namesInOrder(panel), QStringList({"mru", "gru", "lstm", "sru"})); // least loss first
        panel.table().sortByColumn(RaceTableModel::Parameters, Qt::DescendingOrder);
        QCOMPARE(namesInOrder(panel), QStringList({"mru", "gru", "lstm", "sru"}));
        panel.table().sortByColumn(RaceTableModel::Name, Qt::AscendingOrder);
        QCOMPARE(namesInOrder(panel), QStringList({"gru", "lstm", "mru", "sru"}));
        const QAbstractItemModel& table = *panel.table().model();
        QCOMPARE(table.index(0, RaceTableModel::Runs).data().toString(), "3 / 3");
        QCOMPARE(table.rowCount(table.index(0, 0)), 3);
        QCOMPARE(table.index(1, 0, table.index(0, 0)).data().toString(), "seed 2");
    }

    void figuresAreMeansOverSeeds()
    {
        Studio studio;
        RacePanel& panel = panelWith(studio, kWholeRace);
        const MadeLane gru = madeLanes()[1];
        std::vector<double> losses;
        for (std::size_t seed = 0; seed < 3; ++seed)
            losses.push_back(madeLoss(gru, seed, 100, 100));
        const Interval band = bootstrapInterval(losses);
        const QAbstractItemModel& table = *panel.table().model();
        QCOMPARE(table.index(1, RaceTableModel::Loss).data(RaceTableModel::SortRole).toDouble(), meanOf(losses));
        QCOMPARE(table.index(1, RaceTableModel::Spread).data().toString(),
                 QString("%1 – %2").arg(band.low, 0, 'f', 4).arg(band.high, 0, 'f', 4));
        QCOMPARE(table.index(1, RaceTableModel::Bits).data(RaceTableModel::SortRole).toDouble(),
                 meanOf(losses) / std::log(2.0));
        const ChartPicture& picture = panel.chart().picture();
        QCOMPARE(picture.bands.size(), std::size_t{4});
        const auto drawn = std::find_if(picture.bands.begin(), picture.bands.end(),
                                        [](const ChartBand& each) { return each.color == laneColor(1); });
        QVERIFY(drawn != picture.bands.end());
        QCOMPARE(drawn->edges.size(), std::size_t{20});
        QCOMPARE(drawn->edges.back().low, band.low);
        QCOMPARE(drawn->edges.back().high, band.high);
    }

    void curvesRunOverStepsTokensTimeAndFlops()
    {
        Studio studio;
        RacePanel& panel = panelWith(studio, kWholeRace);
        const auto last = [&] {
            const auto& series = panel.chart().picture().series;
            return std::find_if(series.begin(), series.end(), [](const ChartSeries& each) { return each.id == 0; })
                ->points.back()
                .x();
        };
        QCOMPARE(last(), 100.0);
        partNamed<QComboBox>(panel, "raceAxis").setCurrentIndex(1);
        QCOMPARE(last(), 6400.0);
        partNamed<QComboBox>(panel, "raceAxis").setCurrentIndex(2);
        QCOMPARE(last(), 12.5);
        partNamed<QComboBox>(panel, "raceAxis").setCurrentIndex(3);
        QCOMPARE(last(), 6400.0 * 120'000);
        partNamed<QComboBox>(panel, "raceMetric").setCurrentIndex(1);
        QCOMPARE(panel.chart().picture().y.title, "bits/token");
        Q_EMIT panel.chart().hovered(1e9);
        QVERIFY2(panel.chart().shownText().join('\n').contains("step 100"),
                 qPrintable(panel.chart().shownText().join('\n')));
    }

    void aSeedThatIsAheadIsAFaintLine()
    {
        Studio studio;
        RacePanel& panel = panelWith(studio, {100, 100, 100, 100, 100, 60});
        QVERIFY2(panel.shownText().startsWith("Stopped, 5 of 12 runs."), qPrintable(panel.shownText()));
        QVERIFY(partNamed<QToolButton>(panel, "raceResume").isEnabled());
        const auto& series = panel.chart().picture().series;
        QCOMPARE(std::count_if(series.begin(), series.end(),
                               [](const ChartSeries& each) { return each.look.shape == SeriesLook::Shape::FaintLine; }),
                 1); // gru's first seed, beyond step 60
        QCOMPARE(panel.table().model()->index(0, RaceTableModel::Runs).data().toString(), "1 / 3");
    }

    void tablesAndCurvesAreSaved()
    {
        Studio studio;
        RacePanel& panel = panelWith(studio, kWholeRace);
        panel.table().sortByColumn(RaceTableModel::Name, Qt::AscendingOrder);
        for (const auto& [name, format] :
             {std::pair("t.csv", RaceTableFormat::Csv), std::pair("t.md", RaceTableFormat::Markdown),
              std::pair("t.tex", RaceTableFormat::Latex)}) {
            const QString path = studio.folder.filePath(name);
            panel.saveTable(format, path);
            QTRY_VERIFY(QFile::exists(path));
            QTRY_VERIFY(studio.window.messages().shownText().contains(name));
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(file.readAll(), QByteArray::fromStdString(raceTable(panel.shownRows(), format)));
        }
        panel.saveCurves(studio.folder.filePath("curves.csv"));
        QFile curves(studio.folder.filePath("curves.csv"));
        QTRY_VERIFY(curves.exists());
        QVERIFY(curves.open(QIODevice::ReadOnly));
        QCOMPARE(curves.readAll().split('\n').size(), 4 * 20 + 2);
    }

    void aDoubleClickOpensTheRun()
    {
        Studio studio;
        RacePanel& panel = panelWith(studio, kWholeRace);
        Q_EMIT panel.table().activated(panel.table().model()->index(0, 0)); // mru, whose best is seed 1
        QTRY_VERIFY(studio.window.controller().isRecord());
        QCOMPARE(QString::fromStdString(studio.window.controller().folder()), panel.folder() + "/runs/mru-seed-1");
    }

    void twoLanesAreLookedAtSideBySide()
    {
        Studio studio;
        RacePanel& panel = panelWith(studio, kWholeRace);
        const QAbstractItemModel& rows = *panel.table().model();
        for (const int row : {0, 1})
            panel.table().selectionModel()->select(rows.index(row, 0),
                                                   QItemSelectionModel::Select | QItemSelectionModel::Rows);
        QMenu menu;
        panel.table().fillMenu(menu);
        QVERIFY(!menu.actions().at(0)->isEnabled() && menu.actions().at(1)->isEnabled());
        menu.actions().at(1)->trigger();
        QTRY_VERIFY(studio.window.controller().isRecord());
        const Comparing& sides = *Comparing::of(studio.window.panel<StatePanel>());
        QTRY_COMPARE(QString::fromStdString(sides.side().folder), panel.folder() + "/runs/gru-seed-1");
        QVERIFY(studio.window.controller().folder().ends_with("mru-seed-1"));
    }

    void aRunThatHasNotBegunSaysSo()
    {
        Studio studio;
        RacePanel& panel = panelWith(studio, {100});
        panel.table().sortByColumn(RaceTableModel::Name, Qt::AscendingOrder);
        Q_EMIT panel.table().activated(panel.table().model()->index(0, 0));
        QVERIFY2(studio.window.messages().shownText().contains("not started"),
                 qPrintable(studio.window.messages().shownText()));
    }

    void aFolderWithoutARaceSaysWhy()
    {
        Studio studio;
        RacePanel& panel = studio.window.panel<RacePanel>();
        QVERIFY(panel.isEmpty());
        QVERIFY2(panel.shownText().contains("Compare Cells"), qPrintable(panel.shownText()));
        studio.window.race().open(studio.folder.filePath("nothing"));
        QTRY_VERIFY(panel.shownText().contains("race.json"));
        QVERIFY(panel.isEmpty());
    }

    void aDroppedFolderIsOpened()
    {
        Studio studio;
        const QString folder = studio.folder.filePath("races/dropped");
        makeRace(folder, madeLanes(), {1}, {100, 100});
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(folder)});
        QDropEvent drop(QPointF(400, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QDragEnterEvent enter(QPoint(400, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&studio.window, &enter);
        QVERIFY(enter.isAccepted());
        QApplication::sendEvent(&studio.window, &drop);
        QTRY_COMPARE(studio.window.panel<RacePanel>().folder(), folder);
    }

    void aProgramThatIsMissingIsTold()
    {
        Studio studio;
        RacePanel& panel = panelWith(studio, {100});
        studio.context.commandLine = studio.folder.filePath("no-such-program");
        partNamed<QToolButton>(panel, "raceResume").click();
        QTRY_VERIFY2(panel.shownText().contains("cannot be started"), qPrintable(panel.shownText()));
        QVERIFY(panel.isFree());
    }
};

static const AreaOf<RaceTest> raceTestArea("race");

} // namespace unroll::test

#include "race_test.moc"
