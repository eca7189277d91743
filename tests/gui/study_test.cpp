// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/figure/figure_panel_view.h"
#include "app/studio/study/study_figures.h"
#include "app/studio/study/study_panel.h"
#include "app/studio/window/file_drops.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/made_study.h"
#include "tests/gui/parts.h"
#include "tests/gui/stand_in_program.h"
#include "tests/gui/waiting.h"

#include <QClipboard>
#include <QComboBox>
#include <QDateTime>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QThread>
#include <QUrl>
#include <memory>

namespace unroll::test {

namespace {

/// The panel with a study that was made, as the disk has it.
StudyPanel& studyPanelWith(Studio& studio, const std::vector<MadeTrial>& trials)
{
    const QString file = makeStudy(studio.folder.filePath("studies"), trials);
    auto& panel = studio.window.panel<StudyPanel>();
    panel.open(file);
    (void)comes([&] { return panel.results() != nullptr; });
    (void)comeToRest(panel);
    return panel;
}

StudyPlot plotOf(const StudyPanel& panel)
{
    return {std::make_shared<const StudyResults>(*panel.results()), panel.watch()};
}

QToolButton& viewButton(const StudyPanel& panel, const QString& words)
{
    for (auto* button : panel.bar().findChildren<QToolButton*>())
        if (button->text() == words)
            return *button;
    qFatal("the bar has no %s", qPrintable(words));
}

std::vector<std::int64_t> allNumbers(const StudyPanel& panel)
{
    std::vector<std::int64_t> numbers = panel.table().shownTrials();
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

QByteArray commandOf(qint64 process)
{
    QFile comm(QString("/proc/%1/comm").arg(process));
    return comm.open(QIODevice::ReadOnly) ? comm.readAll() : QByteArray();
}

constexpr std::size_t kUnits = 0, kRate = 1, kOptimizer = 2, kMomentum = 3, kObjective = 4;

} // namespace

/// The panel Study.
class StudyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void valuesLieWhereTheirAxesSay()
    {
        Studio studio;
        std::vector<MadeTrial> trials(3);
        trials[0] = {"finished", 32, 1e-4, {}, 1.0, 1.0};
        trials[1] = {"finished", 256, std::pow(10.0, -2.5), 0.45, 2.0, 2.0};
        trials[2] = {"pruned", 144, 1e-1, {}, {}, 3.0};
        StudyPanel& panel = studyPanelWith(studio, trials);
        const StudyPlot plot = plotOf(panel);
        QCOMPARE(plot.axisCount(), std::size_t{5});
        QCOMPARE(*plot.share(0, kUnits), 0.0);
        QCOMPARE(*plot.share(1, kUnits), 1.0);
        QCOMPARE(*plot.share(2, kUnits), 0.5);
        QVERIFY(std::abs(*plot.share(1, kRate) - 0.5) < 1e-12); // log
        QCOMPARE(*plot.share(0, kOptimizer), 0.25);
        QCOMPARE(*plot.share(1, kOptimizer), 0.75);
        QVERIFY(!plot.share(0, kMomentum) && std::abs(*plot.share(1, kMomentum) - 0.5) < 1e-12);
        QVERIFY(std::abs(*plot.share(0, kObjective) - 0.04 / 1.08) < 1e-9); // from 1 to 3 with room at both ends
        QVERIFY(std::abs(*plot.share(2, kObjective) - 1.04 / 1.08) < 1e-9); // its last report
        QVERIFY(!plot.rank(2) && *plot.rank(0) == 1 && *plot.rank(1) == 0);
        const ParallelPlaces& places = panel.parallel().places();
        const auto whole = places.lineOf(plot, 1);
        QCOMPARE(whole.size(), std::size_t{1});
        QCOMPARE(whole[0].size(), std::size_t{5});
        QCOMPARE(whole[0][kRate], QPointF(places.axisX(kRate), places.area().center().y()));
        QCOMPARE(whole[0][kUnits], places.area().topLeft());
        QCOMPARE(places.lineOf(plot, 0).size(), std::size_t{2}); // it has no momentum
        QCOMPARE(places.shareAt(places.y(0.3)), 0.3);
        QVERIFY(places.axisAt({places.axisX(kOptimizer) + 3, places.y(0.5)}) == std::optional(kOptimizer));
    }

