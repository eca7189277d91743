// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/wiring.h"

#include "core/check/check.h"
#include "core/check/ports.h"
#include "core/check/test_findings.h"
#include "core/graph/test_random.h"

#include <gtest/gtest.h>

namespace unroll {
namespace {

using namespace testing_check;

Graph chain()
{
    GraphMaker maker;
    maker.node("text", "text").node("embedding", "embedding").node("lstm", "first").node("lstm", "second");
    maker.node("head", "head");
    maker.wire("text.tokens", "embedding.tokens").wire("embedding.y", "first.x").wire("first.y", "second.x");
    maker.wire("second.y", "head.x").wire("text.targets", "head.targets");
    return maker.graph();
}

PortRef portOf(const Graph& graph, const std::string& node, const std::string& port)
{
    return {graph.findByName(node)->id, port};
}

std::vector<WireEnd> endsOf(const Graph& graph)
{
    std::vector<WireEnd> ends;
    for (const auto& [id, node] : graph.nodes) {
        const NodePorts ports = portsOf(*node, blocks());
        for (const PortSpec& port : ports.inputs)
            ends.push_back({{id, port.name}, false});
        for (const PortSpec& port : ports.outputs)
            ends.push_back({{id, port.name}, true});
    }
    return ends;
}

TEST(Wiring, PartnersAreOfTheTypeAndMakeNoCycle)
{
    const Graph graph = chain();
    const auto partners = wirePartners(graph, blocks(), {portOf(graph, "first", "y"), true});
    EXPECT_TRUE(partners.contains(portOf(graph, "second", "x")));
    EXPECT_TRUE(partners.contains(portOf(graph, "head", "x"))) << "an input that is taken: the wire is replaced";
    EXPECT_FALSE(partners.contains(portOf(graph, "first", "x")));
    EXPECT_FALSE(partners.contains(portOf(graph, "embedding", "tokens")));
    EXPECT_EQ(wirePartners(graph, blocks(), {portOf(graph, "second", "y"), true}),
              (std::set<PortRef>{portOf(graph, "head", "x")}));
    const auto sources = wirePartners(graph, blocks(), {portOf(graph, "first", "x"), false});
    EXPECT_EQ(sources, (std::set<PortRef>{portOf(graph, "embedding", "y")}));
}

/// The wire that is picked up no longer holds its ends together.
TEST(Wiring, AWireThatIsMovedDoesNotCount)
{
    const Graph graph = chain();
    const Wire moved{portOf(graph, "first", "y"), portOf(graph, "second", "x")};
    const WireEnd end{portOf(graph, "first", "x"), false};
    EXPECT_FALSE(wirePartners(graph, blocks(), end).contains(portOf(graph, "second", "y")));
    EXPECT_TRUE(wirePartners(graph, blocks(), end, &moved).contains(portOf(graph, "second", "y")));
}

TEST(Wiring, PortsThatAreNotThereHaveNoPartners)
{
    const Graph graph = chain();
    EXPECT_TRUE(wirePartners(graph, blocks(), {portOf(graph, "first", "nothing"), true}).empty());
    EXPECT_TRUE(wirePartners(graph, blocks(), {{99, "y"}, true}).empty());
    EXPECT_FALSE(typeOf(graph, blocks(), {{99, "y"}, true}));
}

TEST(Wiring, AFaultSaysWhyAndMends)
{
    const Graph graph = chain();
    const Wire wire{portOf(graph, "text", "tokens"), portOf(graph, "first", "x")};
    const auto fault = wireFault(graph, blocks(), wire);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->sentence, "first.x expects a sequence; text.tokens gives tokens: insert Embedding");
    ASSERT_TRUE(fault->fix);
    const auto mended = fault->fix->edit.apply(graph);
    ASSERT_TRUE(mended);
    EXPECT_EQ(mended->nodes.size(), graph.nodes.size() + 1);
    EXPECT_NE(mended->wireInto(wire.to)->from.node, wire.from.node);
}

TEST(Wiring, ACycleIsNamedAndNotMended)
{
    const Graph graph = chain();
    const auto fault = wireFault(graph, blocks(), {portOf(graph, "second", "y"), portOf(graph, "first", "x")});
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->code, "cycle");
    EXPECT_NE(fault->sentence.find("first"), std::string::npos);
    EXPECT_FALSE(fault->fix);
}

/// A cycle that stands elsewhere is no reason against this wire.
TEST(Wiring, OnlyItsOwnCycleCounts)
{
    Graph graph = chain();
    graph.addWire({portOf(graph, "second", "state"), portOf(graph, "second", "state")});
    EXPECT_FALSE(wireFault(graph, blocks(), {portOf(graph, "embedding", "y"), portOf(graph, "head", "x")}));
}

TEST(Wiring, PartnersAreWhatHasNoFault)
{
    std::size_t tried = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const Graph graph = RandomModel(seed).make();
        const auto ends = endsOf(graph);
        for (const WireEnd& end : ends) {
            const auto partners = wirePartners(graph, blocks(), end);
            for (const WireEnd& other : ends) {
                if (other.isOutput == end.isOutput)
                    continue;
                ++tried;
                ASSERT_EQ(partners.contains(other.port), !wireFault(graph, blocks(), wireBetween(end, other.port)))
                    << seed << ": " << end.port.node << "." << end.port.port << " and " << other.port.node << "."
                    << other.port.port;
            }
        }
    }
    EXPECT_GT(tried, 1000U);
}

} // namespace
} // namespace unroll
