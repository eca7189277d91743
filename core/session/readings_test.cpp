// SPDX-License-Identifier: GPL-3.0-or-later
// What a reading gives equals what evaluation and plain loops give, and changes nothing of training.
#include "core/experiment/gallery.h"
#include "core/lens/answers/answers.h"
#include "core/lens/probe.h"
#include "core/session/inspection.h"
#include "tests/support/short_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace unroll {
namespace {

using ::testing::HasSubstr;
using testing::tinyExperiment;
using testing::waitUntil;
using From = ReadingRequest::From;

/// Everything in double precision.
struct DoubleRun {
    BlockRegistry registry = allSpecs();
    std::shared_ptr<const Dataset> data;
    std::unique_ptr<Model> model;
    std::unique_ptr<Trainer> trainer;

    explicit DoubleRun(const Experiment& experiment)
    {
        DataCache cache(allBuilders());
        const CheckedGraph checked = checkExperiment(experiment, registry, cache);
        const CheckedNode& source = checked.nodes.at(checked.source);
        data = cache.open(source.spec->id, source.params, experiment.folder).value();
        model = std::move(
            Model::build(experiment.graph, checked, registry, allBuilders(), experiment.seed, at::kDouble).value());
        trainer = std::make_unique<Trainer>(experiment, *model, *data);
    }

    ProbeFrame answered(const ReadingRequest& request)
    {
        return look(*model, makeReading(*data, request), {.watched = {}, .forecasts = true, .answers = true}, 0);
    }
};

/// In windows, so that evaluation begins as a reading does.
Experiment inWindows(Experiment experiment)
{
    for (auto& [id, node] : experiment.graph.nodes)
        if (node->block == "text" || node->block == "series") {
            Node changed = *node;
            changed.params["order"] = std::string("windows");
            node = std::make_shared<const Node>(std::move(changed));
        }
    experiment.training.threads = 1;
    experiment.training.device = "cpu";
    return experiment;
}

double meanLoss(const ProbeFrame& frame)
{
    double sum = 0, targets = 0;
    for (const StepAnswer& answer : frame.answers)
        if (answer.asked > 0) {
            sum += answer.loss * static_cast<double>(answer.asked);
            targets += static_cast<double>(answer.asked);
        }
    return sum / targets;
}

/// Every kind of data and of loss: each experiment of the gallery.
TEST(Readings, LoseWhatEvaluationLoses)
{
    int compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(findExperiment("waves-lstm").value().parent_path())) {
        if (entry.path().extension() != ".unroll")
            continue;
        SCOPED_TRACE(entry.path().filename().string());
        DoubleRun run(inWindows(loadExperiment(entry.path().string()).value()));
        const auto steps = run.data->stretch(Split::Validation, 0, std::int64_t{kLongestReading} + 1).steps;
        if (!run.data->hasOrder() && steps > static_cast<std::int64_t>(kLongestReading))
            continue; // it is not read whole
        const ProbeFrame frame = run.answered({.length = run.data->hasOrder() ? run.data->steps() : 0});
        const auto evaluated = run.trainer->evaluate({Split::Validation, 1, 1});
        ASSERT_TRUE(evaluated && evaluated->loss);
        EXPECT_NEAR(meanLoss(frame), *evaluated->loss, 1e-6 * std::max(1.0, *evaluated->loss));
        EXPECT_EQ(frame.forecasts.empty(), run.data->numbers().targets == 0);
        ++compared;
    }
    EXPECT_GE(compared, 20);
    RecordProperty("compared", compared);
}

