// SPDX-License-Identifier: GPL-3.0-or-later
// A run that meets trouble says where and what may help, and loses no update.
#include "core/session/session.h"

#include "core/model/block.h"
#include "core/runs/run_folder.h"
#include "core/train/device.h"
#include "tests/support/short_runs.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <new>

namespace unroll {
namespace {

using testing::losses;
using testing::tinyExperiment;
using testing::trainAll;

/// An LSTM whose passes go wrong from one on: the memory is used up, or numbers come that are none.
class FaultyLstm : public Block {
public:
    enum class Fault { Memory, Number };
    inline static Fault fault = Fault::Memory;
    inline static int passes = 0, firstBad = 0;

    explicit FaultyLstm(const BlockSetup& setup) : Block(setup), m_inner(allBuilders().block("lstm")(setup))
    {
        weights() = m_inner->weights();
    }
    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const bool bad = ++passes >= firstBad;
        if (bad && fault == Fault::Memory)
            throw std::bad_alloc();
        std::vector<Value> outputs = m_inner->forward(inputs, context);
        if (bad)
            outputs.front().front() = outputs.front().front() * std::nan("");
        return outputs;
    }
    Value initialState(std::int64_t sequences) const override { return m_inner->initialState(sequences); }

private:
    std::unique_ptr<Block> m_inner;
};

/// Draws before the block that breaks, so that an update that is interrupted has drawn.
Experiment drawingExperiment()
{
    Experiment experiment = tinyExperiment();
    experiment.training.evaluateEvery = 0;
    experiment.graph =
        edits::insertOnWire(testing::makeNode(0, "dropout", "dropout", {{"rate", 0.3}}), {{2, "y"}, {3, "x"}}, "x", "y")
            .apply(experiment.graph)
            .value();
    return experiment;
}

struct BrokenRun {
    std::vector<MetricRow> rows;
    Snapshot last;

