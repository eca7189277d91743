// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/block/registry.h"
#include "core/block/source.h"
#include "core/check/check.h"
#include "core/data/learned_data.h"
#include "core/experiment/experiment.h"

#include <functional>
#include <memory>
#include <string>

namespace unroll {

/// Opens data and remembers what was opened last, so that checking on every edit and the run that follows read a file
/// once (again when the file has changed). Thread-safe: who asks for what another is reading waits for it.
class DataCache {
public:
    /// With what a trained model has `learned` data are read as it has them, and to be trained on or not; see
    /// SourceSetup.
    explicit DataCache(Sources sources, LearnedData learned = {}, bool toTrain = true);
    ~DataCache();
    Result<std::shared_ptr<const Dataset>> open(const std::string& block, const Params& params,
                                                const std::string& folder);
    /// As CheckOptions::sourceFacts wants it. The cache must outlive the function.
    std::function<SourceFacts(const std::string&, const Params&)> facts(std::string folder);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// Check with the data, the batch and the memory of the device filled in: of `device`, or of the one that the settings
/// wish for.
CheckedGraph checkExperiment(const Experiment& experiment, const BlockRegistry& registry, DataCache& data,
                             const std::string& device = {});
/// Likewise without what belongs to training alone, its batch and its memory: a trained model may read other data on a
/// smaller machine.
CheckedGraph checkTrained(const Experiment& experiment, const BlockRegistry& registry, DataCache& data);

} // namespace unroll
