// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/wires/wires.h"

#include "core/graph/edit.h"
#include "tests/support/lens_models.h"

#include <ATen/core/grad_mode.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace unroll {
namespace {

using testing::blockBetween;
using testing::buildModel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::lensFrame;
using testing::makeGraph;
using testing::makeNode;
using testing::textOf;
using testing::weightOf;

std::shared_ptr<const WiresData> wiresOf(Model& model, const ProbeText& text, Params settings = {})
{
    LensQuery query = wiresQuery();
    query.settings = std::move(settings);
    const auto frame = lensFrame(model, text, query);
    EXPECT_EQ(frame->trouble, "");
    return dataOf<WiresData>(frame);
}

const OutputNorms& outputOf(const WiresData& data, const std::string& node, const std::string& port)
{
    const OutputNorms* found = data.find(node, port);
    EXPECT_NE(found, nullptr) << node << "." << port;
    static const OutputNorms none;
    return found != nullptr ? *found : none;
}

using Vec = std::vector<double>;

double lengthOf(const Vec& values)
{
    double squares = 0;
    for (const double value : values)
        squares += value * value;
    return std::sqrt(squares);
}

/// W x + b, read element by element.
Vec affine(const Model& model, const std::string& name, const Vec& x)
{
    const at::Tensor weight = weightOf(model, name + ".weight"), bias = weightOf(model, name + ".bias");
    Vec y;
    for (std::int64_t i = 0; i < weight.size(0); ++i) {
        double sum = bias[i].item<double>();
        for (std::size_t k = 0; k < x.size(); ++k)
            sum += weight[i][static_cast<std::int64_t>(k)].item<double>() * x[k];
        y.push_back(sum);
    }
    return y;
}

/// A linear map and tanh, `copies` times.
Node wiresBody(NodeId id, std::int64_t copies)
{
    auto group = std::make_shared<Group>();
    group->graph = std::make_shared<const Graph>(makeGraph(
        {makeNode(1, "linear", "linear", {{"width", std::int64_t{3}}}), makeNode(2, "activation", "activation")},
        {{{1, "y"}, {2, "x"}}}));
    group->inputs = {{"x", {1, "x"}}};
    group->outputs = {{"y", {2, "y"}}};
    group->repeat = copies;
    Node node = makeNode(id, "group", "body");
    node.group = group;
    return node;
}

/// features -> linear -> add <- delay <- body x 2 <- add; body -> mse.
Graph loopedBodies()
{
    return makeGraph({makeNode(1, "series", "series"), makeNode(2, "linear", "first", {{"width", std::int64_t{3}}}),
                      makeNode(3, "delay", "delay"), makeNode(4, "add", "add"), wiresBody(5, 2),
                      makeNode(6, "mse", "mse")},
                     {{{1, "features"}, {2, "x"}},
                      {{2, "y"}, {4, "a"}},
                      {{3, "y"}, {4, "b"}},
                      {{4, "y"}, {5, "x"}},
                      {{5, "y"}, {3, "x"}},
                      {{5, "y"}, {6, "x"}},
                      {{1, "targets"}, {6, "targets"}}});
}

ProbeText wiresRows()
{
    ProbeText text;
    text.features = {0.5f, -1, 2, 0.25f, 1, 1, -0.5f, 0.75f, 0, 1.5f};
    text.width = 2;
    text.targets = {{"height", 0, 1}, {"weight", 0, 1}};
    const float none = std::numeric_limits<float>::quiet_NaN();
    text.values = {3, 4, none, none, 0, 1, 1, 0, 6, 8};
    return text;
}

TEST(Wires, AreThoseOfPlainLoops)
{
    const auto model = buildModel(loopedBodies(), {.classes = 0, .inputs = 2, .targets = 2, .labels = 0});
    const ProbeText text = wiresRows();
    const auto data = wiresOf(*model, text);
    ASSERT_NE(data, nullptr);
    const at::NoGradGuard values;
    const auto near = [](double found, double right, const char* what, std::size_t t) {
        EXPECT_NEAR(found, right, 1e-12) << what << " at step " << t;
    };
    Vec delayed(3, 0.0);
    for (std::size_t t = 0; t < 5; ++t) {
        const auto step = static_cast<std::int64_t>(t);
        const Vec read{text.features[2 * t], text.features[2 * t + 1]};
        near(outputOf(*data, "series", "features").at(step), lengthOf(read), "features", t);
        const Vec first = affine(*model, "first", read);
        near(outputOf(*data, "first", "y").at(step), lengthOf(first), "first", t);
        near(outputOf(*data, "delay", "y").at(step), lengthOf(delayed), "delay", t);
        Vec x(3);
        for (std::size_t i = 0; i < 3; ++i)
            x[i] = first[i] + delayed[i];
        near(outputOf(*data, "add", "y").at(step), lengthOf(x), "add", t);
        for (const char* copy : {"body.1.", "body.2."}) {
            x = affine(*model, copy + std::string("linear"), x);
            near(outputOf(*data, copy + std::string("linear"), "y").at(step), lengthOf(x), "linear", t);
            for (double& value : x)
                value = std::tanh(value);
            near(outputOf(*data, copy + std::string("activation"), "y").at(step), lengthOf(x), copy, t);
        }
        near(outputOf(*data, "mse", "prediction").at(step), lengthOf(affine(*model, "mse", x)), "prediction", t);
        delayed = x;
    }
    const OutputNorms& state = outputOf(*data, "delay", "state");
    EXPECT_TRUE(state.once);
    EXPECT_THAT(state.norm, ElementsAre(::testing::DoubleNear(lengthOf(delayed), 1e-12))) << "after the last step";
    const OutputNorms& asked = outputOf(*data, "series", "targets");
    EXPECT_DOUBLE_EQ(asked.at(0), 5);
    EXPECT_TRUE(std::isnan(asked.at(1))) << "nothing is asked there";
    EXPECT_DOUBLE_EQ(asked.at(4), 10);
    EXPECT_EQ(data->figure().missing, 0) << "what is not asked for is not missing";
}

TEST(Wires, OfAnLstmAreThoseOfItsOutputsAndLastState)
{
    const auto model = buildModel(blockBetween("lstm", 4, {{"units", std::int64_t{5}}}));
    const std::vector<std::int32_t> read{4, 0, 7, 2, 9, 1};
    const auto data = wiresOf(*model, textOf(read));
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(data->find("text", "tokens"), nullptr) << "classes are no numbers";
    EXPECT_EQ(data->find("head", "loss"), nullptr);
    const at::NoGradGuard values;
    const at::Tensor table = weightOf(*model, "embedding.weight");
    for (std::size_t t = 0; t < read.size(); ++t) {
        Vec row;
        for (std::int64_t i = 0; i < 4; ++i)
            row.push_back(table[read[t]][i].item<double>());
        EXPECT_NEAR(outputOf(*data, "embedding", "y").at(static_cast<std::int64_t>(t)), lengthOf(row), 1e-12);
    }
    const WatchedSignal h{"lstm", "h"}, c{"lstm", "c"};
    const ProbeFrame look = probe(*model, textOf(read), {h, c}, 0);
    Vec last;
    for (const SignalFrame& frame : look.signalFrames)
        for (std::int64_t i = 0; i < 5; ++i)
            last.push_back(frame.values[static_cast<std::size_t>(5 * 5 + i)]);
    EXPECT_NEAR(outputOf(*data, "lstm", "state").at(2), lengthOf(last), 1e-6) << "h and c, whatever the step";
    EXPECT_EQ(outputOf(*data, "lstm", "state").width, 10);
}

TEST(Wires, AVectorOfTheWholeReadingCrossesOnce)
{
    const auto model = buildModel(
        makeGraph({makeNode(1, "labelled_text", "data"), makeNode(2, "embedding", "embedding"),
                   makeNode(3, "pool", "pool", {{"kind", std::string("last")}}), makeNode(4, "head", "head")},
                  {{{1, "tokens"}, {2, "tokens"}},
                   {{2, "y"}, {3, "x"}},
                   {{1, "mask"}, {3, "mask"}},
                   {{3, "y"}, {4, "x"}},
                   {{1, "targets"}, {4, "targets"}}}),
        {.classes = 11, .inputs = 0, .targets = 0, .labels = 3});
    const auto data = wiresOf(*model, textOf({4, 0, 7}));
    ASSERT_NE(data, nullptr);
    const OutputNorms& pooled = outputOf(*data, "pool", "y");
    EXPECT_TRUE(pooled.once);
    ASSERT_EQ(pooled.norm.size(), 1u);
    EXPECT_NEAR(pooled.norm[0], outputOf(*data, "embedding", "y").at(2), 1e-12);
    EXPECT_EQ(data->figure().panels.at(0).cells->rows, 1) << "one output has a norm for each step";
}

TEST(Wires, ANumberThatIsNotFiniteIsCounted)
{
    const auto model = buildModel(blockBetween("rnn", 3, {{"units", std::int64_t{3}}}));
    {
        const at::NoGradGuard values;
        weightOf(*model, "embedding.weight")[7].fill_(std::numeric_limits<double>::quiet_NaN());
    }
    const auto data = wiresOf(*model, textOf({4, 7, 2}), {{"step", std::int64_t{0}}});
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(outputOf(*data, "embedding", "y").missing, 1);
    EXPECT_EQ(outputOf(*data, "rnn", "y").missing, 2);
    const Figure figure = data->figure();
    EXPECT_GE(figure.missing, 3);
    EXPECT_THAT(figure.tables.at(0).columns, ::testing::Contains("at step 1"));
}

TEST(Wires, FiguresHaveTheNormsThemselves)
{
    WiresData data;
    data.steps = 2;
    data.outputs = {{.node = "a", .port = "y", .width = 2, .once = false, .norm = {3, 6}},
                    {.node = "b", .port = "y", .width = 1, .once = false, .norm = {0, 0}},
                    {.node = "b", .port = "state", .width = 4, .once = true, .norm = {5}}};
    const Figure own = data.figure();
    EXPECT_THAT(own.panels.at(0).cells->values, ElementsAre(0.5f, 1, 0, 0));
    EXPECT_THAT(own.panels.at(0).y.labels, ElementsAre("a.y", "b.y"));
    ASSERT_EQ(own.arrays.size(), 3u);
    EXPECT_EQ(own.arrays[0].name, "a.y");
    EXPECT_THAT(own.arrays[0].values, ElementsAre(3, 6));
    EXPECT_THAT(own.tables.at(0).rows.at(0).cells, ElementsAre("a.y", "2", "6", "4.5", "6", "step 2"));
    EXPECT_EQ(own.tables.at(0).rows.at(0).step, 1);
    EXPECT_THAT(own.tables.at(0).rows.at(2).cells, ElementsAre("b.state", "4", "–", "5", "5", "whole reading"));
    EXPECT_THAT(own.findings, ElementsAre(HasSubstr("b.y is 0")));
    data.shared = true;
    EXPECT_THAT(data.figure().panels.at(0).cells->values, ElementsAre(3, 6, 0, 0));
    data.outputs = {data.outputs.back()};
    EXPECT_THAT(data.figure().panels, IsEmpty());
}

} // namespace
} // namespace unroll
