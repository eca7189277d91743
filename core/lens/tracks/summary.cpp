// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/tracks/summary.h"

#include "core/lens/tracks/statistics.h"
#include "core/lens/tracks/tracks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

#include <algorithm>
#include <cmath>

namespace unroll::lenses::tracks {

namespace {

template <class List>
bool contains(const List& list, const std::string& word)
{
    return std::find(list.begin(), list.end(), word) != list.end();
}

bool isSequence(const BlockSpec& spec, const std::string& port)
{
    return std::any_of(spec.outputs.begin(), spec.outputs.end(), [&](const PortSpec& output) {
        return output.name == port && output.type == PortType::Sequence;
    });
}

} // namespace

RecordingRequest ofAllStates(const Model& model)
{
    RecordingRequest request;
    request.wants = [&model](const std::string& node, const std::string& signal) {
        return contains(model.recurrentNodes(), node) && contains(model.stateSignals(node), signal);
    };
    request.wantsOutput = [&model](const std::string& node, const std::string& port) {
        return contains(model.recurrentNodes(), node) && model.stateSignals(node).empty() &&
               isSequence(*model.specOf(node), port);
    };
    request.mostUnits = 512;
    return request;
}

Result<std::vector<LensNumber>> bestScores(const LensSubject& subject)
{
    if (subject.model == nullptr || subject.data == nullptr)
        return fail("the model and its data are not available");
    RecordingRequest request = ofAllStates(*subject.model);
    request.end = subject.end;
    const auto recording = record(*subject.model, *subject.data, request);
    if (!recording)
        return tl::unexpected(recording.error());
    std::vector<at::Tensor> units;
    for (const RecordedSignal& signal : recording->signals)
        if (units.size() < kMostLayers)
            units.push_back(signal.values);
    const std::vector<Feature> features = featuresOf(*subject.data, recording->sequences);
    if (units.empty() || features.empty())
        return fail("there are no units, or these data have no features to track");
    const Association found =
        associate(at::cat(units, 0), features, {.shuffles = 0, .significance = false, .end = subject.end});
    const std::int64_t count = found.scores.size(1);
    std::vector<LensNumber> numbers;
    for (std::size_t f = 0; f < features.size(); ++f) {
        const double* scores = found.scores.const_data_ptr<double>() + static_cast<std::int64_t>(f) * count;
        double best = -1, reaching = 0;
        for (std::int64_t u = 0; u < count; ++u)
            if (!std::isnan(scores[u])) {
                const double size = sizeOf(scores[u], features[f].binary());
                best = std::max(best, size);
                reaching += size >= kTrackedFrom ? 1 : 0;
            }
        if (best < 0)
            continue;
        numbers.push_back({(features[f].binary() ? "auc." : "r.") + features[f].id, best});
        numbers.push_back({"units." + features[f].id, reaching});
    }
    return numbers;
}

} // namespace unroll::lenses::tracks
