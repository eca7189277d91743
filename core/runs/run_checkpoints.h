// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace unroll {

/// One finished checkpoint of a run.
struct CheckpointPlace {
    std::int64_t step = 0;
    std::filesystem::path folder;
};

/// The checkpoint of an evaluation that was the best so far.
struct BestCheckpoint {
    CheckpointPlace place;
    double validationLoss = 0; ///< in the unit of the loss
};

/// The folder checkpoints/ of a run. A checkpoint is written into step-N.tmp and renamed when it is whole, so step-N is
/// never half a checkpoint. Steps order them, not clocks. Which is the best is worked out from what each says of itself
/// in its progress.json, so that no mark can be lost.
class RunCheckpoints {
public:
    /// `run` is the run's folder; nothing is touched.
    explicit RunCheckpoints(const std::filesystem::path& run);

    /// Newest first. A reader takes the first that it can read.
    std::vector<CheckpointPlace> all() const;
    /// Of those whose evaluation was the best so far the one with the least loss.
    std::optional<BestCheckpoint> best() const;

    /// An empty folder to write the checkpoint of `step` into.
    Result<std::filesystem::path> begin(std::int64_t step);
    /// Removes what was started: a disk that is full gets its room back.
    void discard(std::int64_t step);
    /// Makes what lies there the checkpoint of `step` and removes all but the newest `keep` and the best.
    Result<void> finish(std::int64_t step, std::size_t keep);

    /// Clears away what a killed writer left behind. Only for the one process that writes the run.
    void sweep();

private:
    std::filesystem::path folderOf(std::int64_t step) const;
    std::filesystem::path begunFolderOf(std::int64_t step) const;
    void prune(std::size_t keep);

    std::filesystem::path m_folder;
};

} // namespace unroll
