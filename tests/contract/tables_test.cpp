// SPDX-License-Identifier: GPL-3.0-or-later
// Weights that several blocks compute with: a table on a wire. Against the same model with a copy in each block: the
// same numbers, and the sum of the copies' gradients.
#include "core/model/model.h"
#include "tests/contract/wiring.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace unroll::contract {

namespace {

constexpr std::int64_t kUnits = 6, kClasses = 11, kSteps = 7;
constexpr double kExact = 1e-12;

SourceFacts facts(const std::string&, const Params&)
{
    SourceFacts found;
    found.classes = kClasses;
    found.steps = kSteps;
    return found;
}

CheckedGraph checked(const Graph& graph)
{
    CheckOptions options;
    options.sourceFacts = facts;
    return check(graph, registry(), options);
}

/// A model with its weights by name, after one pass and its gradients.
class Trial {
public:
    explicit Trial(const Graph& graph)
    {
        const CheckedGraph found = checked(graph);
        for (const Diagnostic& diagnostic : found.diagnostics)
            EXPECT_NE(diagnostic.severity, Severity::Error) << diagnostic.sentence;
        m_parameters = found.cost.parameters;
        auto built = Model::build(graph, found, registry(), builders(), 1, at::kDouble);
        EXPECT_TRUE(built) << built.error().text();
        m_model = std::move(*built);
    }

    bool has(const std::string& name) const { return find(name) != m_model->weights().end(); }
    at::Tensor weight(const std::string& name) const
    {
        EXPECT_TRUE(has(name)) << name;
        return find(name)->tensor;
    }

    /// Takes the values of a weight of another model.
    void copy(const std::string& name, const Trial& from, const std::string& of) const
    {
        const at::NoGradGuard values;
        weight(name).copy_(from.weight(of));
    }

    void shake() const
    {
        const at::NoGradGuard values;
        at::Generator random = generatorOf(17);
        for (const Weight& each : m_model->weights())
            each.tensor.add_(at::randn(each.tensor.sizes(), random, at::kDouble), 0.3);
    }

    double loss()
    {
        at::Generator random = generatorOf(5);
        const at::Tensor tokens = at::randint(0, kClasses, {kSteps, 3}, random, at::kLong);
        const at::Tensor targets = at::randint(0, kClasses, {kSteps, 3}, random, at::kLong);
        const ModelOutput output = m_model->forward({tokens, targets, {}, {}}, {}, {});
        output.loss.backward();
        return output.loss.item<double>();
    }

    const Model& model() const { return *m_model; }
    std::int64_t parameters() const { return m_parameters; } ///< as the check counts them

private:
    std::vector<Weight>::const_iterator find(const std::string& name) const
    {
        const auto& all = m_model->weights();
        return std::find_if(all.begin(), all.end(), [&](const Weight& each) { return each.name == name; });
    }

    std::unique_ptr<Model> m_model;
    std::int64_t m_parameters = 0;
};

std::int64_t elements(const Trial& run)
{
    std::int64_t all = 0;
    for (const Weight& each : run.model().weights())
        all += each.tensor.numel();
    return all;
}

/// The other model has the weights of this one, and copies of `shared` under other names.
void expectTheSame(Trial& shared, Trial& apart, const std::string& table, const std::vector<std::string>& copies)
{
    shared.shake();
    for (const Weight& each : shared.model().weights())
        if (each.name != table)
            apart.copy(each.name, shared, each.name);
    for (const std::string& copy : copies)
        apart.copy(copy, shared, table);
    EXPECT_NEAR(shared.loss(), apart.loss(), kExact);
    at::Tensor sum = apart.weight(copies.front()).grad().clone();
    for (std::size_t i = 1; i < copies.size(); ++i)
        sum += apart.weight(copies[i]).grad();
    EXPECT_LT(difference(shared.weight(table).grad(), sum), kExact);
    for (const Weight& each : shared.model().weights())
        if (each.name != table) {
            EXPECT_LT(difference(each.tensor.grad(), apart.weight(each.name).grad()), kExact) << each.name;
        }
    EXPECT_EQ(shared.parameters(), elements(shared));
    EXPECT_EQ(apart.parameters(), elements(apart));
}

/// Three layers of mmfreelm's form, the first of which owns the table where they share one.
Graph bounded(bool share)
{
    Wiring wiring(kUnits);
    std::string below = "embedding";
    for (const std::int64_t layer : {0, 1, 2}) {
        const std::string name = "layer_" + std::to_string(layer);
        wiring.node("grumml", name,
                    {{"units", kUnits},
                     {"variant", std::string("mmfreelm")},
                     {"layer", layer},
                     {"layers", std::int64_t{3}},
                     {"share_table", share}});
        wiring.wire(below + ".y", name + ".x");
        if (share && layer > 0)
            wiring.wire(below + ".table", name + ".table");
        below = name;
    }
    return wiring.graph(below + ".y");
}

Graph withHead(Params embedding, Params head)
{
    Graph graph = Wiring(kUnits).node("gru", "gru", {{"units", kUnits}}).wire("embedding.y", "gru.x").graph("gru.y");
    for (auto& [name, params] : {std::pair("embedding", embedding), std::pair("head", head)})
        for (const auto& [param, value] : params)
            graph = edits::setParam(graph.findByName(name)->id, param, value).apply(graph).value();
    return graph;
}

Graph tiedHead(std::int64_t width = kUnits)
{
    Graph graph = withHead({{"share_table", true}, {"width", width}}, {{"readout", std::string("tied")}});
    const Wire wire{{graph.findByName("embedding")->id, "table"}, {graph.findByName("head")->id, "table"}};
    return edits::connect(wire).apply(graph).value();
}

} // namespace

TEST(Tables, ATiedHeadReadsWithTheEmbedding)
{
    Trial tied(tiedHead()), apart(withHead({}, {}));
    EXPECT_FALSE(tied.has("head.weight"));
    EXPECT_TRUE(tied.has("head.bias"));
    expectTheSame(tied, apart, "embedding.weight", {"embedding.weight", "head.weight"});
}

TEST(Tables, ATableOfAnotherWidthIsNamed)
{
    const CheckedGraph found = checked(tiedHead(kUnits + 2));
    ASSERT_EQ(found.diagnostics.size(), 1u);
    EXPECT_EQ(placeOf(found.diagnostics.front()), "head.table");
    EXPECT_EQ(found.diagnostics.front().sentence, "table expects a table [11, 6]; it gets [11, 8]");
    EXPECT_EQ(found.diagnostics.front().fix->title, "Insert Linear 6 -> 8");
}

TEST(Tables, OneTableOfBoundsServesAllLayers)
{
    Trial shared(bounded(true)), apart(bounded(false));
    EXPECT_FALSE(shared.has("layer_1.lower_bound"));
    EXPECT_FALSE(apart.has("layer_0.lower_bound")) << "its bound is 0 whatever the table says";
    expectTheSame(shared, apart, "layer_0.lower_bound", {"layer_1.lower_bound", "layer_2.lower_bound"});
}

} // namespace unroll::contract