    void theTableIsBestFirstAndSorts()
    {
        Studio studio;
        const std::vector<MadeTrial> made = madeTrials();
        StudyPanel& panel = studyPanelWith(studio, made);
        const auto order = panel.table().shownTrials();
        QCOMPARE(order.size(), made.size());
        const auto valueAt = [&](std::size_t place) { return made[static_cast<std::size_t>(order[place])].value; };
        for (std::size_t i = 1; i < order.size(); ++i)
            QVERIFY(!valueAt(i) || (valueAt(i - 1) && *valueAt(i - 1) <= *valueAt(i)));
        QVERIFY(!valueAt(order.size() - 1));
        const QAbstractItemModel& table = *panel.table().model();
        QCOMPARE(table.headerData(StudyTableModel::Value, Qt::Horizontal).toString(), "loss");
        QCOMPARE(table.headerData(StudyTableModel::FixedCount + 1, Qt::Horizontal).toString(), "learning_rate");
        panel.table().sortByColumn(StudyTableModel::FixedCount, Qt::DescendingOrder);
        QCOMPARE(made[static_cast<std::size_t>(panel.table().shownTrials().front())].units, 256);
        partNamed<QToolButton>(panel, "studySave").menu()->actions().front()->trigger();
        const QStringList lines = QGuiApplication::clipboard()->text().split('\n');
        QVERIFY2(lines.front().startsWith("| Trial | State | loss |"), qPrintable(lines.front()));
        QCOMPARE(lines.size(), static_cast<qsizetype>(made.size()) + 3);
    }

    void aDragAlongAnAxisKeepsARange()
    {
        Studio studio;
        const std::vector<MadeTrial> made = madeTrials();
        StudyPanel& panel = studyPanelWith(studio, made);
        ParallelView& view = panel.parallel();
        const ParallelPlaces places = view.places();
        const auto at = [&](double share) { return QPointF(places.axisX(kUnits), places.y(share)).toPoint(); };
        QTest::mousePress(&view, Qt::LeftButton, {}, at(0.55));
        for (const double share : {0.7, 0.9, 1.0}) {
            const QPointF to(at(share));
            QMouseEvent move(QEvent::MouseMove, to, view.mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
            QApplication::sendEvent(&view, &move);
        }
        QTest::mouseRelease(&view, Qt::LeftButton, {}, at(1.0));
        QVERIFY(panel.watch().brushes.contains(kUnits));
        std::vector<std::int64_t> wanted;
        for (std::size_t i = 0; i < made.size(); ++i)
            if (made[i].units > 32 + 0.56 * 224)
                wanted.push_back(static_cast<std::int64_t>(i));
        QVERIFY(!wanted.empty() && wanted.size() < made.size());
        QCOMPARE(allNumbers(panel), wanted);
        QVERIFY2(panel.shownText().contains(QString("%1 trials are within").arg(wanted.size())),
                 qPrintable(panel.shownText()));
        QTest::mouseClick(&view, Qt::LeftButton, {}, at(0.1)); // beside it
        QVERIFY(panel.watch().brushes.empty());
        QCOMPARE(panel.table().shownTrials().size(), made.size());
    }

    void theAxesAreWalkedByKeys()
    {
        Studio studio;
        StudyPanel& panel = studyPanelWith(studio, madeTrials());
        ParallelView& view = panel.parallel();
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_Home);
        QTest::keyClick(&view, Qt::Key_Right);
        QTest::keyClick(&view, Qt::Key_Right); // the optimiser: a choice a step
        for (int i = 0; i < 5; ++i)
            QTest::keyClick(&view, Qt::Key_Up);
        QTest::keyClick(&view, Qt::Key_Down, Qt::ShiftModifier);
        QVERIFY(panel.watch().brushes.contains(kOptimizer));
        QCOMPARE(panel.watch().brushes.at(kOptimizer).from, 0.5);
        for (const std::int64_t trial : panel.table().shownTrials())
            QVERIFY(madeTrials()[static_cast<std::size_t>(trial)].momentum.has_value());
        QVERIFY(view.pointed().has_value());
        QVERIFY2(view.shownText().contains("sgd"), qPrintable(view.shownText()));
        QTest::keyClick(&view, Qt::Key_Space);
        QVERIFY(panel.watch().chosen.has_value());
        QTest::keyClick(&view, Qt::Key_Escape);
        QVERIFY(panel.watch().brushes.empty() && panel.watch().chosen);
        QTest::keyClick(&view, Qt::Key_Escape);
        QVERIFY(!panel.watch().chosen);
    }