TEST(Readings, GiveTheProbabilitiesOfAPlainSoftmax)
{
    DoubleRun run(tinyExperiment());
    const ReadingRequest request{.from = From::Text, .text = "the fox and the hen", .length = 40};
    const ProbeText text = makeReading(*run.data, request);
    const ProbeFrame frame = run.answered(request);
    const at::Tensor logits = run.model->forward(inputOf(text, at::kCPU), {}, {}).prediction.select(1, 0).contiguous();
    const std::int64_t classes = logits.size(1);
    ASSERT_EQ(frame.answers.size(), text.steps());
    EXPECT_EQ(frame.lossUnit, "nats/token");
    for (std::size_t t = 0; t < text.steps(); ++t) {
        const double* row = logits.const_data_ptr<double>() + static_cast<std::int64_t>(t) * classes;
        double sum = 0;
        for (std::int64_t i = 0; i < classes; ++i)
            sum += std::exp(row[i]);
        const StepAnswer& answer = frame.answers[t];
        ASSERT_EQ(answer.likeliest.size(), 5u);
        std::vector<double> sorted(row, row + classes);
        std::sort(sorted.rbegin(), sorted.rend());
        for (std::size_t i = 0; i < 5; ++i)
            EXPECT_NEAR(answer.likeliest[i].probability, std::exp(sorted[i]) / sum, 1e-12);
        if (t + 1 == text.steps()) {
            EXPECT_EQ(answer.came, "") << "nobody knows what would have come";
            EXPECT_TRUE(std::isnan(answer.loss) && std::isnan(answer.probability));
            continue;
        }
        const double probability = std::exp(row[text.tokens[t + 1]]) / sum;
        EXPECT_EQ(answer.came, text.characters[t + 1]);
        EXPECT_NEAR(answer.probability, probability, 1e-12);
        EXPECT_NEAR(answer.loss, -std::log(probability), 1e-12);
    }
}

/// Of one step, and of a model whose weights are not numbers.
TEST(Readings, OfOddModelsSayNothingWrong)
{
    DoubleRun run(tinyExperiment());
    EXPECT_EQ(run.answered({.from = From::Text, .text = "t"}).answers.size(), 1u);
    for (const Weight& weight : run.model->weights())
        weight.tensor.detach().fill_(std::nan(""));
    for (const StepAnswer& answer : run.answered({}).answers) {
        EXPECT_TRUE(std::isnan(answer.loss) && std::isnan(answer.probability));
        EXPECT_TRUE(answer.likeliest.empty());
    }
}

/// Every lens on every signal of the graph, and those of the whole model.
std::vector<LensQuery> everyQuery(const Experiment& experiment)
{
    DataCache cache(allBuilders());
    const CheckedGraph checked = checkExperiment(experiment, testing::registry(), cache);
    std::vector<LensQuery> queries;
    for (const auto& lens : allLenses()) {
        if (!lens->spec().takesSignal)
            queries.push_back({lens->spec().id, {}, {}, {}});
        else
            for (const WatchedSignal& each : watchableSignals(experiment.graph, checked))
                queries.push_back({lens->spec().id, each.node, each.signal, {}});
    }
    return queries;
}

/// The weights after some updates, with these queries answered after each.
std::vector<std::vector<std::byte>> weightsAfter(const Experiment& experiment, const std::vector<LensQuery>& open)
{
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {});
    session->setReading({.length = 24});
    session->ask(open);
    for (int update = 0; update < 2; ++update) {
        EXPECT_TRUE(testing::stepAndWait(*session, 1));
        EXPECT_TRUE(waitUntil([&] {
            const auto frames = session->snapshot()->frames; // a copy: the worker replaces the snapshot meanwhile
            return frames.size() == open.size() &&
                   std::ranges::all_of(frames, [&](const auto& frame) { return frame->step == update + 1; });
        })) << "where it rests everything is answered; "
            << session->snapshot()->failure;
    }
    session->keepWeights();
    EXPECT_TRUE(waitUntil([&] { return session->snapshot()->keptWeights || !session->snapshot()->notKept.empty(); }));
    const auto last = session->snapshot();
    EXPECT_NE(last->keptWeights, nullptr) << last->notKept << "; " << last->failure;
    std::vector<std::vector<std::byte>> bytes;
    if (!last->keptWeights)
        return bytes;
    for (const format::OwnedTensor& weight : last->keptWeights->tensors)
        bytes.emplace_back(weight.data.get(), weight.data.get() + weight.bytes);
    return bytes;
}

TEST(Readings, ChangeNoWeight)
{
    for (const std::string block : {"lstm", "mru", "lru"}) {
        Experiment experiment = tinyExperiment(block, block == "lru" ? 12 : 24); // its skip keeps the width
        experiment.training.evaluateEvery = 2;
        const Graph& graph = experiment.graph;
        experiment.graph =
            edits::sequence("dropout", {edits::insertOnWire(testing::makeNode(0, "dropout", "dropout", {{"rate", 0.3}}),
                                                            {{3, "y"}, {4, "x"}}, "x", "y")})
                .apply(graph)
                .value();
        const auto unseen = weightsAfter(experiment, {});
        EXPECT_FALSE(unseen.empty());
        EXPECT_EQ(unseen, weightsAfter(experiment, everyQuery(experiment))) << block;
    }
}

