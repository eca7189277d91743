// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace unroll::cli {

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kDiverged = 3; ///< or the outputs evaluated are not finite
inline constexpr int kBrokeOff = 4; ///< a training that had started and failed on the way
inline constexpr int kInterrupted = 130;

/// What the chosen verb does; gives the exit code.
using Action = std::function<int()>;

// Each adds one verb to the command line; parsing sets `chosen` when the verb was named.
void addList(CLI::App& app, Action& chosen);
void addHelp(CLI::App& app, Action& chosen);
void addCheck(CLI::App& app, Action& chosen);
void addTrain(CLI::App& app, Action& chosen);
void addEval(CLI::App& app, Action& chosen);
void addSample(CLI::App& app, Action& chosen);
void addInspect(CLI::App& app, Action& chosen);
void addExport(CLI::App& app, Action& chosen);
void addStudy(CLI::App& app, Action& chosen);
void addRace(CLI::App& app, Action& chosen);
void addBench(CLI::App& app, Action& chosen);
void addDoctor(CLI::App& app, Action& chosen);
void addImport(CLI::App& app, Action& chosen);
void addSession(CLI::App& app, Action& chosen);
void addSync(CLI::App& app, Action& chosen);
void addPrepare(CLI::App& app, Action& chosen);

} // namespace unroll::cli
