// SPDX-License-Identifier: GPL-3.0-or-later
// Every lens under edits shows what it shows of a network whose weights were changed by hand.
#include "core/lens/memory/memory.h"
#include "core/session/lens_answers.h"
#include "tests/support/short_runs.h"

#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace unroll::touched_sides {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using testing::tinyExperiment;

/// A tiny network over the bundled text, fresh, in double precision.
struct FreshRun {
    BlockRegistry registry = allSpecs();
    std::shared_ptr<const Dataset> data;
    std::unique_ptr<Model> model;

    FreshRun()
    {
        const Experiment experiment = tinyExperiment();
        DataCache cache(allBuilders());
        const CheckedGraph checked = checkExperiment(experiment, registry, cache);
        const CheckedNode& source = checked.nodes.at(checked.source);
        data = cache.open(source.spec->id, source.params, experiment.folder).value();
        model = std::move(
            Model::build(experiment.graph, checked, registry, allBuilders(), experiment.seed, at::kDouble).value());
    }

    std::shared_ptr<const LensFrame> ask(const LensQuery& query)
    {
        return answersOf(*model, {data.get()}, makeReading(*data, {.length = 32}), {query}, 5).front();
    }

    at::Tensor weight(const std::string& name) const
    {
        for (const Weight& each : model->weights())
            if (each.name == name)
                return each.tensor;
        ADD_FAILURE() << "no weight " << name;
        return {};
    }
};

/// All that the figure draws and writes.
std::vector<double> numbersOf(const Figure& figure)
{
    std::vector<double> all;
    const auto add = [&](const auto& values) { all.insert(all.end(), values.begin(), values.end()); };
    for (const FigurePanel& panel : figure.panels) {
        if (panel.cells)
            add(panel.cells->values);
        for (const FigureSeries& series : panel.series) {
            add(series.x);
            add(series.y);
        }
    }
    for (const FigureArray& array : figure.arrays)
        add(array.values);
    return all;
}

/// The largest difference; infinite where they are of other shapes, or a number stands beside none.
double apart(const Figure& one, const Figure& other)
{
    const std::vector<double> a = numbersOf(one), b = numbersOf(other);
    double most = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i])))
            most = std::max(most,
                            std::isnan(a[i] - b[i]) ? std::numeric_limits<double>::infinity() : std::abs(a[i] - b[i]));
    return most;
}

std::vector<LensQuery> queries()
{
    return {{"alike", "lstm", "h", {{"from", std::int64_t{3}}, {"to", std::int64_t{6}}, {"units", std::string("1,2")}}},
            {"answers", "", "", {}},
            {"gates", "lstm", "f", {}},
            {"importance", "lstm", "h", {}},
            {"memory", "", "", {{"tokens", std::int64_t{4096}}}},
            {"spectrum", "lstm", "h", {}},
            {"state", "lstm", "c", {}},
            {"touch", "", "", {{"edit", std::string("lstm.h[3] = 0 from 8")}, {"write", std::int64_t{5}}}},
            {"tracks", "lstm", "c", {{"steps", std::int64_t{1024}}, {"probes", false}}},
            {"trajectory", "lstm", "h", {}},
            {"unit_stats", "lstm", "c", {}},
            {"wires", "", "", {}}};
}

struct ByHand {
    std::string edit;
    std::function<void(const FreshRun&)> change;
};

/// What leaves a node, and what goes on inside of one.
const std::vector<ByHand>& changes()
{
    static const auto* all = new std::vector<ByHand>{
        {"embedding.y[2] = 0", [](const FreshRun& run) { run.weight("embedding.weight").select(1, 2).zero_(); }},
        {"lstm.i[1] = 0", [](const FreshRun& run) { run.weight("lstm.bias_ih_l0")[1].fill_(-1e9); }}};
    return *all;
}

