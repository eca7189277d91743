// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/race_results.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

enum class RaceTableFormat { Text, Csv, Json, Markdown, Latex };
/// Of "text", "csv", "json", "markdown" or "latex".
std::optional<RaceTableFormat> raceTableFormat(std::string_view word);

Json raceRowJson(const RaceRow& row); ///< its figures; what is not known is null

/// A line a lane in the order given, ending with a newline. What is not known is n/a, and empty in CSV, whose numbers
/// have all their digits; LaTeX is a tabular for booktabs.
std::string raceTable(const std::vector<RaceRow>& rows, RaceTableFormat format);

/// What was matched, how long runs are, and what the columns of losses are, in a line; then what a frame is, and
/// warnings (raceWarnings).
std::string raceFootnote(const RaceResults& results);

/// The last line of `race --json`: the race, what is left, and the rows.
Json raceEndJson(const RaceResults& results, const std::string& state);

/// table.csv, table.md, table.tex and curves.csv beside race.json, each whole or not at all.
Result<void> writeRaceFiles(const RaceResults& results);

/// lane, step, tokens, seeds, val/loss, low, high, seconds, FLOP, val/acc, train/loss: means over the seeds that were
/// evaluated at a step; low and high are the interval of val/loss, train/loss is of that step's batch, FLOP of the
/// training so far.
std::string raceCurvesCsv(const RaceResults& results);

} // namespace unroll
