// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/session.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace unroll {

/// A run that a process writes which cannot be met from here (another machine's, by Slurm): its folder is read, every
/// two seconds. Commands do nothing, and the log says so. On one thread.
class WatchedRun : public Session {
public:
    /// Errors: no run there, one that cannot be read.
    static Result<std::unique_ptr<WatchedRun>> open(const std::filesystem::path& folder);

    const Experiment& experiment() const { return m_experiment; }

    void run() override {}
    void step(std::int64_t) override {}
    void pause() override {}
    void stop() override {}
    void setLearningRate(double) override {}
    void ask(std::vector<LensQuery>) override {}
    void setReading(const ReadingRequest&) override {}
    void look() override {}
    void sample(const std::string&, std::int64_t, const SamplingRule&, std::uint64_t) override {}
    void checkpoint() override {}
    void keepWeights() override {}
    void folderMoved(const std::string& folder) override { m_folder = folder; }

    std::vector<MetricRow> takeMetrics() override;
    std::shared_ptr<const Snapshot> snapshot() const override { return m_snapshot; }
    bool finish(double seconds) override; ///< does not wait

    static constexpr double kLookSeconds = 2;

private:
    explicit WatchedRun(std::filesystem::path folder) : m_folder(std::move(folder)) {}
    Result<void> look(bool first);

    std::filesystem::path m_folder;
    Experiment m_experiment;
    std::shared_ptr<const Snapshot> m_snapshot = std::make_shared<const Snapshot>();
    std::vector<MetricRow> m_rows;
    std::int64_t m_lastStep = -1;
    std::chrono::steady_clock::time_point m_lookedAt;
};

/// Whether a process writes this run now, as far as its folder tells.
bool isWrittenNow(const std::filesystem::path& folder);

} // namespace unroll
