// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/run_folder.h"
#include "tests/support/tiny_experiment.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QString>
#include <fmt/format.h>

namespace unroll::test {

// Run folders as a run leaves them, without training.

/// As runs of characters say: 4,321 parameters, ten steps an epoch.
inline RunMeasures madeMeasures()
{
    return {"nats/token", "character", 4321, 2000, 640};
}

/// One that is still being written while it lives: of `steps` steps of 64 tokens, in a folder beside which its data
/// would lie.
inline RunFolder begunRun(const QString& place, const QString& name, std::int64_t steps,
                          Experiment experiment = testing::tinyExperiment(),
                          const RunMeasures& measures = madeMeasures())
{
    RunEnvironment environment;
    environment.measures = measures;
    environment.device = "cpu";
    environment.threads = 2;
    experiment.folder = QFileInfo(place).absolutePath().toStdString();
    QDir().mkpath(place);
    RunFolder run = RunFolder::create((place + '/' + name).toStdString(), experiment, environment).value();
    for (std::int64_t step = 1; step <= steps; ++step)
        run.append({step, step * 64, static_cast<double>(step) / 2, {{"train/loss", 3.0 / static_cast<double>(step)}}});
    return run;
}

/// One that has come to its end. With a `best` validation loss it has a checkpoint of its last step.
inline void makeRun(const QString& place, const QString& name, std::int64_t steps, RunState state,
                    std::optional<double> best = {}, Experiment experiment = testing::tinyExperiment(),
                    const RunMeasures& measures = madeMeasures())
{
    RunFolder run = begunRun(place, name, steps, std::move(experiment), measures);
    if (best) {
        const auto folder = run.checkpoints().begin(steps);
        QFile progress(QString::fromStdString((*folder / "progress.json").string()));
        if (progress.open(QIODevice::WriteOnly))
            progress.write(QByteArray::fromStdString(
                fmt::format(R"({{"best_step": {}, "best_validation_loss": {}}})", steps, *best)));
        progress.close();
        (void)run.checkpoints().finish(steps, 3);
    }
    run.mark(state, state == RunState::Failed ? "at step 4 the loss is not a number" : "");
}

} // namespace unroll::test
