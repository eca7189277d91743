// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/probe.h"
#include "core/model/model.h"
#include "tests/support/lens_models.h"
#include "tests/support/tiny_experiment.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace unroll::testing {

inline constexpr std::int64_t kClassesHere = 11;

/// tokens -> embedding -> `block` -> head over 11 classes, all `width` wide, with fresh weights. The nodes have their
/// blocks' names.
inline std::unique_ptr<Model> modelOverClasses(const std::string& block, std::int64_t width, Params params = {},
                                               at::ScalarType dtype = at::kDouble)
{
    static const auto* registry = new BlockRegistry(allSpecs());
    if (registry->find(block)->param("units") != nullptr) // others are as wide as what they read
        params.emplace("units", width);
    const Graph graph = makeGraph(
        {makeNode(1, "text", "text"), makeNode(2, "embedding", "embedding", {{"width", width}}),
         makeNode(3, block, block, std::move(params)), makeNode(4, "head", "head")},
        {{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{1, "targets"}, {4, "targets"}}});
    CheckOptions options;
    options.sourceFacts = [](const std::string&, const Params&) {
        SourceFacts facts;
        facts.classes = kClassesHere;
        facts.steps = 5;
        return facts;
    };
    const CheckedGraph checked = check(graph, *registry, options);
    for (const Diagnostic& diagnostic : checked.diagnostics)
        EXPECT_NE(diagnostic.severity, Severity::Error) << diagnostic.sentence;
    auto model = Model::build(graph, checked, *registry, allBuilders(), 1, dtype);
    EXPECT_TRUE(model) << model.error().text();
    return std::move(*model);
}

/// Some sequence of them, each asking for the next; the labels are letters.
inline ProbeText someClasses(std::int64_t steps)
{
    ProbeText text;
    for (std::int64_t t = 0; t < steps; ++t) {
        text.tokens.push_back(static_cast<std::int32_t>((t * t + 3 * t + t / 4) % kClassesHere));
        text.characters.push_back(std::string(1, static_cast<char>('a' + text.tokens.back())));
    }
    for (std::size_t t = 0; t < text.tokens.size(); ++t)
        text.asked.push_back(t + 1 < text.tokens.size() ? text.tokens[t + 1] : kIgnoredTarget);
    for (char label = 'a'; label < 'a' + kClassesHere; ++label)
        text.labels.push_back(std::string(1, label));
    return text;
}

} // namespace unroll::testing