    void slicesShowEachSettingAgainstTheObjective()
    {
        Studio studio;
        const std::vector<MadeTrial> made = madeTrials();
        StudyPanel& panel = studyPanelWith(studio, made);
        viewButton(panel, "Slices").click();
        QVERIFY(comeToRest(panel));
        const auto& panels = panel.slices().panels();
        QCOMPARE(panels.size(), std::size_t{4});
        const FigurePanel& rate = panels[0]->plot().panel(); // the most important one first
        QVERIFY2(rate.title.starts_with("training.learning_rate") && rate.title.ends_with("71 %"), rate.title.c_str());
        QVERIFY(rate.x.log && panels[0]->plot().axes().x.low < 1e-4 && panels[0]->plot().axes().x.high > 0.1);
        const FigureSeries& finished = rate.series[1];
        QCOMPARE(finished.x.size(), std::size_t{10});
        for (std::size_t i = 0; i < finished.x.size(); ++i) {
            const MadeTrial& trial = made[static_cast<std::size_t>(finished.units[i])];
            QVERIFY(std::abs(finished.x[i] / trial.rate - 1) < 1e-9 && std::abs(finished.y[i] - *trial.value) < 1e-9);
        }
        QCOMPARE(rate.series[0].x.size(), std::size_t{3}); // two pruned, one running
        const std::int64_t first = finished.units[0];      // the choice makes another figure
        const auto place = panels[0]->plot().placeOf({std::size_t{1}, 0, 0});
        QTest::mouseClick(panels[0], Qt::LeftButton, {}, place->toPoint());
        QVERIFY(panel.watch().chosen == std::optional(first));
        QCOMPARE(panel.table().currentIndex().data(StudyTableModel::NumberRole).toLongLong(), first);
        QCOMPARE(panels[1]->plot().panel().title, std::string("lstm.units  22 %"));
    }

    void importancesAreOptunas()
    {
        Studio studio;
        StudyPanel& panel = studyPanelWith(studio, madeTrials());
        viewButton(panel, "Importance").click();
        QVERIFY(comeToRest(panel));
        const Figure& figure = *panel.importance().figure();
        QCOMPARE(figure.panels.size(), std::size_t{1});
        const auto& labels = figure.panels[0].x.labels;
        QCOMPARE(labels, (std::vector<std::string>{"training.learning_rate", "lstm.units", "training.optimizer"}));
        QVERIFY(std::abs(figure.panels[0].series[0].y[0] - 71) < 1e-9);
        makeStudy(studio.folder.filePath("studies"), {madeTrials().front()}, false, false);
        QTRY_VERIFY(panel.results()->trials.size() == 1);
        QVERIFY2(panel.importance().shows().contains("two or more finished"), qPrintable(panel.importance().shows()));
    }

