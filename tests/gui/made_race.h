// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/race/race_dialog.h"
#include "app/studio/window/race_commands.h"
#include "core/runs/race.h"
#include "core/runs/run_folder.h"
#include "tests/gui/fixture.h"
#include "tests/gui/made_runs.h"

#include <cmath>
#include <vector>

namespace unroll::test {

/// Validation losses of a lane: from `first` towards `last`, seed by seed a little higher.
struct MadeLane {
    RaceLane lane;
    double first = 3;
    double last = 1;
};

inline double madeLoss(const MadeLane& lane, std::size_t seed, std::int64_t step, std::int64_t steps)
{
    const double way = static_cast<double>(step) / static_cast<double>(steps);
    const double wave = 0.02 * std::sin(static_cast<double>(step) * (1 + 0.37 * static_cast<double>(seed)) / 9);
    return lane.last + (lane.first - lane.last) * std::exp(-4 * way) + 0.05 * static_cast<double>(seed) + wave;
}

/// Whether each block of the list has its width, or the reason why it has none.
inline bool isSolved(RaceDialog& dialog)
{
    for (int row = 0; row < dialog.lanes().rowCount(); ++row)
        if (!dialog.lanes().fitAt(row))
            return false;
    return true;
}

/// A race as `unroll-cli race` leaves it, without training: every run up to its step of `reached` (one a run, every
/// lane with one seed, then with the next; 0: it has not started), of 100 steps, evaluated at every fifth.
inline void makeRace(const QString& folder, const std::vector<MadeLane>& lanes, const std::vector<std::uint64_t>& seeds,
                     const std::vector<std::int64_t>& reached)
{
    constexpr std::int64_t kSteps = 100, kEvery = 5;
    Race race;
    race.experiment = "fable";
    race.node = "lstm";
    race.match = "parameters";
    race.target = 20'000;
    race.steps = kSteps;
    race.threads = 2;
    race.tokens = 64;
    race.seeds = seeds;
    for (const MadeLane& lane : lanes)
        race.lanes.push_back(lane.lane);
    QDir().mkpath(folder);
    (void)writeRace(race, folder.toStdString());
    std::string memory = "{";
    std::size_t number = 0;
    for (std::size_t seed = 0; seed < seeds.size(); ++seed)
        for (const MadeLane& lane : lanes) {
            const std::int64_t until = number < reached.size() ? reached[number++] : 0;
            const QString path = folder + '/' + QString::fromStdString(lane.lane.run(seeds[seed]));
            if (until == 0)
                continue;
            Experiment experiment = testing::tinyExperiment();
            experiment.training.steps = kSteps;
            RunFolder run = begunRun(QFileInfo(path).path(), QFileInfo(path).fileName(), 0, experiment);
            for (std::int64_t step = 1; step <= until; ++step) {
                const double loss = madeLoss(lane, seed, step, kSteps);
                MetricRow row{step, step * 64, static_cast<double>(step) / 8, {{"train/loss", loss * 1.02}}};
                if (step % kEvery == 0) {
                    row.values["val/loss"] = loss;
                    row.values["val/acc"] = std::exp(-loss);
                }
                run.append(row);
            }
            run.mark(until == kSteps ? RunState::Finished : RunState::Stopped);
            memory += fmt::format(R"({}"{}": {{"memory": {}}})", memory.size() > 1 ? ", " : "",
                                  QFileInfo(path).fileName().toStdString(), 300e6 + 1e6 * static_cast<double>(number));
        }
    QFile measured(folder + "/measured.json");
    if (measured.open(QIODevice::WriteOnly))
        measured.write(QByteArray::fromStdString(memory + "}"));
}

inline MadeLane madeLane(const std::string& name, const std::string& param, std::int64_t value, double error,
                         std::int64_t parameters, double last)
{
    return {{name, name, param, value, error, parameters, 6.0 * static_cast<double>(parameters), 64}, 3, last};
}

/// Four lanes that differ.
inline std::vector<MadeLane> madeLanes()
{
    return {madeLane("lstm", "", 0, 0, 20'000, 1.32), madeLane("gru", "units", 75, 0.004, 20'081, 1.27),
            madeLane("sru", "units", 97, 0.011, 19'782, 1.41), madeLane("mru", "matrix_size", 13, 0.0169, 20'338, 1.2)};
}

/// The dialog for a node of the default experiment, all widths solved; nullptr: there is none.
inline RaceDialog* dialogFor(Studio& studio, const std::string& node)
{
    studio.window.scene().select({studio.id(node)});
    RaceDialog* dialog = studio.window.race().showDialog();
    if (dialog != nullptr)
        (void)QTest::qWaitFor([&] { return isSolved(*dialog); }, 120000);
    return dialog;
}

} // namespace unroll::test
