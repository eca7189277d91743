// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace unroll {

/// One thing to do or to look at.
struct LessonStep {
    std::string say;    ///< a short sentence; {run} and the like stand for the key of that command
    std::string at;     ///< what of the window it is about: run, curves, state, samples, inspector, training
    std::string node;   ///< which node's state; empty: whichever is shown
    std::string signal; ///< which of its signals; empty likewise

    bool operator==(const LessonStep&) const = default;
};

/// What goes with an experiment of the gallery and not with the copies that users make of it: it would be wrong of
/// those once they are changed. Read from resources/lessons/<name of the experiment>.json.
struct Lesson {
    std::int64_t order = std::numeric_limits<std::int64_t>::max(); ///< place in the gallery, the least first
    double trainingSeconds = 0; ///< measured on two CPU cores ("training_seconds"); 0: not known
    std::vector<LessonStep> steps;

    bool operator==(const Lesson&) const = default;
};

/// Errors: not JSON, a member that is unknown or of the wrong type, a step without words or place. `source` names the
/// file.
Result<Lesson> lessonFromText(std::string_view text, const std::string& source);

/// The lesson of an experiment's file in the gallery; an empty one where there is none. Errors likewise.
Result<Lesson> lessonOf(const std::filesystem::path& experiment);

} // namespace unroll
