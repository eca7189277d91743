// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace unroll::testing {

/// Another dataset in all but what a test changes: training batches, at least.
class DatasetOver : public Dataset {
public:
    explicit DatasetOver(std::shared_ptr<const Dataset> whole) : m_whole(std::move(whole)) {}

    bool carriesState() const override { return m_whole->carriesState(); }
    std::int64_t classes() const override { return m_whole->classes(); }
    std::int64_t steps() const override { return m_whole->steps(); }
    Result<void> accepts(std::int64_t size) const override { return m_whole->accepts(size); }
    std::int64_t batchesInSplit(Split split, std::int64_t size) const override
    {
        return m_whole->batchesInSplit(split, size);
    }
    Batch evaluationBatch(Split split, std::int64_t index, std::int64_t size) const override
    {
        return m_whole->evaluationBatch(split, index, size);
    }
    std::string evaluationText(Split split) const override { return m_whole->evaluationText(split); }
    std::string describe() const override { return m_whole->describe(); }
    std::vector<std::string> alphabet() const override { return m_whole->alphabet(); }
    std::string contentHash() const override { return m_whole->contentHash(); }
    Result<std::vector<std::int32_t>> encode(std::string_view text) const override { return m_whole->encode(text); }
    std::vector<std::string> unknownWords(std::string_view text) const override { return m_whole->unknownWords(text); }
    std::string decode(const std::vector<std::int32_t>& tokens) const override { return m_whole->decode(tokens); }
    std::string written(const std::vector<std::int32_t>& tokens, bool begins) const override
    {
        return m_whole->written(tokens, begins);
    }

protected:
    std::shared_ptr<const Dataset> m_whole;
};

} // namespace unroll::testing