    BrokenRun(const Experiment& experiment, FaultyLstm::Fault fault, const std::string& folder)
    {
        FaultyLstm::fault = fault;
        FaultyLstm::passes = 0;
        FaultyLstm::firstBad = 6; // five updates are well
        Builders builders = allBuilders();
        builders.addBlock("lstm", [](const BlockSetup& setup) -> std::unique_ptr<Block> {
            return std::make_unique<FaultyLstm>(setup);
        });
        const auto session = startSession(experiment, testing::registry(), builders, {.runFolder = folder});
        session->run();
        EXPECT_TRUE(session->finish(240));
        rows = session->takeMetrics();
        last = *session->snapshot();
    }
};

const Diagnostic& onlyProblem(const BrokenRun& run)
{
    EXPECT_EQ(run.last.state, RunState::Failed);
    EXPECT_EQ(run.last.problems.size(), 1u);
    return run.last.problems.back();
}

/// The run's one problem, at the faulty node, with the last good update saved.
const Diagnostic& keptAtStepFive(const BrokenRun& run, const std::string& code)
{
    const Diagnostic& problem = onlyProblem(run);
    EXPECT_EQ(problem.code, code);
    EXPECT_EQ(problem.node, 3u);
    EXPECT_THAT(problem.sentence, ::testing::HasSubstr("the checkpoint of step 5 was kept"));
    return problem;
}

TEST(Trouble, NoMemoryIsSaidAtTheNodeAndLosesNoUpdate)
{
    TestFolder folder;
    const Experiment experiment = drawingExperiment();
    const BrokenRun run(experiment, FaultyLstm::Fault::Memory, folder / "run");
    const Diagnostic& problem = keptAtStepFive(run, "out-of-memory");
    ASSERT_TRUE(problem.fix && problem.fix->setting);
    EXPECT_EQ(problem.fix->setting->name, "batch");
    EXPECT_EQ(problem.fix->setting->value, ParamValue(std::int64_t{2}));
    auto all = losses(run.rows);
    const auto rest = trainAll(experiment, {.runFolder = folder / "run", .resume = true});
    all.insert(all.end(), rest.begin(), rest.end());
    EXPECT_EQ(all, trainAll(experiment)) << "as if it had never happened";
}

TEST(Trouble, ABadNumberCostsNoUpdateThatWasGood)
{
    TestFolder folder;
    const Experiment experiment = drawingExperiment();
    const BrokenRun run(experiment, FaultyLstm::Fault::Number, folder / "run");
    const Diagnostic& problem = keptAtStepFive(run, "not-finite");
    ASSERT_TRUE(problem.fix && problem.fix->setting);
    EXPECT_EQ(problem.fix->title, "Lower the learning rate to 0.0025");
    EXPECT_EQ(problem.fix->setting->value, ParamValue(0.0025));
    auto all = losses(run.rows);
    ASSERT_EQ(all.size(), 6u);
    EXPECT_TRUE(std::isnan(all.back()));
    all.pop_back();
    const auto rest = trainAll(experiment, {.runFolder = folder / "run", .resume = true});
    all.insert(all.end(), rest.begin(), rest.end());
    EXPECT_EQ(all, trainAll(experiment));
}

TEST(Trouble, IsSaidAtTheNodeInsideItsGroups)
{
    Experiment experiment = tinyExperiment("lstm", 12);
    experiment.graph = edits::makeGroup({3}, "body").apply(experiment.graph).value();
    const NodeId body = experiment.graph.findByName("body")->id;
    experiment.graph = edits::setRepeat(body, 2, false).apply(experiment.graph).value();
    const BrokenRun run(experiment, FaultyLstm::Fault::Memory, {});
    const Diagnostic& problem = onlyProblem(run);
    EXPECT_EQ(problem.group, GroupPath{body});
    const Node& group = *experiment.graph.find(body);
    EXPECT_EQ(problem.node, group.group->graph->findByName("lstm")->id);
    EXPECT_THAT(nodePath(problem), ::testing::MatchesRegex("body\\.[0-9]+\\.lstm"));
}

/// An embedding that is 1 everywhere, and an MRU whose matrices are then made of the same numbers at every step.
std::unique_ptr<Block> embeddingOfOnes(const BlockSetup& setup)
{
    auto block = allBuilders().block("embedding")(setup);
    const at::NoGradGuard values;
    block->weights().front().tensor.fill_(1);
    return block;
}

/// The numbers a matrix is made of, on its diagonal and off it.
struct Numbers {
    double diagonal, others;
};

template <Numbers numbers>
std::unique_ptr<Block> mruMadeOf(const BlockSetup& setup)
{
    auto block = allBuilders().block("mru")(setup);
    const at::NoGradGuard values;
    const at::Tensor up = block->weights().front().tensor; // [heads n n, in]
    const auto in = static_cast<double>(up.size(1));
    const at::Tensor matrices = up.fill_(numbers.others / in).view({-1, 8, 8, up.size(1)});
    matrices.diagonal(0, 1, 2).fill_(numbers.diagonal / in);
    return block;
}

/// What a run of one step says, in which an MRU reads ones.
Snapshot afterAStep(const std::string& maker, MakeBlock mru)
{
    Experiment experiment = tinyExperiment("mru", 16);
    experiment.graph = edits::setParam(3, "maker", maker).apply(experiment.graph).value();
    experiment.training.steps = 1;
    experiment.training.evaluateEvery = 0;
    Builders builders = allBuilders();
    builders.addBlock("embedding", embeddingOfOnes);
    builders.addBlock("mru", mru);
    const auto session = startSession(experiment, testing::registry(), builders, {});
    session->run();
    EXPECT_TRUE(session->finish(240));
    return *session->snapshot();
}

/// 16 steps multiply the state of identity by 10^13 (6.5 I), that of ldu by more.
TEST(Trouble, StatesThatGrowAreWarnedOfBeforeTheyOverflow)
{
    for (const auto& [maker, mru] :
         {std::pair{"identity", &mruMadeOf<Numbers{5.5, 0}>}, {"ldu", &mruMadeOf<Numbers{0, 0.8}>}}) {
        SCOPED_TRACE(maker);
        const Snapshot last = afterAStep(maker, mru);
        EXPECT_EQ(last.state, RunState::Finished) << "a warning ends no run";
        ASSERT_FALSE(last.problems.empty());
        const Diagnostic& problem = last.problems.front();
        EXPECT_EQ(problem.severity, Severity::Warning);
        EXPECT_EQ(problem.code, "limit-passed");
        EXPECT_EQ(problem.node, 3u);
        EXPECT_THAT(problem.sentence, ::testing::StartsWith("at step 1 its states have grown past 10^12"));
        ASSERT_TRUE(problem.fix && problem.fix->setting);
        EXPECT_EQ(problem.fix->title, "Lower the learning rate to 0.0025");
    }
}

/// Products that leave single precision within one pass end a run, which says then what they came from.
TEST(Trouble, StatesThatOverflowAtOnceAreSpokenOfToo)
{
    const Snapshot last = afterAStep("ldu", mruMadeOf<Numbers{0, 1000}>);
    EXPECT_EQ(last.state, RunState::Failed);
    ASSERT_EQ(last.problems.size(), 2u);
    EXPECT_EQ(last.problems[0].code, "limit-passed");
    EXPECT_EQ(last.problems[0].node, 3u);
    EXPECT_EQ(last.problems[1].code, "not-finite");
    EXPECT_EQ(last.problems[1].node, 3u);
}

TEST(Trouble, StatesWithinTheirLimitsAreNotSpokenOf)
{
    Experiment experiment = tinyExperiment("mru", 16);
    experiment.training.steps = 12;
    EXPECT_TRUE(testing::EndedRun(experiment).last.problems.empty());
}

TEST(Trouble, ADeviceThatIsNotThereOffersTheCpu)
{
    Experiment experiment = tinyExperiment();
    experiment.training.device = "cuda:77";
    const testing::EndedRun run(experiment);
    ASSERT_EQ(run.last.problems.size(), 1u);
    EXPECT_EQ(run.last.problems.front().code, "no-device");
    ASSERT_TRUE(run.last.problems.front().fix && run.last.problems.front().fix->setting);
    EXPECT_EQ(run.last.problems.front().fix->setting->value, ParamValue(std::string("cpu")));
}

TEST(Trouble, ABatchThatCannotFitOffersOneThatDoes)
{
    Experiment experiment = tinyExperiment();
    experiment.training.batch = std::int64_t{1} << 40;
    DataCache cache(allBuilders());
    const DeviceMemory before = memoryFor("cpu"); // other programs may take some of it meanwhile, or give it back
    const CheckedGraph refused = checkExperiment(experiment, testing::registry(), cache);
    const auto found = std::find_if(refused.diagnostics.begin(), refused.diagnostics.end(),
                                    [](const auto& d) { return d.code == "memory"; });
    ASSERT_NE(found, refused.diagnostics.end());
    ASSERT_TRUE(found->fix && found->fix->setting);
    auto mended = withTrainSetting(experiment.training, found->fix->setting->name, found->fix->setting->value);
    ASSERT_TRUE(mended);
    EXPECT_LT(mended->batch, experiment.training.batch);
    EXPECT_GT(mended->batch, 1000) << "no smaller than it must be";
    const DeviceMemory memory = memoryFor("cpu");
    experiment.training = *mended;
    const CheckedGraph fits = checkExperiment(experiment, testing::registry(), cache);
    EXPECT_LT(static_cast<double>(fits.trainingBytes), 1.2 * static_cast<double>(std::max(before.bytes, memory.bytes)));
}

} // namespace
} // namespace unroll
