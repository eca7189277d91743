// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/run_commands.h"

#include "app/studio/inspector/number_field.h"
#include "app/studio/run/kept_text.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/key_names.h"
#include "app/studio/theme/message_bar.h"
#include "app/studio/theme/metrics.h"
#include "core/experiment/data_paths.h"
#include "core/graph/train_alike.h"

#include <QApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace unroll {

namespace {

/// A new learning rate goes to the run at once; every other setting is for the next one. Data are the same wherever the
/// file was saved since.
bool trainsLike(const Document& document, const Experiment& run)
{
    TrainSettings settings = document.training();
    settings.learningRate = run.training.learningRate;
    return settings == run.training && document.seed() == run.seed &&
           trainsAlike(document.graph(), moveDataPaths(run.graph, document.registry(), run.folder, document.folder()));
}

QString question()
{
    return RunCommands::tr("Your edits are not in this run. Restart with them?");
}

} // namespace

RunCommands::RunCommands(Document& document, RunController& controller, MessageBar& messages, const RunActions& actions,
                         const Appearance& appearance, std::function<SessionOptions()> options, QWidget* window)
    : QObject(window),
      m_document(document),
      m_controller(controller),
      m_messages(messages),
      m_actions(actions),
      m_appearance(appearance),
      m_options(std::move(options)),
      m_window(window)
{
    using Weights = RunController::Weights;
    connect(actions.run, &QAction::triggered, this, &RunCommands::run);
    connect(actions.step, &QAction::triggered, this, &RunCommands::step);
    connect(actions.resume, &QAction::triggered, this, &RunCommands::resume);
    connect(actions.pause, &QAction::triggered, &controller, &RunController::pause);
    connect(actions.stop, &QAction::triggered, &controller, &RunController::stop);
    connect(actions.restart, &QAction::triggered, this, [this] { restart(Weights::Drawn); });
    connect(actions.keepWeights, &QAction::triggered, this, [this] { restart(Weights::Kept); });
    connect(actions.showKept, &QAction::triggered, this, &RunCommands::showKept);
    connect(&document, &Document::graphChanged, this, &RunCommands::lookForChanges);
    connect(&document, &Document::settingsChanged, this, &RunCommands::lookForChanges);
    connect(&controller, &RunController::stateChanged, this, &RunCommands::lookForChanges);
    connect(&controller, &RunController::runChanged, this, &RunCommands::lookForChanges);
    connect(&controller, &RunController::snapshotChanged, this, &RunCommands::tellKept);
    connect(&controller, &RunController::snapshotChanged, this,
            [this] { m_actions.resume->setEnabled(canResume()); }); // once there is a checkpoint
    connect(&controller, &RunController::weightsNotKept, this, [this](const QString& reason) {
        m_messages.offer(MessageBar::Tone::Error, tr("The weights cannot be reused: %1.").arg(reason),
                         {{tr("Restart from Scratch"), [this] { restart(Weights::Drawn); }}});
    });
    refresh();
}

bool RunCommands::canTrain()
{
    if (m_document.checked()->runnable())
        return true;
    m_messages.showError(tr("The graph cannot be trained yet: see Problems."));
    Q_EMIT refused();
    return false;
}

/// A number half typed is not trained: what is not a number yet gives way to the one before.
void RunCommands::finishTyping()
{
    auto* field = qobject_cast<NumberField*>(QApplication::focusWidget());
    if (field != nullptr && m_window->isAncestorOf(field))
        field->finish();
}

void RunCommands::run()
{
    finishTyping();
    if (m_hasChanges)
        return ask();
    if (m_controller.isTraining())
        return m_controller.pause();
    begin(0);
}

/// So many steps, or to the end (0), of the run in progress, or else of a new one.
void RunCommands::begin(std::int64_t steps)
{
    if (!m_controller.isUnderWay() && !canTrain())
        return;
    m_messages.hide();
    m_controller.step(m_document.experiment(), m_options(), steps);
}

