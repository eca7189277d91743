// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/check.h"

#include "core/block/test_specs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

namespace unroll {
namespace {

using namespace testing_specs;

/// A deep residual model: 3 nodes a layer.
Graph layers(int count)
{
    GraphMaker maker;
    maker.node("text", "text").node("embedding", "embedding").wire("text.tokens", "embedding.tokens");
    std::string last = "embedding.y";
    for (int i = 0; i < count; ++i) {
        const std::string n = std::to_string(i);
        maker.node("lstm", "lstm" + n).node("linear", "linear" + n).node("add", "add" + n);
        maker.wire(last, "lstm" + n + ".x")
            .wire("lstm" + n + ".y", "linear" + n + ".x")
            .wire("linear" + n + ".y", "add" + n + ".a");
        maker.wire(last, "add" + n + ".b");
        last = "add" + n + ".y";
    }
    maker.node("head", "head").wire(last, "head.x").wire("text.targets", "head.targets");
    return maker.graph();
}

/// Processor time, the best of several runs: what the machine does otherwise does not count.
double milliseconds(const Graph& graph)
{
    const BlockRegistry blocks = registry();
    double best = 1e9;
    for (int i = 0; i < 8; ++i) {
        const std::clock_t start = std::clock();
        const CheckedGraph result = check(graph, blocks, options());
        best = std::min(best, 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
        EXPECT_EQ(result.nodes.size(), graph.nodes.size());
    }
    return best;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSlower = 20;
#else
constexpr double kSlower = 1;
#endif

TEST(CheckTime, OrdinaryGraphsTakeLessThanAMillisecond)
{
    const double time = milliseconds(layers(6));
    std::printf("check of 21 nodes: %.3f ms\n", time);
    EXPECT_LT(time, 1.0 * kSlower);
}

TEST(CheckTime, GrowsWithTheGraph)
{
    const double thousand = milliseconds(layers(333)), ten = milliseconds(layers(3'333));
    std::printf("check of 1,002 nodes: %.2f ms; of 10,002 nodes: %.1f ms\n", thousand, ten);
    EXPECT_LT(thousand, 15 * kSlower);
    // Past the caches a node costs more, so no ratio is asked for: work that grew with the square would take 100 ms.
    EXPECT_LT(ten, 90 * kSlower) << "ten times the nodes, not a hundred times the work";
}

TEST(CheckTime, AThousandMistakesAreNoSlower)
{
    Graph loose;
    for (int i = 0; i < 1'000; ++i)
        loose.addNode({.id = loose.nextId,
                       .block = i % 2 == 0 ? "add" : "lstm",
                       .name = "same",
                       .params = {{"units", std::int64_t{0}}}});
    const double free = milliseconds(loose);
    Graph rings;
    for (NodeId id = 1; id <= 1'000; ++id)
        rings.addNode({.id = id, .block = "add", .name = "n" + std::to_string(id)});
    for (NodeId id = 1; id <= 1'000; ++id) {
        rings.addWire({{id, "y"}, {id % 1'000 + 1, "a"}});
        rings.addWire({{id, "y"}, {(id + 500) % 1'000 + 1, "b"}});
    }
    const double cyclic = milliseconds(rings);
    std::printf("check of 1,000 faulty nodes: %.2f ms free, %.2f ms in cycles\n", free, cyclic);
    EXPECT_LT(free, 60 * kSlower);
    EXPECT_LT(cyclic, 60 * kSlower);
}

} // namespace
} // namespace unroll
