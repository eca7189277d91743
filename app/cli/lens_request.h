// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <string>
#include <vector>

namespace unroll::cli {

/// Every lens with its settings, on stdout: a table each, or as JSON, one object a line.
void sayLenses(bool json);

/// All settings of the lens: those named by "name=value", each as the lens takes it, others with their defaults. Errors
/// name the setting, with the nearest name or what it takes.
Result<Params> lensSettings(const LensSpec& lens, const std::vector<std::string>& assignments);

/// Those of the signals that a node and a signal name, either of them empty for all. Errors list what there is.
Result<std::vector<WatchedSignal>> chooseSignals(const std::vector<WatchedSignal>& all, const std::string& node,
                                                 const std::string& signal);

/// The query to this lens. Where it takes a signal, node and signal may be left out as far as there is one alone;
/// errors list what there is. A setting `scope` of "model" or "node" makes signal and node needless. Where it takes
/// none, neither may be given.
Result<LensQuery> lensQuery(const LensSpec& lens, const std::vector<WatchedSignal>& all, const std::string& node,
                            const std::string& signal, Params settings);

} // namespace unroll::cli
