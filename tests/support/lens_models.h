// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"
#include "core/lens/probe.h"
#include "core/model/model.h"
#include "tests/support/tiny_experiment.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace unroll::testing {

/// What the data of a model are like.
struct ModelSizes {
    std::int64_t classes = 11, inputs = 0, targets = 0, labels = 0;
};

inline std::unique_ptr<Model> buildModel(const Graph& graph, const ModelSizes& sizes = {},
                                         at::ScalarType dtype = at::kDouble)
{
    static const auto* registry = new BlockRegistry(allSpecs());
    CheckOptions options;
    options.sourceFacts = [&](const std::string&, const Params&) {
        SourceFacts facts;
        facts.classes = sizes.classes;
        facts.inputs = sizes.inputs;
        facts.targets = sizes.targets;
        facts.labels = sizes.labels;
        facts.steps = 16;
        return facts;
    };
    const CheckedGraph checked = check(graph, *registry, options);
    for (const Diagnostic& diagnostic : checked.diagnostics)
        EXPECT_NE(diagnostic.severity, Severity::Error) << diagnostic.sentence;
    auto model = Model::build(graph, checked, *registry, allBuilders(), 3, dtype);
    EXPECT_TRUE(model) << model.error().text();
    return std::move(*model);
}

/// text -> embedding -> a block of its usual parameters, but for these -> head. Nodes are named after their blocks.
inline Graph blockBetween(const std::string& block, std::int64_t width, Params params = {})
{
    return makeGraph(
        {makeNode(1, "text", "text"), makeNode(2, "embedding", "embedding", {{"width", width}}),
         makeNode(3, block, block, std::move(params)), makeNode(4, "head", "head")},
        {{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{1, "targets"}, {4, "targets"}}});
}

inline ProbeText textOf(std::vector<std::int32_t> tokens)
{
    ProbeText text;
    text.tokens = std::move(tokens);
    return text;
}

/// The weight itself, to be read or changed.
inline at::Tensor weightOf(const Model& model, const std::string& name)
{
    for (const Weight& each : model.weights())
        if (each.name == name)
            return each.tensor.detach();
    ADD_FAILURE() << "there is no weight " << name;
    return {};
}

/// The lens's answer about the model reading this text.
inline std::shared_ptr<const LensFrame> lensFrame(Model& model, const ProbeText& text, const LensQuery& query,
                                                  const Dataset* data = nullptr)
{
    const ProbeFrame look{.step = 5, .characters = text.characters, .signalFrames = {}};
    return frameOf({look, &model, data, &text}, query);
}

} // namespace unroll::testing