/// Waits for answers on another reading than `before`.
std::shared_ptr<const AnswersData> answersIn(Session& session, const std::string& before)
{
    std::shared_ptr<const AnswersData> data;
    EXPECT_TRUE(waitUntil([&] {
        data = dataOf<AnswersData>(session.snapshot()->frameOf(answersQuery()));
        return data && data->of != before;
    }));
    return data ? data : std::make_shared<const AnswersData>();
}

TEST(Readings, AreWhatASessionIsTold)
{
    const auto session = startSession(tinyExperiment(), allSpecs(), allBuilders(), {});
    session->ask({answersQuery()});
    auto data = answersIn(*session, "");
    EXPECT_EQ(data->of, "the validation split (steps 1 to 96)");
    session->setReading({.from = From::Place, .at = 1000, .length = 200});
    data = answersIn(*session, data->of);
    EXPECT_EQ(data->of, "the data (steps 1,001 to 1,200)");
    EXPECT_EQ(data->answers.size(), 200u);
    session->setReading({.from = From::Sample, .text = "the", .length = 50, .seed = 3});
    data = answersIn(*session, data->of);
    EXPECT_EQ(data->of, "text that the network wrote after \"the\" at step 0");
    ASSERT_EQ(data->labels.size(), 50u);
    EXPECT_EQ(data->labels[0] + data->labels[1] + data->labels[2], "the");
    EXPECT_EQ(data->targets(), 49);
    session->setReading({.from = From::Place, .at = 1'000'000'000});
    data = answersIn(*session, data->of);
    EXPECT_EQ(data->of, "the validation split (steps 1 to 96)");
    EXPECT_THAT(session->snapshot()->log.back(), HasSubstr("there is no step 1,000,000,001"));
    EXPECT_THAT(session->snapshot()->notRead, HasSubstr("there is no step"));
    session->setReading(readingOfText("hen"));
    EXPECT_EQ(answersIn(*session, data->of)->of, "the given text");
    EXPECT_EQ(session->snapshot()->notRead, "");
}

/// While it trains, too; the rate is told.
TEST(Readings, KeepTheirRate)
{
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 100'000;
    experiment.training.evaluateEvery = 0;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {.lookBudget = 0.2});
    session->ask({answersQuery()});
    session->run();
    EXPECT_TRUE(waitUntil([&] { return session->snapshot()->looksPerMinute > 0; }));
    session->setReading(readingOfText("the hen"));
    EXPECT_EQ(answersIn(*session, "the validation split (steps 1 to 96)")->labels.size(), 7u);
    session->stop();
    EXPECT_TRUE(session->finish(240));
}

TEST(Readings, OfARunOnDiskAreThoseOfItsModel)
{
    const TestFolder folder;
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 3;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder / "run"});
    session->ask({answersQuery()});
    session->setReading(readingOfText("the fox"));
    session->run();
    ASSERT_TRUE(session->finish(240));
    const auto live = dataOf<AnswersData>(session->snapshot()->frameOf(answersQuery()));
    ASSERT_NE(live, nullptr);
    for (const bool needsData : {true, false}) {
        InspectionOptions options;
        options.needsData = needsData;
        options.threads = 1;
        options.device = "cpu";
        auto opened = Inspection::open(folder / "run", testing::registry(), allBuilders(), options);
        ASSERT_TRUE(opened) << opened.error().text();
        const auto seen = (*opened)->see(answersQuery(), readingOfText("the fox"));
        ASSERT_TRUE(seen) << seen.error().text();
        EXPECT_EQ((*seen)->step, 3);
        const auto data = dataOf<AnswersData>(*seen);
        EXPECT_EQ(data->labels, live->labels);
        EXPECT_EQ(data->targets(), 6) << "the next letter is asked for, with and without the data";
        for (std::size_t t = 0; t < 6; ++t)
            EXPECT_NEAR(data->answers[t].loss, live->answers[t].loss, 1e-6);
        EXPECT_TRUE((*opened)->see(answersQuery(), {.from = From::Sample, .text = "the", .length = 20}));
        EXPECT_FALSE((*opened)->see(answersQuery(), readingOfText("caf\u00e9")));
        const auto place = (*opened)->see(answersQuery(), {.from = From::Place, .at = 5, .length = 9});
        EXPECT_EQ(place.has_value(), needsData);
        EXPECT_EQ((*opened)->find("the").has_value(), needsData);
        EXPECT_FALSE((*opened)->see({"no-such-lens"}, {}));
    }
}

} // namespace
} // namespace unroll
