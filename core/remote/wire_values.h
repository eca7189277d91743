// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/member_reader.h"
#include "core/base/message.h"
#include "core/format/tensor_view.h"
#include "core/session/session.h"

#include <span>
#include <string>
#include <vector>

namespace unroll {

// Values of a session as JSON with their numbers in blocks, and back. What comes back is equal; of a diagnostic's fix
// only the change of a setting goes. Readers note what is wrong as MemberReader does.

Json queryJson(const LensQuery& query);
LensQuery queryFrom(const MemberReader& members);
Json queriesJson(const std::vector<LensQuery>& queries);

Json readingJson(const ReadingRequest& reading);
ReadingRequest readingFrom(const MemberReader& members);

Json ruleJson(const SamplingRule& rule);
SamplingRule ruleFrom(const MemberReader& members);

Json measuresJson(const RunMeasures& measures);
RunMeasures measuresFrom(const MemberReader& members);

Json problemJson(const Diagnostic& diagnostic);
Diagnostic problemFrom(const MemberReader& members);

Json weightReportJson(const WeightReport& report);
WeightReport weightReportFrom(const MemberReader& members);

Json tensorsJson(std::span<const format::OwnedTensor> tensors, BlockWriter& blocks);
std::vector<format::OwnedTensor> tensorsFrom(const MemberReader& members, const char* name);
Json keptWeightsJson(const KeptWeights& kept, BlockWriter& blocks);
KeptWeights keptWeightsFrom(const MemberReader& members);

/// With the data as its lens packs them, or its figure; numbers are those of the frame.
Json lensFrameJson(const LensFrame& frame, BlockWriter& blocks);
LensFrame lensFrameFrom(const MemberReader& members);

/// Rows as columns: steps, tokens, seconds, and of each metric the rows that have it.
Json rowsJson(std::span<const MetricRow> rows, BlockWriter& blocks);
std::vector<MetricRow> rowsFrom(const MemberReader& members);

/// Without what only a thread of this process can be given: data, ended, ranks.
Json optionsJson(const SessionOptions& options, BlockWriter& blocks);
SessionOptions optionsFrom(const MemberReader& members);

} // namespace unroll
