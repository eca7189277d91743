// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/run_reopening.h"

#include "app/studio/document/file_identity.h"
#include "app/studio/run/runs_place.h"
#include "app/studio/runs/runs_panel.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/run_commands.h"
#include "app/studio/window/window_list.h"
#include "core/experiment/data_paths.h"
#include "core/experiment/remedies.h"
#include "core/runs/folder_lock.h"
#include "core/runs/run_folder.h"
#include "core/runs/run_status.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

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

RunReopening::RunReopening(MainWindow& window, const RunCommands& commands) : QObject(&window), m_window(window)
{
    connect(&commands, &RunCommands::resumeAsked, this, &RunReopening::resumeShown);
    connect(window.studio().preferences.get(), &Preferences::changed, this, &RunReopening::refreshPlace);
    connect(&window.document(), &Document::fileChanged, this, &RunReopening::refreshPlace);
    connect(&window.panel<RunsPanel>(), &RunsPanel::reopenAsked, this, &RunReopening::reopen);
    connect(&window.panel<RunsPanel>(), &RunsPanel::goOnAsked, this, &RunReopening::resumeFolder);
    connect(&window.panel<RunsPanel>(), &RunsPanel::graphAsked, this, &RunReopening::openExperiment);
    refreshPlace();
}

/// Has the list show the runs of this document.
void RunReopening::refreshPlace()
{
    const bool ofRun = m_window.document().path().isEmpty() && !m_place.isEmpty();
    m_window.panel<RunsPanel>().setPlace(
        ofRun ? m_place : runsPlace(m_window.document().path(), m_window.studio().preferences->choices().runsPlace));
}

/// Unsaved: the run's own record stays as it is. Runs that begin from it lie beside it.
void RunReopening::take(const Experiment& experiment, const QString& folder)
{
    m_place = QFileInfo(folder).absolutePath();
    m_window.document().replace(experiment, {});
    m_window.canvas().fitAll();
    m_window.show();
}

MainWindow* RunReopening::openExperiment(const QString& path)
{
    const QString folder = QDir::cleanPath(path); // what is dropped may end in a slash
    const auto run = RunFolder::open(folder.toStdString());
    if (!run) {
        m_window.messages().showError(
            tr("The run could not be opened. %1").arg(QString::fromStdString(run.error().text())));
        return nullptr;
    }
    MainWindow& window = fittingWindow(m_window);
    window.reopening().take(run->experiment(), folder);
    window.messages().showNote(
        tr("This is the experiment of the run %1. Saving it creates a new file.").arg(QFileInfo(folder).fileName()));
    return &window;
}

/// This one stays as it is, with its file, where it holds what the run trained.
MainWindow& RunReopening::windowFor(const RunRecord& record)
{
    if (!m_window.controller().isUnderWay() && isExperimentOf(m_window.document(), record.experiment))
        return m_window;
    MainWindow& window = fittingWindow(m_window);
    window.reopening().take(record.experiment, QString::fromStdString(record.snapshot.runFolder));
    return window;
}

MainWindow* RunReopening::reopen(const RunRecord& record)
{
    MainWindow& window = windowFor(record);
    window.controller().show(window.document().experiment(), record);
    window.showPanel(window.panels().dock("curves"));
    if (record.snapshot.state != RunState::Failed) // which says its failure
        window.messages().showNote(tr("This is the run %1 as it ended.").arg(nameOf(record)));
    return &window;
}

/// So that another window may write its folder too. False: it is in progress here.
bool RunReopening::release(const RunRecord& record)
{
    if (m_window.controller().folder() != record.snapshot.runFolder)
        return true;
    if (m_window.controller().isUnderWay())
        return false;
    m_window.controller().release();
    return true;
}

