// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/tasks/generated_task.h"

#include <memory>

namespace unroll {

struct RecallOptions {
    int64_t vocabulary = 256; // 0 is filler, then keys up to the middle, values from there on
    int64_t pairs = 4;        // N
    int64_t length = 64;      // T
    int64_t evaluationSequences = 1000;
};

/// Multi-query associative recall (MQAR; Arora et al. 2023, arXiv:2312.04927): key, value, key, value, ... N times;
/// then every key is shown once more at an even place among filler, and there its value is asked for. Keys and values
/// do not repeat within a sequence. Of the T/2 - N places place i (from 1) is drawn with weight i^-0.99, without
/// replacement: most keys come back early.
class RecallTask final : public GeneratedTask {
public:
    static Result<std::shared_ptr<const RecallTask>> create(const RecallOptions& options);

    int64_t classes() const override { return m_options.vocabulary; }
    int64_t steps() const override { return m_options.length; }
    std::optional<Baseline> baseline(const Portion& portion) const override; // ln of the number of values
    std::string describe() const override;
    std::vector<std::string> alphabet() const override; // "..", k1, k2, ..., v1, v2, ... with leading zeros
    std::string contentHash() const override;
    std::shared_ptr<const GeneratedTask> ofLength(int64_t steps) const override;

private:
    explicit RecallTask(const RecallOptions& options);
    void write(Draft draft, Split split, int64_t number, Random random) const override;
    int64_t firstValue() const { return m_options.vocabulary / 2; }

    RecallOptions m_options;
    std::vector<uint64_t> m_weights; // of the places that a key can come back at
};

} // namespace unroll
