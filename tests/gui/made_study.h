// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/gui/made_runs.h"

#include <cmath>
#include <optional>
#include <vector>

namespace unroll::test {

/// A trial of a study that was made: of nothing in `momentum` the optimiser is adamw.
struct MadeTrial {
    std::string state = "finished";
    std::int64_t units = 32;
    double rate = 1e-2;
    std::optional<double> momentum = {};
    std::optional<double> value = {};
    std::optional<double> report = {};
    std::string failure = {};
};

/// Losses fall to the middle of the rates and with the units; what is not finished shows how it looks.
inline std::vector<MadeTrial> madeTrials()
{
    std::vector<MadeTrial> trials;
    for (int i = 0; i < 14; ++i) {
        const std::int64_t units = 32 * (1 + (i * 5) % 8);
        const double place = std::fmod(0.11 + 0.381966 * i, 1.0); // spread over the range
        const double rate = 1e-4 * std::pow(1000.0, place);
        const std::optional<double> momentum = i % 3 == 1 ? std::optional(0.1 * (i % 9)) : std::nullopt;
        const double loss =
            0.8 + 3 * std::pow(place - 0.6, 2) + 8.0 / static_cast<double>(units) + (momentum ? 0.12 : 0);
        trials.push_back({"finished", units, rate, momentum, loss, loss});
    }
    for (const int pruned : {4, 9}) {
        trials[static_cast<std::size_t>(pruned)].state = "pruned";
        trials[static_cast<std::size_t>(pruned)].report = *trials[static_cast<std::size_t>(pruned)].value + 0.4;
        trials[static_cast<std::size_t>(pruned)].value.reset();
    }
    trials[11].state = "diverged";
    trials[11].failure = "at step 40 the loss is not a number";
    trials[11].value.reset();
    trials[11].report.reset();
    trials[13].state = "running";
    trials[13].value.reset();
    return trials;
}

inline std::string numberOrNull(const std::optional<double>& value)
{
    return value ? fmt::format("{:.17g}", *value) : "null";
}

inline std::string madeTrialText(std::size_t number, const MadeTrial& trial)
{
    std::string params =
        fmt::format(R"("lstm.units": {}, "training.learning_rate": {:.17g}, "training.optimizer": "{}")", trial.units,
                    trial.rate, trial.momentum ? "sgd" : "adamw");
    if (trial.momentum)
        params += fmt::format(R"(, "training.momentum": {:.17g})", *trial.momentum);
    std::string text = fmt::format(
        R"({{"trial": {}, "state": "{}", "value": {}, "report": {}, "report_step": 400, "step": 400, "seconds": {:.3f}, "parameters": {}, "params": {{{}}}, "run": "width-runs/{:04}")",
        number, trial.state, numberOrNull(trial.value), numberOrNull(trial.report),
        20 + 0.1 * static_cast<double>(trial.units), 400 * trial.units, params, number);
    if (!trial.failure.empty())
        text += fmt::format(R"(, "failure": "{}")", trial.failure);
    return text + "}";
}

/// Writes width.toml and, of trials, width.study.json as app/study does: whole or not at all.
inline QString makeStudy(const QString& folder, const std::vector<MadeTrial>& trials, bool running = false,
                         bool importances = true, double written = 1764000000)
{
    QDir().mkpath(folder);
    const QString file = folder + "/width.toml";
    QFile toml(file);
    if (toml.open(QIODevice::WriteOnly))
        toml.write("experiment = \"tiny.unroll\"\n\n[space]\n\"lstm.units\" = { min = 32, max = 256, step = 32 }\n\n"
                   "[budget]\ntrials = 14\nsteps = 400\n");
    std::string text =
        R"({"format": "unroll-study", "version": 1, "study": "width", "file": "width.toml", "experiment": "tiny.unroll", "metric": "loss", "figure": "best", "direction": "minimize", "report": "val/loss", "sampler": "tpe", "pruner": "hyperband", "budget": {"trials": 14, "steps": 400, "seconds": null}, "storage": "sqlite:///width.sqlite3", "running": )";
    text += running ? R"({"host": "ada", "process": 7})" : "null";
    text += R"(, "space": [{"key": "lstm.units", "kind": "int", "min": 32, "max": 256, "log": false, "step": 32},
 {"key": "training.learning_rate", "kind": "real", "min": 0.0001, "max": 0.1, "log": true},
 {"key": "training.optimizer", "kind": "choice", "choices": ["adamw", "sgd"]},
 {"key": "training.momentum", "kind": "real", "min": 0.0, "max": 0.9, "log": false, "when": "training.optimizer is sgd"}],
 "importances": )";
    text += importances ? R"({"training.learning_rate": 0.71, "lstm.units": 0.22, "training.optimizer": 0.07})" : "{}";
    text += ", \"trials\": [";
    for (std::size_t i = 0; i < trials.size(); ++i)
        text += (i > 0 ? ",\n " : "") + madeTrialText(i, trials[i]);
    text += fmt::format("], \"written\": {:.3f}}}\n", written);
    QFile part(folder + "/width.part");
    if (part.open(QIODevice::WriteOnly))
        part.write(QByteArray::fromStdString(text));
    part.close();
    (void)std::rename((folder + "/width.part").toUtf8().constData(),
                      (folder + "/width.study.json").toUtf8().constData());
    return file;
}

} // namespace unroll::test
