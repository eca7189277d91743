// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/edited_reading.h"

#include "core/lens/apply_edits.h"
#include "core/lens/probe.h"
#include "tests/support/short_runs.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace unroll {
namespace {

double apart(const at::Tensor& a, const at::Tensor& b)
{
    return (a - b).abs().max().item<double>();
}

/// Two cells, attention and what comes behind: what is walked is the edited node alone, and it is as if the whole
/// network were.
TEST(EditedReading, WalkingTheEditedNodeAloneIsWalkingAll)
{
    using testing::makeGraph;
    using testing::makeNode;
    Experiment experiment = testing::tinyExperiment();
    experiment.graph =
        makeGraph({makeNode(1, "parity", "parity"), makeNode(2, "embedding", "embedding", {{"width", std::int64_t{8}}}),
                   makeNode(3, "lstm", "lstm", {{"units", std::int64_t{8}}}),
                   makeNode(4, "attention", "attention", {{"num_heads", std::int64_t{2}}}),
                   makeNode(5, "gru", "gru", {{"units", std::int64_t{8}}}), makeNode(6, "head", "head")},
                  {{{1, "tokens"}, {2, "tokens"}},
                   {{2, "y"}, {3, "x"}},
                   {{3, "y"}, {4, "x"}},
                   {{4, "y"}, {5, "x"}},
                   {{5, "y"}, {6, "x"}},
                   {{1, "targets"}, {6, "targets"}}});
    const testing::BuiltRun run(experiment);
    Model& model = *run.model;
    const ProbeText text = makeProbeText(*run.data, "");
    const at::NoGradGuard guard;
    for (const std::string edits :
         {"lstm.c[2] = 0.8 from 3", "gru.h[1] * -1", "lstm.f[0] = 1; gru.h[3] = 0.5 from 5"}) {
        const at::Tensor plain = readPlain(model, sideBySide(text, model, 1)).prediction;
        EditsEditor editor(model, parseEdits(edits).value(), 1);
        const auto read = readEdited(model, sideBySide(text, model, 2), plain,
                                     {.editor = &editor, .first = 0, .last = plain.size(0)}, {});
        ASSERT_TRUE(read) << read.error().text();
        const at::Tensor told = read->prediction.select(1, 1);
        const ModelInput both = sideBySide(text, model, 2);
        States states;
        double most = 0;
        for (std::int64_t t = 0; t < told.size(0); ++t) {
            PassContext context;
            context.editor = &editor;
            context.step = t;
            ModelOutput output = model.forward({both.tokens.narrow(0, t, 1), {}, {}, {}}, states, context);
            states = std::move(output.states);
            most = std::max(most, apart(output.prediction[0][1], told[t]));
        }
        EXPECT_LT(most, 1e-5) << edits;
        EXPECT_GT(apart(told, plain.select(1, 0)), 1e-4) << edits;
    }
}

} // namespace
} // namespace unroll