/// A run that has ended goes on: what it has learned, its curves and what is kept of its states are not given up by
/// looking one step further.
void RunCommands::step()
{
    finishTyping();
    if (m_controller.isUnderWay() || !m_controller.experiment())
        begin(1);
    else
        goOnOrAsk(1);
}

void RunCommands::resume()
{
    finishTyping();
    if (m_controller.isUnderWay())
        run();
    else if (m_controller.experiment())
        goOnOrAsk(0);
}

void RunCommands::goOnOrAsk(std::int64_t steps)
{
    if (!differs())
        return goOn(steps);
    std::vector<MessageBar::Answer> answers{{tr("New Run"), [this, steps] { begin(steps); }}};
    if (m_controller.canBeAsked())
        answers.push_back({tr("Reuse Matching Weights"), [this] { restart(RunController::Weights::Kept); }});
    answers.push_back({steps > 0 ? tr("Step Current Run") : tr("Resume Current Run"), [this, steps] { goOn(steps); }});
    m_messages.ask(tr("Your edits are not in this run."), answers);
    m_messages.focusAnswers();
}

void RunCommands::goOn(std::int64_t steps)
{
    m_messages.hide();
    const bool isDone = m_controller.state() == RunState::Finished;
    if (m_controller.canGoOn() && (steps > 0 || !isDone))
        return m_controller.goOn(m_document.training().learningRate, steps);
    if (hasCheckpoint())
        return Q_EMIT resumeAsked(steps);
    m_messages.ask(tr("This run cannot be resumed: it has no checkpoint."),
                   {{tr("New Run"), [this, steps] { begin(steps); }}});
    m_messages.focusAnswers();
}

bool RunCommands::hasCheckpoint() const
{
    const Snapshot& run = *m_controller.snapshot();
    return run.checkpointed >= 0 && !run.runFolder.empty();
}

/// It was paused, or has ended and can be trained on.
bool RunCommands::canResume() const
{
    if (m_controller.isUnderWay())
        return m_controller.state() == RunState::Paused && !m_controller.isWaitingForNext();
    const bool isDone = m_controller.state() == RunState::Finished;
    return m_controller.experiment().has_value() && ((m_controller.canGoOn() && !isDone) || hasCheckpoint());
}

bool RunCommands::differs() const
{
    const auto& trained = m_controller.experiment();
    return trained && !trainsLike(m_document, *trained);
}

void RunCommands::restart(RunController::Weights weights)
{
    finishTyping();
    if (!canTrain())
        return;
    m_messages.hide();
    m_controller.restart(m_document.experiment(), m_options, weights);
}

void RunCommands::ask()
{
    using Weights = RunController::Weights;
    std::vector<MessageBar::Answer> answers{
        {tr("Restart from Scratch"), [this] { restart(Weights::Drawn); }},
        {tr("Reuse Matching Weights"), [this] { restart(Weights::Kept); }},
    };
    if (!m_controller.isTraining())
        answers.push_back({tr("Keep Current Run"), [this] { m_controller.run(m_document.experiment(), m_options()); }});
    m_messages.ask(question(), answers);
    m_messages.focusAnswers();
}

void RunCommands::tellTrouble(const QString& sentence)
{
    const auto& problems = m_controller.snapshot()->problems;
    const auto mendable =
        std::find_if(problems.rbegin(), problems.rend(), [](const Diagnostic& d) { return d.fix.has_value(); });
    std::vector<MessageBar::Answer> answers;
    if (mendable != problems.rend())
        answers.push_back({QString::fromStdString(mendable->fix->title), [this, fix = *mendable->fix] {
                               if (m_document.mend(fix))
                                   offerAgain(fix);
                           }});
    m_messages.offer(MessageBar::Tone::Error, sentence, answers);
}

