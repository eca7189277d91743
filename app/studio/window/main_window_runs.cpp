// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does with runs on disk.
#include "app/studio/document/file_identity.h"
#include "app/studio/run/runs_place.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/window_list.h"
#include "core/train/data_paths.h"
#include "core/train/folder_lock.h"
#include "core/train/remedies.h"
#include "core/train/run_folder.h"
#include "core/train/run_status.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QUrl>

namespace unroll {

namespace {

/// The run's is what the document would train and show. A run knows how many threads it had, a document mostly not.
bool isExperimentOf(const Document& document, const Experiment& run)
{
    TrainSettings settings = run.training;
    settings.threads = document.training().threads;
    return settings == document.training() && run.seed == document.seed() && run.probeText == document.probeText() &&
           moveDataPaths(run.graph, document.registry(), run.folder, document.folder()) == document.graph();
}

QString nameOf(const RunRecord& record)
{
    return QFileInfo(QString::fromStdString(record.snapshot.runFolder)).fileName();
}

} // namespace

void MainWindow::connectRuns()
{
    connect(&m_document, &Document::fileChanged, this, &MainWindow::refreshRunsPlace);
    connect(&runs(), &RunsPanel::reopenAsked, this, &MainWindow::reopenRun);
    connect(&runs(), &RunsPanel::goOnAsked, this, &MainWindow::continueFolder);
    connect(&runs(), &RunsPanel::graphAsked, this, &MainWindow::openRun);
    connect(&runs(), &RunsPanel::folderAsked, this, &MainWindow::openFolder);
    connect(&runs(), &RunsPanel::told, m_messages, &MessageBar::showNote);
    connect(&runs(), &RunsPanel::failed, m_messages, &MessageBar::showError);
    connect(&runs(), &RunsPanel::overlaysChanged, this, &MainWindow::overlayRuns);
    refreshRunsPlace();
}

void MainWindow::overlayRuns(const std::vector<CurveOverlay>& runs)
{
    curves().setOverlays(runs);
    std::map<QString, Theme::Role> colors;
    for (const CurveOverlay& run : runs)
        if (const auto color = curves().overlayColor(run.folder))
            colors.emplace(run.folder, *color);
    m_panels.get<RunsPanel>().showColors(std::move(colors));
}

void MainWindow::refreshRunsPlace()
{
    const bool ofRun = m_document.path().isEmpty() && !m_runsPlace.isEmpty();
    runs().setPlace(ofRun ? m_runsPlace : runsPlace(m_document.path(), m_workshop.preferences->choices().runsPlace));
}

SessionOptions MainWindow::runOptions() const
{
    SessionOptions options;
    options.lookBudget = m_workshop.preferences->choices().lookShare / 100;
    if (m_workshop.keepsRuns)
        options.runFolder =
            newRunFolder(m_document.path(), m_document.title(), m_panels.get<RunsPanel>().place()).toStdString();
    return options;
}

/// Unsaved: the run's own record stays as it is. Runs that begin from it lie beside it.
void MainWindow::takeRun(const Experiment& experiment, const QString& folder)
{
    m_runsPlace = QFileInfo(folder).absolutePath();
    m_document.replace(experiment, {});
    m_view->fitAll();
    show();
}

MainWindow* MainWindow::openRun(const QString& path)
{
    const QString folder = QDir::cleanPath(path); // what is dropped may end in a slash
    const auto run = RunFolder::open(folder.toStdString());
    if (!run) {
        m_messages->showError(tr("The run could not be opened. %1").arg(QString::fromStdString(run.error().text())));
        return nullptr;
    }
    MainWindow& window = fittingWindow(*this);
    window.takeRun(run->experiment(), folder);
    window.m_messages->showNote(tr("This is the experiment of the run %1. Saving it makes a file of its own.")
                                    .arg(QFileInfo(folder).fileName()));
    return &window;
}

/// This one stays as it is, with its file, where it holds what the run trained.
MainWindow& MainWindow::windowFor(const RunRecord& record)
{
    if (!m_controller.isUnderWay() && isExperimentOf(m_document, record.experiment))
        return *this;
    MainWindow& window = fittingWindow(*this);
    window.takeRun(record.experiment, QString::fromStdString(record.snapshot.runFolder));
    return window;
}

void MainWindow::reopenRun(const RunRecord& record)
{
    MainWindow& window = windowFor(record);
    window.m_controller.show(window.m_document.experiment(), record);
    window.showPanel(window.m_panels.dock("curves"));
    if (record.snapshot.state != RunState::Failed) // which says its failure
        window.m_messages->showNote(tr("This is the run %1 as it was left.").arg(nameOf(record)));
}

/// So that another window may write its folder too. False: it is under way here.
bool MainWindow::releaseRun(const RunRecord& record)
{
    if (m_controller.folder() != record.snapshot.runFolder)
        return true;
    if (m_controller.isUnderWay())
        return false;
    m_controller.release();
    return true;
}

/// Where another window has the run, or another program, that is what there is to see, and nothing is begun here.
bool MainWindow::isHeldElsewhere(const QString& run)
{
    if (bringWindowOf(run, *this))
        return true;
    const bool isOurs = isSameFile(QString::fromStdString(m_controller.folder()), run) && !m_controller.isRecord();
    if (isOurs || !FolderLock::isTaken(run.toStdString()))
        return false;
    const auto status = readRunStatus(run.toStdString());
    if (status && status->process == QCoreApplication::applicationPid())
        m_messages->showError(tr("This program holds %1 in none of its windows: it is still being written or closed. "
                                 "Try again in a moment.")
                                  .arg(QFileInfo(run).fileName()));
    else
        m_messages->showError(tr("%1. Stop it there before it goes on here.")
                                  .arg(QString::fromStdString(holderWords(run.toStdString()))));
    return true;
}

/// Who holds it is said at once; what it is, once it is read.
void MainWindow::continueFolder(const QString& folder)
{
    if (isHeldElsewhere(folder))
        return;
    runs().readRecord(folder, [this](const RunRecord& record) {
        if (record.snapshot.state == RunState::Finished)
            offerMore(record);
        else
            continueRun(record);
    });
}

/// The run that is shown here goes on from its newest checkpoint, in this window.
void MainWindow::resumeShown(std::int64_t steps)
{
    const QString folder = QString::fromStdString(m_controller.snapshot()->runFolder);
    if (isHeldElsewhere(folder))
        return;
    runs().readRecord(folder, [this, folder, steps](const RunRecord& record) {
        if (m_controller.isUnderWay() || m_controller.snapshot()->runFolder != folder.toStdString())
            return; // a hand was faster
        if (steps == 0 && record.snapshot.state == RunState::Finished)
            return offerMore(record);
        m_messages->hide();
        m_controller.resume(m_document.experiment(), record, steps);
    });
}

void MainWindow::continueRun(const RunRecord& record)
{
    if (isHeldElsewhere(QString::fromStdString(record.snapshot.runFolder)) || !releaseRun(record))
        return;
    MainWindow& window = windowFor(record);
    window.m_messages->hide();
    window.m_controller.resume(window.m_document.experiment(), record);
}

/// What a finished run shall train on with is the user's to say.
void MainWindow::offerMore(const RunRecord& record)
{
    if (isHeldElsewhere(QString::fromStdString(record.snapshot.runFolder)))
        return;
    const Snapshot& run = record.snapshot;
    const auto more = trainOn(record.experiment.training, run.step);
    QString words = run.step < run.steps
                        ? tr("%1 ended early, at step %2 of %3: its validation loss had stopped falling.")
                              .arg(nameOf(record), countText(run.step), countText(run.steps))
                        : tr("%1 has finished its %2 steps.").arg(nameOf(record), countText(run.steps));
    if (!more)
        return m_messages->showNote(words);
    std::vector<MessageBar::Answer> answers{
        {QString::fromStdString(more->title), [this, record, more] { continueWith(record, {*more}); }}};
    if (run.step >= run.steps && record.experiment.training.schedule == ScheduleKind::Cosine) {
        words += ' ' + tr("Its learning rate has fallen to its end and stays there, or its schedule begins again.");
        const Fix again{{}, {}, SettingChange{"schedule_on_resume", std::string("restart")}};
        answers.push_back({tr("Begin the Schedule Again"), [this, record, more, again] {
                               continueWith(record, {*more, again});
                           }});
    }
    m_messages->offer(MessageBar::Tone::Note, words, answers);
}

void MainWindow::continueWith(RunRecord record, const std::vector<Fix>& changes)
{
    if (isHeldElsewhere(QString::fromStdString(record.snapshot.runFolder)) || !releaseRun(record))
        return;
    MainWindow& window = windowFor(record);
    for (const Fix& change : changes) {
        auto changed = withTrainSetting(record.experiment.training, change.setting->name, change.setting->value);
        if (!changed || (*changed != record.experiment.training && !window.m_document.mend(change)))
            return;
        record.experiment.training = std::move(*changed);
    }
    window.continueRun(record);
}

void MainWindow::openFolder(const QString& folder)
{
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder)))
        m_messages->showError(tr("No program here opens folders. The run is in %1").arg(folder));
}

} // namespace unroll