/// Where another window has the run, or another program, that is what there is to see, and nothing is started here.
bool RunReopening::isHeldElsewhere(const QString& run)
{
    if (bringWindowOf(run, m_window))
        return true;
    const bool isOurs =
        isSameFile(QString::fromStdString(m_window.controller().folder()), run) && !m_window.controller().isRecord();
    if (isOurs || !FolderLock::isTaken(run.toStdString()))
        return false;
    const auto status = readRunStatus(run.toStdString());
    if (status && status->process == QCoreApplication::applicationPid())
        m_window.messages().showError(
            tr("%1 is still being written or closed. Try again in a moment.").arg(QFileInfo(run).fileName()));
    else
        m_window.messages().showError(tr("%1. Stop it there before resuming it here.")
                                          .arg(QString::fromStdString(holderText(run.toStdString()))));
    return true;
}

/// Who holds it is said at once; what it is, once it is read.
void RunReopening::resumeFolder(const QString& folder)
{
    if (isHeldElsewhere(folder))
        return;
    m_window.panel<RunsPanel>().commands().readRecord(folder, [this](const RunRecord& record) {
        if (record.snapshot.state == RunState::Finished)
            offerMore(record);
        else
            resume(record);
    });
}

/// The run that is shown here goes on from its newest checkpoint, in this window.
void RunReopening::resumeShown(std::int64_t steps)
{
    const QString folder = QString::fromStdString(m_window.controller().snapshot()->runFolder);
    if (isHeldElsewhere(folder))
        return;
    m_window.panel<RunsPanel>().commands().readRecord(folder, [this, folder, steps](const RunRecord& record) {
        if (m_window.controller().isUnderWay() || m_window.controller().snapshot()->runFolder != folder.toStdString())
            return; // a hand was faster
        if (steps == 0 && record.snapshot.state == RunState::Finished)
            return offerMore(record);
        m_window.messages().hide();
        m_window.controller().resume(m_window.document().experiment(), record, steps);
    });
}

void RunReopening::resume(const RunRecord& record)
{
    if (isHeldElsewhere(QString::fromStdString(record.snapshot.runFolder)) || !release(record))
        return;
    MainWindow& window = windowFor(record);
    window.messages().hide();
    window.controller().resume(window.document().experiment(), record);
}

/// What a finished run shall train on with is the user's to say.
void RunReopening::offerMore(const RunRecord& record)
{
    if (isHeldElsewhere(QString::fromStdString(record.snapshot.runFolder)))
        return;
    const Snapshot& run = record.snapshot;
    const auto more = trainOn(record.experiment.training, run.step);
    QString words = run.step < run.steps
                        ? tr("%1 stopped early at step %2 of %3: its validation loss no longer improved.")
                              .arg(nameOf(record), countText(run.step), countText(run.steps))
                        : tr("%1 has completed its %2 steps.").arg(nameOf(record), countText(run.steps));
    if (!more)
        return m_window.messages().showNote(words);
    std::vector<MessageBar::Answer> answers{
        {QString::fromStdString(more->title), [this, record, more] { resumeWith(record, {*more}); }}};
    if (run.step >= run.steps && record.experiment.training.schedule == ScheduleKind::Cosine) {
        words += ' ' + tr("Its learning rate has reached its final value: keep it there, or restart the schedule.");
        const Fix again{{}, {}, SettingChange{"schedule_on_resume", std::string("restart")}};
        answers.push_back({tr("Restart the Schedule"), [this, record, more, again] {
                               resumeWith(record, {*more, again});
                           }});
    }
    m_window.messages().offer(MessageBar::Tone::Note, words, answers);
}

void RunReopening::resumeWith(RunRecord record, const std::vector<Fix>& changes)
{
    if (isHeldElsewhere(QString::fromStdString(record.snapshot.runFolder)) || !release(record))
        return;
    MainWindow& window = windowFor(record);
    for (const Fix& change : changes) {
        auto changed = withTrainSetting(record.experiment.training, change.setting->name, change.setting->value);
        if (!changed || (*changed != record.experiment.training && !window.document().mend(change)))
            return;
        record.experiment.training = std::move(*changed);
    }
    window.reopening().resume(record);
}

} // namespace unroll