/// The run that met the trouble has ended; what it has learned need not be lost.
void RunCommands::offerAgain(const Fix& made)
{
    if (m_controller.isUnderWay())
        return;
    using Weights = RunController::Weights;
    std::vector<MessageBar::Answer> answers{{tr("New Run"), [this] { restart(Weights::Drawn); }}};
    if (canResume() && !differs())
        answers.push_back({tr("Resume"), [this] { goOn(0); }});
    if (m_controller.canBeAsked())
        answers.push_back({tr("Reuse Matching Weights"), [this] { restart(Weights::Kept); }});
    m_messages.offer(MessageBar::Tone::Note, tr("Done: %1.").arg(QString::fromStdString(made.title)), answers);
}

void RunCommands::lookForChanges()
{
    const bool before =
        std::exchange(m_hasChanges, m_controller.isUnderWay() && !m_controller.isWaitingForNext() && differs());
    refresh();
    if (before == m_hasChanges)
        return;
    if (!m_hasChanges)
        m_messages.takeBack(question());
    Q_EMIT hasChangesChanged();
}

QStringList RunCommands::runTexts()
{
    return {tr("Run"), tr("Pause"), tr("Resume"), tr("New Run"), tr("Run Changes"), tr("Stopping …")};
}

QString RunCommands::runWord() const
{
    if (m_controller.isWaitingForNext())
        return tr("Stopping …");
    if (m_hasChanges)
        return tr("Run Changes");
    switch (m_controller.state()) {
    case RunState::Idle: return tr("Run");
    case RunState::Building:
    case RunState::Running: return tr("Pause");
    case RunState::Paused: return tr("Resume");
    case RunState::Finished:
    case RunState::Stopped:
    case RunState::Failed:
    case RunState::Interrupted:
    case RunState::Unknown: break;
    }
    return tr("New Run");
}

void RunCommands::sayRun(const QString& word)
{
    if (m_actions.run->text() == word && !m_actions.run->icon().isNull())
        return;
    m_actions.run->setText(word);
    m_actions.run->setToolTip(withKey(word, m_actions.run->shortcut().toString(QKeySequence::NativeText)));
    m_actions.run->setIcon(m_appearance.icon(word == tr("Pause") ? "pause" : "run"));
}

void RunCommands::refresh()
{
    const bool waiting = m_controller.isWaitingForNext();
    const bool training = m_controller.isTraining();
    sayRun(runWord());
    m_actions.run->setEnabled(!waiting);
    m_actions.pause->setEnabled(training && !waiting);
    m_actions.step->setEnabled(!training && !waiting);
    m_actions.resume->setEnabled(canResume());
    m_actions.stop->setEnabled(m_controller.isUnderWay() || waiting);
    m_actions.restart->setEnabled(m_controller.experiment().has_value() && !waiting);
    m_actions.keepWeights->setEnabled(m_controller.canBeAsked() && !waiting);
    m_actions.showKept->setEnabled(m_controller.snapshot()->initialWeights != nullptr);
}

void RunCommands::tellKept()
{
    const auto& report = m_controller.snapshot()->initialWeights;
    if (report == nullptr || report == m_reported)
        return;
    m_reported = report;
    refresh();
    m_messages.offer(MessageBar::Tone::Note, keptSentence(*report), {{tr("Details"), [this] { showKept(); }}});
}

void RunCommands::showKept()
{
    if (!m_controller.snapshot()->initialWeights)
        return;
    auto* dialog = new QDialog(m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Reused weights"));
    auto* column = new QVBoxLayout(dialog);
    column->setContentsMargins(space::m, space::m, space::m, space::m);
    column->setSpacing(space::m);
    auto* text = new QTextBrowser;
    text->setAccessibleName(dialog->windowTitle());
    text->setPlainText(keptDetails(*m_controller.snapshot()->initialWeights));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    column->addWidget(text);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    buttons->button(QDialogButtonBox::Close)->setFocus();
    dialog->resize(460, 420);
    dialog->show();
}

} // namespace unroll