    void aRunIsOpenedFromTheTableAndTheBestByAButton()
    {
        Studio studio;
        StudyPanel& panel = studyPanelWith(studio, madeTrials());
        const std::int64_t best = panel.table().shownTrials().front();
        QSignalSpy asked(&panel, &StudyPanel::runAsked);
        Q_EMIT panel.table().activated(panel.table().model()->index(0, 0));
        QCOMPARE(asked.size(), 0);
        QVERIFY2(studio.window.messages().shownText().contains("has no run here"),
                 qPrintable(studio.window.messages().shownText()));
        const QString runs = studio.folder.filePath("studies/width-runs");
        makeRun(runs, QString("%1").arg(best, 4, 10, QChar('0')), 5, RunState::Finished, 0.9);
        auto& button = partNamed<QToolButton>(panel, "studyBest");
        QVERIFY(button.isVisible());
        button.click();
        QCOMPARE(asked.size(), 1);
        QTRY_VERIFY(studio.window.controller().isRecord());
        QVERIFY(studio.window.controller().folder().ends_with(fmt::format("width-runs/{:04}", best)));
    }

    void newTrialsComeWhileAnotherProgramTrains()
    {
        Studio studio;
        const std::vector<MadeTrial> made = madeTrials();
        const double now = static_cast<double>(QDateTime::currentSecsSinceEpoch());
        const QString folder = studio.folder.filePath("studies");
        const QString file = makeStudy(folder, {made.begin(), made.begin() + 3}, true, true, now);
        auto& panel = studio.window.panel<StudyPanel>();
        panel.open(file);
        QTRY_VERIFY(panel.results() != nullptr);
        QVERIFY2(panel.shownText().startsWith("Trained by another program, 3 of 14 trials."),
                 qPrintable(panel.shownText()));
        Q_EMIT panel.parallel().chosen(2);
        makeStudy(folder, made, true, true, now);
        QTRY_COMPARE(panel.table().shownTrials().size(), made.size());
        QVERIFY(panel.watch().chosen == std::optional<std::int64_t>(2));
        makeStudy(folder, made, true, true, now - 3600);
        QTRY_VERIFY2(panel.shownText().startsWith("Interrupted at"), qPrintable(panel.shownText()));
    }

    void whatCannotBeShownSaysWhy()
    {
        Studio studio;
        auto& panel = studio.window.panel<StudyPanel>();
        QVERIFY(panel.isEmpty());
        QVERIFY2(panel.shownText().contains("Open Study"), qPrintable(panel.shownText()));
        const QString folder = studio.folder.filePath("studies");
        QDir().mkpath(folder);
        panel.open(folder);
        QTRY_VERIFY2(panel.shownText().contains("no study lies here"), qPrintable(panel.shownText()));
        QVERIFY(!partNamed<QToolButton>(panel, "studyStart").isEnabled());
        const QString file = makeStudy(folder, {});
        QFile::remove(folder + "/width.study.json");
        panel.open(folder);
        QTRY_VERIFY2(panel.shownText().contains("width.toml has no results yet"), qPrintable(panel.shownText()));
        QVERIFY(partNamed<QToolButton>(panel, "studyStart").isEnabled());
        QFile broken(folder + "/width.study.json");
        QVERIFY(broken.open(QIODevice::WriteOnly) &&
                broken.write("{\"format\": \"unroll-study\", \"version\": 2}") > 0);
        broken.close();
        QTRY_VERIFY2(panel.shownText().contains("is of version 2"), qPrintable(panel.shownText()));
        makeStudy(folder, madeTrials());
        QTRY_VERIFY(panel.results() != nullptr && !panel.isEmpty());
        panel.open(folder + "/width-runs/"); // of the runs, which is not there
        QTRY_VERIFY2(panel.isEmpty() && panel.shownText().contains("study"), qPrintable(panel.shownText()));
    }