TEST(TouchedSides, EveryLensShowsTheNetworkUnderTheEdits)
{
    for (const auto& [edit, change] : changes()) {
        FreshRun run, byHand;
        {
            const at::NoGradGuard guard;
            change(byHand);
        }
        for (LensQuery query : queries()) {
            if (query.lens == "memory" && edit.starts_with("embedding"))
                continue; // its gradients are of what the edit throws away: the next test
            const auto untouched = run.ask(query), right = byHand.ask(query);
            query.edit = edit;
            const auto touched = run.ask(query);
            ASSERT_TRUE(touched->data) << query.lens << " under " << edit << ": " << touched->trouble;
            ASSERT_TRUE(untouched->data && right->data) << query.lens << ": " << untouched->trouble << right->trouble;
            const double same = apart(touched->data->figure(), right->data->figure());
            EXPECT_LT(same, 2e-5) << query.lens << " under " << edit;
            EXPECT_GT(apart(touched->data->figure(), untouched->data->figure()), 10 * same + 1e-9)
                << query.lens << " under " << edit << " is as it was";
            query.edit.clear();
            EXPECT_EQ(apart(run.ask(query)->data->figure(), untouched->data->figure()), 0)
                << query.lens << " is as it was when the edit has gone, to the bit";
        }
    }
}

/// What a token brings is thrown away: no earlier step matters.
TEST(TouchedSides, MemoryHasNoGradientThroughWhatIsPinned)
{
    FreshRun run;
    LensQuery query{"memory", "", "", {{"tokens", std::int64_t{0}}}};
    EXPECT_GT(dataOf<MemoryData>(run.ask(query))->gradient.back(), 0);
    query.edit = "embedding.y = 0";
    const auto data = dataOf<MemoryData>(run.ask(query));
    ASSERT_TRUE(data);
    EXPECT_THAT(data->gradient, Each(0));
    query.edit = "embedding.y = 0 at 3";
    const auto one = dataOf<MemoryData>(run.ask(query));
    ASSERT_TRUE(one);
    EXPECT_EQ(one->gradient.at(2), 0);
    EXPECT_GT(one->gradient.at(3), 0);
}

/// The states after a text, before the first step of all that is read.
TEST(TouchedSides, AnotherStartIsASide)
{
    FreshRun run;
    for (LensQuery query : queries()) {
        const auto untouched = run.ask(query);
        query.edit = "start \"the fox \"";
        const auto touched = run.ask(query);
        ASSERT_TRUE(touched->data) << query.lens << ": " << touched->trouble;
        if (query.lens == "tracks" || query.lens == "alike") // they read over the beginning
            continue;
        EXPECT_GT(apart(touched->data->figure(), untouched->data->figure()), 0) << query.lens;
    }
}

TEST(TouchedSides, WeightsAreTheSameAndSaySo)
{
    FreshRun run;
    for (LensQuery query :
         {LensQuery{"weights"}, LensQuery{"spectrum", "lstm", "h", {{"of", std::string("weights")}}}}) {
        ASSERT_TRUE(run.ask(query)->data) << query.lens;
        query.edit = "lstm.h[1] = 0";
        const auto touched = run.ask(query);
        EXPECT_FALSE(touched->data);
        EXPECT_THAT(touched->trouble, HasSubstr("the same under edits"));
    }
    for (const auto& lens : allLenses())
        EXPECT_EQ(whyNoEdits(lens->spec()).empty(), lens->spec().id != "weights") << lens->spec().id;
}

/// While a run trains both sides are answered together.
TEST(TouchedSides, BothAreOfOneStep)
{
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 300;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {.lookBudget = 0.5});
    LensQuery plain{"wires"}, touched{"wires"};
    touched.edit = "lstm.h[1] = 0";
    session->ask({plain, touched});
    session->run();
    std::int64_t pairs = 0, newest = 0;
    ASSERT_TRUE(testing::waitUntil([&] {
        const auto snapshot = session->snapshot();
        const auto one = snapshot->frameOf(plain), other = snapshot->frameOf(touched);
        if (one && other && snapshot->state == RunState::Running && one->step > newest) {
            EXPECT_EQ(one->step, other->step);
            newest = one->step;
            ++pairs;
        }
        return snapshot->state == RunState::Finished;
    }));
    EXPECT_GT(pairs, 0);
    EXPECT_TRUE(testing::waitUntil([&] {
        const auto snapshot = session->snapshot();
        const auto last = snapshot->frameOf(touched);
        return last && last->step == snapshot->step && last->data != nullptr;
    }));
}

} // namespace
} // namespace unroll::touched_sides
