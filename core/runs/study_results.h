// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// A setting that a study varies: a range of numbers, or choices, which stand at the places 0, 1, 2, ...
struct StudyAxis {
    std::string key;                       ///< "training.learning_rate"
    std::vector<std::string> choices = {}; ///< in words; empty: a range
    double low = 0;
    double high = 1;  ///< >= low
    bool log = false; ///< low > 0
    bool whole = false;
    std::string when = {}; ///< "training.optimizer is sgd"; empty: every trial has it
    /// Share of what decides the objective, as Optuna has found it; nothing: not known, or not every trial has it.
    std::optional<double> importance = {};
};

/// The value at a place of an axis: a choice in its words, or a number of six digits.
std::string studyValueText(const StudyAxis& axis, double place);

struct StudyTrial {
    std::int64_t number = 0;
    std::string state; ///< a word of app/study: "finished", "running", "pruned", "to go on", "diverged", ...
    std::optional<double> value = {};  ///< the objective; of finished trials alone
    std::optional<double> report = {}; ///< the newest intermediate value
    std::optional<std::int64_t> reportStep = {}, step = {};
    std::optional<double> seconds = {}, parameters = {}, memory = {}; ///< memory: bytes
    std::vector<std::optional<double>> places = {}; ///< by axis; nothing: the trial has not this setting
    std::filesystem::path run = {};                 ///< its folder; empty: it has none
    std::string failure = {};

    bool isRunning() const { return state == "running"; }
    /// The objective, or what is known of it.
    std::optional<double> reached() const { return value ? value : report; }
};

/// What a study has found, as NAME.study.json says it (app/study/found_file.py).
struct StudyResults {
    std::filesystem::path file; ///< NAME.study.json
    std::string name, experiment, metric, sampler, pruner, storage;
    bool maximize = false;
    std::optional<std::int64_t> wanted, steps; ///< trials in all; steps of each
    bool isRunning = false;                    ///< a program said so when it wrote
    double written = 0;                        ///< seconds since 1970
    std::vector<StudyAxis> axes;
    std::vector<StudyTrial> trials; ///< by their numbers

    std::optional<std::size_t> best() const; ///< of the finished ones; of equals the first
    /// Best first: finished ones by their value, then the others by their report, then those without.
    std::vector<std::size_t> ranked() const;
    std::size_t doneCount() const; ///< trials that nobody trains any more
};

/// The two files of a study.
struct StudyPlace {
    std::filesystem::path file;  ///< NAME.toml
    std::filesystem::path found; ///< NAME.study.json
};

/// Of NAME.toml, NAME.study.json, a folder with one of them or the folder of its runs. The error says why there is
/// none.
Result<StudyPlace> studyPlace(const std::filesystem::path& path);

/// Whether a file or folder is meant as a study, at a glance: NAME.study.json, a .toml file with a table [space].
bool isLikeStudy(const std::filesystem::path& path);

/// Reads NAME.study.json. The error says what is wrong with it.
Result<StudyResults> readStudy(const std::filesystem::path& found);

} // namespace unroll
