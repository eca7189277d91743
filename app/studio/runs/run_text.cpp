// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/runs/run_text.h"

#include "app/studio/theme/number_text.h"
#include "app/studio/theme/param_text.h"
#include "app/studio/theme/translated.h"

#include <QDateTime>
#include <QLocale>
#include <QStringList>

namespace unroll {

namespace {

QString wholeMoment(std::int64_t seconds)
{
    return QLocale::system().toString(QDateTime::fromSecsSinceEpoch(seconds), QLocale::ShortFormat);
}

} // namespace

StateLook lookOf(RunState state)
{
    switch (state) {
    case RunState::Running: return {tr("Running"), "run", Theme::Role::Good};
    case RunState::Finished: return {tr("Finished"), "check", Theme::Role::Good};
    case RunState::Stopped: return {tr("Stopped"), "stop", Theme::Role::TextDim};
    case RunState::Failed: return {tr("Failed"), "error", Theme::Role::Error};
    case RunState::Interrupted: return {tr("Interrupted"), "warning", Theme::Role::Warning};
    case RunState::Idle:
    case RunState::Building:
    case RunState::Paused:
    case RunState::Unknown: break;
    }
    return {tr("Unreadable"), "warning", Theme::Role::Warning};
}

QString bestText(const RunSummary& run)
{
    return run.best ? readingText(*run.best) : QString();
}

QString titleText(const RunSummary& run)
{
    if (run.state == RunState::Unknown)
        return {};
    return run.title.empty() ? tr("(untitled)") : QString::fromStdString(run.title);
}

QString parametersText(const RunSummary& run)
{
    return run.measures.parameters > 0 ? countText(run.measures.parameters) : QString();
}

QString seedText(const RunSummary& run)
{
    return run.seed ? QString::number(*run.seed) : QString();
}

QString rateText(const RunSummary& run)
{
    return run.learningRate ? exactText(*run.learningRate) : QString();
}

QString stepsText(const RunSummary& run)
{
    return run.steps > 0 ? tr("%1 / %2").arg(countText(run.step), countText(run.steps)) : QString();
}

QString momentText(std::int64_t seconds)
{
    if (seconds == 0)
        return {};
    const QDateTime moment = QDateTime::fromSecsSinceEpoch(seconds);
    const bool today = moment.date() == QDate::currentDate();
    return today ? QLocale::system().toString(moment.time(), QLocale::ShortFormat)
                 : QLocale::system().toString(moment.date(), QLocale::ShortFormat);
}

QString reasonText(const RunSummary& run)
{
    if (!run.trouble.empty())
        return QString::fromStdString(run.trouble);
    if (run.state == RunState::Failed)
        return QString::fromStdString(run.failure);
    if (run.state == RunState::Interrupted)
        return run.checkpoint < 0 ? tr("The program ended before the first checkpoint.")
                                  : tr("The program ended during the run. It can be resumed from step %1.")
                                        .arg(countText(run.checkpoint));
    return {};
}

QString runDetails(const RunSummary& run)
{
    QStringList lines{QString::fromStdString(run.name())};
    const auto add = [&lines](const QString& what, const QString& value) {
        if (!value.isEmpty())
            lines << tr("%1: %2").arg(what, value);
    };
    add(tr("Experiment"), QString::fromStdString(run.title));
    add(lookOf(run.state).word, reasonText(run));
    if (run.best)
        add(tr("Best validation loss"), tr("%1 at step %2").arg(bestText(run), countText(run.bestStep)));
    if (run.last)
        add(tr("Last training loss"), readingText(*run.last));
    add(tr("Steps"), stepsText(run));
    if (run.seconds > 0)
        add(tr("Training time"), durationText(run.seconds));
    if (run.started > 0)
        add(tr("Started"), wholeMoment(run.started));
    if (run.changed > 0)
        add(tr("Modified"), wholeMoment(run.changed));
    add(tr("Parameters"), parametersText(run));
    add(tr("Seed"), seedText(run));
    add(tr("Learning rate"), rateText(run));
    add(tr("Device"), QString::fromStdString(run.device));
    if (run.checkpoint >= 0)
        add(tr("Newest checkpoint"), tr("step %1").arg(countText(run.checkpoint)));
    add(tr("On disk"), bytesText(static_cast<double>(run.bytes)));
    add(tr("Note"), QString::fromStdString(run.note));
    return lines.join('\n');
}

} // namespace unroll
