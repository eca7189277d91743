// SPDX-License-Identifier: GPL-3.0-or-later
// The lens on networks of which it is known what they hold: one whose unit is set by hand, and random ones.
#include "core/lens/probe.h"
#include "core/lens/tracks/reading.h"
#include "core/lens/tracks/statistics.h"
#include "core/lens/tracks/tracks.h"
#include "tests/support/short_runs.h"
#include "tests/support/test_folder.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace unroll::lenses::tracks {
namespace {

using ::testing::HasSubstr;
using unroll::testing::BuiltRun;
using unroll::testing::makeGraph;
using unroll::testing::makeNode;

/// A file of blocks of 33 characters, each with a quotation inside.
std::string quotationFile(const TestFolder& folder)
{
    const std::string path = (folder / "quotations.txt").string();
    std::ofstream file(path);
    const char* words[] = {"lamp", "bell", "rope", "sail", "kite", "drum"};
    for (int i = 0; i < 400; ++i)
        file << "he said \"" << words[i % 6] << " or " << words[i * 5 / 7 % 6] << "\" and " << words[i * 3 / 2 % 6]
             << ". ";
    return path;
}

/// One-hot characters into an LSTM whose unit 0 turns its cell round at every quotation mark and keeps it else: from 0
/// to 1, from 1 to -1 and back. Windows begin outside of quotations.
TEST(TracksOfNetworks, AUnitThatIsTheQuotationFlagHasAnAucOfOne)
{
    const TestFolder folder;
    Experiment experiment = unroll::testing::tinyExperiment();
    const std::string path = quotationFile(folder);
    experiment.graph = makeGraph(
        {makeNode(1, "text", "text",
                  {{"file", path},
                   {"validation_file", path},
                   {"order", std::string("windows")},
                   {"steps", std::int64_t{66}}}),
         makeNode(2, "one_hot", "one_hot"), makeNode(3, "lstm", "lstm", {{"units", std::int64_t{8}}}),
         makeNode(4, "head", "head")},
        {{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{1, "targets"}, {4, "targets"}}});
    const BuiltRun run(experiment);
    {
        const at::NoGradGuard guard;
        const std::int64_t mark = run.data->encode("\"").value()[0], i = 0, f = 8, g = 16, o = 24;
        for (const char* name : {"lstm.weight_ih_l0", "lstm.weight_hh_l0", "lstm.bias_ih_l0", "lstm.bias_hh_l0"})
            for (const std::int64_t gate : {i, f, g, o})
                run.weight(name).select(0, gate).zero_();
        const at::Tensor input = run.weight("lstm.weight_ih_l0"), bias = run.weight("lstm.bias_ih_l0");
        bias[i].fill_(-20);
        input[i][mark].fill_(40);
        bias[f].fill_(20);
        input[f][mark].fill_(-40);
        bias[g].fill_(5);
        run.weight("lstm.weight_hh_l0")[g][0].fill_(-20);
        bias[o].fill_(20);
    }
    const ProbeText text = makeProbeText(*run.data, "");
    const ProbeFrame look = probe(*run.model, text, {}, 0);
    const auto frame = frameOf({look, run.model.get(), run.data.get(), &text}, {"tracks", "lstm", "c", {}});
    const auto data = dataOf<TracksData>(frame);
    ASSERT_NE(data, nullptr) << frame->trouble;
    const auto best = std::find_if(data->best.begin(), data->best.end(),
                                   [&](const Track& track) { return data->features[track.feature].id == "in_quotes"; });
    ASSERT_NE(best, data->best.end());
    EXPECT_EQ(best->unit, 0);
    EXPECT_DOUBLE_EQ(best->score, 1);
    EXPECT_TRUE(best->found);
    EXPECT_THAT(data->sentence(*best), HasSubstr("unit 0 of lstm is on inside quotations: AUC 1.000 (chance 0."));
    std::printf("%s\n", data->sentence(*best).c_str());
}

/// A random network holds traces of what it has read, and rightly so; of another text it holds nothing. False
/// discoveries are controlled at 5 %, so that at most so many networks have one, but for chance. 100 seeds a cell in
/// `./dev test --all`.
TEST(TracksOfNetworks, RandomNetworksKnowNothingOfAnotherText)
{
    const std::uint64_t seeds = std::getenv("UNROLL_TEST_ALL") != nullptr ? 100 : 4;
    int runs = 0, networks = 0;
    std::int64_t pairs = 0, discoveries = 0;
    for (const char* block : {"lstm", "gru", "rnn"})
        for (std::uint64_t seed = 1; seed <= seeds; ++seed, ++networks) {
            Experiment experiment = unroll::testing::tinyExperiment(block);
            experiment.seed = seed;
            const BuiltRun run(experiment);
            RecordingRequest request;
            request.wants = [&](const std::string& node, const std::string& signal) {
                return node == block && signal == "h";
            };
            const auto recording = record(*run.model, *run.data, request);
            ASSERT_TRUE(recording);
            ReadSequence other;
            other.tokens = run.data->beginning(Split::Train, 1000 + recording->steps);
            other.steps = other.to = std::ssize(other.tokens);
            other.from = 1000;
            const std::vector<Feature> features = featuresOf(*run.data, {other});
            const Association found = associate(recording->signals.at(0).values, features, {.seed = seed});
            std::int64_t here = 0;
            for (std::int64_t f = 0; f < found.q.size(0); ++f)
                for (std::int64_t u = 0; u < found.q.size(1); ++u, ++pairs)
                    here += found.q[f][u].item<double>() <= kFalseDiscoveries;
            runs += here > 0;
            discoveries += here;
        }
    std::printf("random networks with a discovery: %d of %d; %lld of %lld pairs\n", runs, networks,
                static_cast<long long>(discoveries), static_cast<long long>(pairs));
    const double expected = kFalseDiscoveries * networks;
    EXPECT_LE(runs, expected + 2 * std::sqrt(expected * (1 - kFalseDiscoveries)));
}

} // namespace
} // namespace unroll::lenses::tracks
