// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run_ranks.h"

#include "core/base/sha256.h"
#include "core/train/device.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace unroll {

namespace {

/// What decides the numbers, without what may differ between machines.
std::string digestOfExperiment(Experiment experiment)
{
    constexpr std::size_t kShown = 12;
    experiment.training.threads = 0;
    experiment.training.device = "auto";
    experiment.training.products = Products::Auto;
    return sha256(experimentToText(experiment)).substr(0, kShown);
}

} // namespace

Result<std::unique_ptr<Ranks>> joinRanks(const SessionOptions& options, const TrainSettings& training,
                                         const std::string& device)
{
    if (!options.ranks || options.ended)
        return nullptr;
    const RankPlace& place = *options.ranks;
    if (const std::int64_t over = training.batch % place.size; over != 0)
        return fail(
            fmt::format("{} ranks cannot share a batch of {} sequences evenly: set training.batch to a multiple "
                        "of {}, such as {}, or start a number of ranks that divides it",
                        place.size, training.batch, place.size, training.batch - over + place.size));
    auto group = joinGroup(place, device);
    if (!group)
        return tl::unexpected(group.error());
    return std::make_unique<Ranks>(std::move(*group), at::Device(device));
}

Result<std::string> deviceOfRank(const SessionOptions& options, const std::string& wish, const std::string& opened)
{
    if (!options.ranks || opened == "cpu" || (wish != "auto" && wish != "cuda"))
        return opened;
    auto device = openDevice(fmt::format("cuda:{}", options.ranks->localRank), options.behindWindow);
    if (!device)
        return tl::unexpected(device.error());
    return device->name;
}

Result<void> demandSameRun(const RunParts& parts, const Experiment& experiment)
{
    if (!parts.ranks)
        return {};
    std::vector<at::Tensor> weights, moments;
    for (const Weight& weight : parts.model->weights())
        weights.push_back(weight.tensor);
    for (const auto& [name, tensor] : parts.trainer->optimizerState())
        moments.push_back(tensor);
    return parts.ranks->agree({{"experiment", digestOfExperiment(experiment)},
                               {"dataset", parts.data->contentHash()},
                               {"step to resume from", std::to_string(parts.trainer->stepsDone())},
                               {"set of weights", fmt::format("{:016x}", digestOf(weights))},
                               {"state of the optimiser", fmt::format("{:016x}", digestOf(moments))}});
}

} // namespace unroll