    void aStudyIsDroppedIn()
    {
        Studio studio;
        const QString folder = studio.folder.filePath("studies");
        const QString file = makeStudy(folder, madeTrials());
        for (const QString& dropped : {file, folder, folder + "/width.study.json"}) {
            QMimeData data;
            data.setUrls({QUrl::fromLocalFile(dropped)});
            QVERIFY(studio.window.findChild<FileDrops*>()->handleDrop(data));
            QTRY_VERIFY(studio.window.panel<StudyPanel>().results() != nullptr);
            QCOMPARE(studio.window.panel<StudyPanel>().file(), file);
            QVERIFY(studio.window.panels().dock("study").isVisible());
        }
    }

    void aProgramThatCannotTrainIsTold()
    {
        Studio studio;
        StudyPanel& panel = studyPanelWith(studio, {madeTrials().front()});
        auto& start = partNamed<QToolButton>(panel, "studyStart");
        const QString program = studio.folder.filePath("program");
        studio.context.commandLine = studio.folder.filePath("no-such-program");
        start.click();
        QTRY_VERIFY2(panel.shownText().contains("cannot be started"), qPrintable(panel.shownText()));
        studio.context.commandLine =
            madeProgram(program, "echo 'error: /venv/python has no optuna: ./dev study installs it' >&2\nexit 1\n");
        start.click();
        QTRY_VERIFY2(panel.shownText().startsWith("The study stopped: /venv/python has no optuna"),
                     qPrintable(panel.shownText()));
        studio.context.commandLine = madeProgram(
            program, "echo '{\"kind\": \"error\", \"failure\": \"5 trials in a row were refused\"}'\nexit 1\n");
        start.click();
        QTRY_VERIFY2(panel.shownText().startsWith("The study stopped: 5 trials in a row"),
                     qPrintable(panel.shownText()));
        QVERIFY(panel.isFree());
    }

    void stopAsksTheProgramToEnd()
    {
        Studio studio;
        StudyPanel& panel = studyPanelWith(studio, {madeTrials().front()});
        const QString told = studio.folder.filePath("told"), program = studio.folder.filePath("program");
        studio.context.commandLine =
            madeProgram(program, "echo \"$@\" > " + told.toUtf8() + "\ntrap 'echo ended >> " + told.toUtf8() +
                                     "; exit 130' TERM\nwhile true; do sleep 0.05; done\n");
        partNamed<QComboBox>(panel, "studyWorkers").setCurrentIndex(0);
        partNamed<QToolButton>(panel, "studyStart").click();
        QTRY_VERIFY(QFile::exists(told) && QFileInfo(told).size() > 0);
        QVERIFY(!panel.isFree() && panel.shownText().startsWith("Training"));
        partNamed<QToolButton>(panel, "studyStop").click();
        QTRY_VERIFY(panel.isFree());
        QFile file(told);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray said = file.readAll();
        QVERIFY2(said.startsWith("study " + panel.file().toUtf8() + " --workers 1 --json\n") &&
                     said.endsWith("ended\n"),
                 said);
        QVERIFY2(panel.shownText().startsWith("Stopped, 1 of 14"), qPrintable(panel.shownText()));
    }

    /// The system ends it with the thread that started it: here one that ends before the program.
    void aProgramEndsWithItsParent()
    {
        static CliProcess* kept = nullptr; // it is not this thread's to destroy
        qint64 process = 0;
        const std::unique_ptr<QThread> thread(QThread::create([&process] {
            kept = new CliProcess;
            kept->start("/bin/sleep", {"600"});
            process = kept->processId();
            for (int look = 0; look < 6000 && commandOf(process) != "sleep\n"; ++look)
                QThread::msleep(10);
        }));
        thread->start();
        thread->wait();
        QVERIFY(process > 0);
        QTRY_VERIFY(!isAlive(process));
    }
};

static const AreaOf<StudyTest> studyTestArea("study");

} // namespace unroll::test

#include "study_test.moc"
