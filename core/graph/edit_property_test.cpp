// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/graph_json.h"

#include "core/graph/names.h"
#include "core/graph/test_edits.h"
#include "core/graph/test_random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using namespace testing_edits;
using namespace testing_specs;
using ::testing::ElementsAreArray;

/// Paths of all nodes, groups included.
void collectPaths(const Graph& graph, const GroupPath& at, std::set<GroupPath>& paths)
{
    for (const auto& [id, node] : graph.nodes) {
        GroupPath path = at;
        path.push_back(id);
        if (node->group)
            collectPaths(*node->group->graph, path, paths);
        paths.insert(std::move(path));
    }
}

void expectPromotionsStand(const Group& group)
{
    std::set<std::string> inputs, outputs;
    for (const PromotedPort& port : group.inputs) {
        EXPECT_NE(group.graph->find(port.inner.node), nullptr);
        EXPECT_EQ(group.graph->wireInto(port.inner), nullptr);
        EXPECT_TRUE(inputs.insert(port.name).second) << port.name;
    }
    for (const PromotedPort& port : group.outputs) {
        EXPECT_NE(group.graph->find(port.inner.node), nullptr);
        EXPECT_TRUE(outputs.insert(port.name).second) << port.name;
    }
    for (const PromotedParam& param : group.params)
        EXPECT_NE(group.graph->find(param.node), nullptr);
}

/// What every edit keeps up.
void expectWellFormed(const Graph& graph)
{
    std::set<std::string> names;
    for (const auto& [id, node] : graph.nodes) {
        EXPECT_EQ(node->id, id);
        EXPECT_LT(id, graph.nextId);
        EXPECT_TRUE(isValidName(node->name)) << node->name;
        EXPECT_TRUE(names.insert(node->name).second) << node->name;
        EXPECT_EQ(node->block == "group", node->group != nullptr);
        if (node->group) {
            expectPromotionsStand(*node->group);
            expectWellFormed(*node->group->graph);
        }
    }
    std::set<PortRef> inputs;
    for (const Wire& wire : graph.wires) {
        EXPECT_TRUE(graph.find(wire.from.node) != nullptr && graph.find(wire.to.node) != nullptr);
        EXPECT_TRUE(inputs.insert(wire.to).second);
    }
    EXPECT_TRUE(std::is_sorted(graph.wires.begin(), graph.wires.end(), wireBefore));
}

class Session {
public:
    explicit Session(std::uint64_t seed) : m_edits(seed), m_history(RandomModel(seed).make())
    {
        collectPaths(m_history.graph(), {}, m_now);
        m_everSeen = m_now;
    }

    void edit(int count)
    {
        const std::string first = saved(m_history.graph());
        for (int i = 0; i < count; ++i)
            apply(i);
        expectWellFormed(m_history.graph());
        EXPECT_LE(groupDepth(m_history.graph()), kMaxGroupDepth);
        expectUndoAndRedoAreExact(first);
    }

    int done = 0, refused = 0, groups = 0;

private:
    void apply(int i)
    {
        const GraphEdit edit = m_edits.next(m_history.graph());
        const auto change = m_history.apply(edit);
        (change ? done : refused)++;
        EXPECT_TRUE(change || !change.error().message.empty());
        if (change && !change->empty())
            expectNewNumbers(edit.name);
        if (i % 5 == 0)
            expectLoads(m_history.graph());
    }

    void expectNewNumbers(const std::string& edit)
    {
        std::set<GroupPath> now;
        collectPaths(m_history.graph(), {}, now);
        for (const GroupPath& path : now)
            if (!m_now.contains(path)) {
                EXPECT_TRUE(m_everSeen.insert(path).second) << "a number was used again by " << edit;
                groups += path.size() > 1;
            }
        m_now = std::move(now);
    }

    static void expectLoads(const Graph& graph)
    {
        const std::string text = saved(graph);
        const auto json = readJson(text, "");
        ASSERT_TRUE(json) << json.error().text();
        const auto again = graphFromJson(*json, "");
        ASSERT_TRUE(again) << again.error().text() << "\n" << text;
        EXPECT_TRUE(*again == graph) << text;
        EXPECT_EQ(saved(*again), text);
    }

    void expectUndoAndRedoAreExact(const std::string& first)
    {
        std::vector<std::string> down{saved(m_history.graph())}, up;
        while (m_history.canUndo()) {
            m_history.undo();
            down.push_back(saved(m_history.graph()));
        }
        EXPECT_EQ(down.back(), first);
        up.push_back(saved(m_history.graph()));
        while (m_history.canRedo()) {
            m_history.redo();
            up.push_back(saved(m_history.graph()));
        }
        std::reverse(up.begin(), up.end());
        EXPECT_THAT(up, ElementsAreArray(down));
    }

    RandomEdits m_edits;
    History m_history;
    std::set<GroupPath> m_now, m_everSeen;
};

TEST(EditProperties, TenThousandRandomSequences)
{
    int done = 0, refused = 0, groups = 0;
    for (std::uint64_t seed = 1; seed <= 10'000 && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        Session session(seed);
        session.edit(12);
        done += session.done;
        refused += session.refused;
        groups += session.groups;
    }
    EXPECT_GT(done, 60'000);
    EXPECT_GT(refused, 5'000) << "some edits are impossible and must say so";
    EXPECT_GT(groups, 20'000) << "many nodes come to be inside groups";
    std::printf("10,000 sequences: %d edits done, %d refused, %d nodes made inside groups\n", done, refused, groups);
}

TEST(EditProperties, LongSequences)
{
    for (std::uint64_t seed = 1; seed <= 10 && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        Session(seed + 77'000).edit(300);
    }
}

} // namespace
} // namespace unroll
