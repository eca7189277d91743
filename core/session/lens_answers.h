// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/lens/lens.h"
#include "core/lens/probe.h"
#include "core/model/model.h"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace unroll {

/// What the model writes as the request says, to be read; `step`: the updates behind it. Errors as those of
/// sampleTokens(), and where it tells labels or numbers.
Result<ProbeText> writtenReading(Model& model, const TextFacts& facts, const ReadingRequest& request, std::int64_t step,
                                 const std::stop_token& end = {});

/// What is available of a model beside itself; null: it is not.
struct LensAids {
    const Dataset* data = nullptr;
    const LensHistories* histories = nullptr;
    const LastUpdate* update = nullptr;
};

/// The frame of each query, in their order, from one reading. What torch throws becomes the trouble of a frame, but for
/// a device that is lost.
std::vector<std::shared_ptr<const LensFrame>> answersOf(Model& model, const LensAids& aids, ProbeText text,
                                                        const std::vector<LensQuery>& queries, std::int64_t step,
                                                        const std::stop_token& end = {});

} // namespace unroll
