// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/theme/theme.h"
#include "core/runs/run_summary.h"

#include <QString>

namespace unroll {

// A run in words, as the list of runs says it.

/// How the state of a run on disk is called and drawn.
struct StateLook {
    QString word;
    const char* icon;
    Theme::Role role;
};
StateLook lookOf(RunState state);

QString bestText(const RunSummary& run);       ///< "1.432"; empty where nothing was evaluated
QString titleText(const RunSummary& run);      ///< of its experiment; words in brackets where it has none
QString parametersText(const RunSummary& run); ///< "526,336"; empty where the run does not say it
QString seedText(const RunSummary& run);
QString rateText(const RunSummary& run);  ///< with all its digits: "0.0002"
QString stepsText(const RunSummary& run); ///< "500 / 2,000"
/// Seconds since 1970 as the reader's system writes it: the time of a moment of today, else the date. Empty for 0.
QString momentText(std::int64_t seconds);
/// Why the run is as it is, where there is more to say than its state: a sentence, or empty.
QString reasonText(const RunSummary& run);
/// All that is known of it, a line each.
QString runDetails(const RunSummary& run);

} // namespace unroll
