// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frames/figure_tensors.h"
#include "core/lens/answers/answers.h"
#include "core/lens/wires/wires.h"
#include "core/remote/data_files.h"
#include "core/remote/front.h"
#include "core/remote/test_engines.h"
#include "core/remote/wire_commands.h"
#include "core/remote/wire_snapshot.h"
#include "core/remote/wire_values.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace unroll {
namespace {

using testing::tinyExperiment;
using testing::waitUntil;

std::string figureBytes(const LensFrame& frame)
{
    std::string bytes;
    for (const format::OwnedTensor& tensor : figureTensors(frame.data->figure(), true))
        bytes.append(reinterpret_cast<const char*>(tensor.data.get()), tensor.bytes);
    return bytes;
}

/// Of the State, the norms on wires, and every lens that needs no signal and is not heavy.
std::vector<LensQuery> manyQueries()
{
    std::vector<LensQuery> queries = testing::statesOf({{"lstm", "c"}, {"lstm", "f"}});
    for (const auto& lens : allLenses())
        if (!lens->spec().takesSignal && !lens->spec().heavy)
            queries.push_back({lens->spec().id});
    if (std::find(queries.begin(), queries.end(), wiresQuery()) == queries.end())
        queries.push_back(wiresQuery());
    return queries;
}

TEST(Wire, SnapshotsComeBackEqualWithAllTheirFrames)
{
    TestFolder folder;
    const auto session =
        startSession(tinyExperiment(), testing::registry(), allBuilders(), {.runFolder = folder / "run"});
    const auto open = manyQueries();
    session->ask(open);
    session->step(12);
    ASSERT_TRUE(waitUntil([&] {
        const auto now = session->snapshot();
        return now->step == 12 && now->state == RunState::Paused && now->frames.size() == open.size();
    }));
    session->keepWeights();
    session->sample("a", 4, {}, 1);
    ASSERT_TRUE(waitUntil([&] { return session->snapshot()->keptWeights && !session->snapshot()->samples.empty(); }));
    const auto sent = session->snapshot();
    SnapshotSender sender;
    SnapshotReceiver receiver;
    const Message whole = sender.message(*sent);
    const auto back = receiver.snapshot(whole);
    ASSERT_TRUE(back) << back.error().text();
    const Message again = SnapshotSender().message(**back);
    EXPECT_EQ(writeJson(again.head), writeJson(whole.head));
    EXPECT_EQ(again.body, whole.body);
    ASSERT_EQ((*back)->frames.size(), sent->frames.size());
    for (std::size_t i = 0; i < open.size(); ++i) {
        const LensFrame &was = *sent->frames[i], &is = *(*back)->frames[i];
        EXPECT_EQ(is.query, was.query);
        EXPECT_EQ(is.trouble, was.trouble);
        ASSERT_EQ(is.data == nullptr, was.data == nullptr) << was.query.lens;
        if (was.data) {
            EXPECT_EQ(figureBytes(is), figureBytes(was)) << was.query.lens;
        }
    }
    EXPECT_TRUE(stateLook((*back)->frames[0]));
    EXPECT_TRUE(dataOf<AnswersData>((*back)->frameOf(answersQuery())));
    EXPECT_TRUE(dataOf<WiresData>((*back)->frameOf(wiresQuery())));
    const Message next = sender.message(*sent);
    EXPECT_TRUE(next.body.empty()) << "what was sent is not sent again";
    const auto second = receiver.snapshot(next);
    ASSERT_TRUE(second) << second.error().text();
    EXPECT_EQ((*second)->frames, (*back)->frames);
    EXPECT_EQ((*second)->keptWeights, (*back)->keptWeights);
}

TEST(Wire, RowsComeBackEqual)
{
    std::vector<MetricRow> rows{{1, 64, 0.5, {{"train/loss", 3.25}, {"optim/lr", 1e-3}}},
                                {2, 128, 0.75, {}},
                                {2, 128, 0.75, {{"val/loss", std::numeric_limits<double>::infinity()}}}};
    BlockWriter blocks;
    const Json json = rowsJson(rows, blocks);
    const BlockReader reader(blocks.bytes());
    std::string fault;
    EXPECT_EQ(rowsFrom(MemberReader(json, reader, fault)), rows);
    EXPECT_EQ(fault, "");
}

TEST(Wire, ReadingsComeBackEqual)
{
    const ReadingRequest usual, other{ReadingRequest::From::Place, "the fox", 7, 40, 3, 2};
    for (const ReadingRequest& reading : {usual, other}) {
        const Json json = readingJson(reading);
        const BlockReader reader({});
        std::string fault;
        EXPECT_EQ(readingFrom(MemberReader(json, reader, fault)), reading);
        EXPECT_EQ(fault, "");
    }
}

TEST(Wire, OptionsComeBackEqual)
{
    SessionOptions options{.runFolder = "runs/ä", .resume = true, .schedule = Continuation::Stretch};
    options.tags = {"a", "b"};
    options.trial = R"({"n": 1})";
    options.lookBudget = 0.125;
    options.summariesEvery = 7;
    BlockWriter blocks;
    const Json json = optionsJson(options, blocks);
    const BlockReader reader(blocks.bytes());
    std::string fault;
    const SessionOptions back = optionsFrom(MemberReader(json, reader, fault));
    EXPECT_EQ(fault, "");
    EXPECT_EQ(back.runFolder, options.runFolder);
    EXPECT_EQ(back.schedule, options.schedule);
    EXPECT_EQ(back.tags, options.tags);
    EXPECT_EQ(back.trial, options.trial);
    EXPECT_EQ(back.lookBudget, options.lookBudget);
    EXPECT_EQ(back.summariesEvery, 7);
    EXPECT_TRUE(back.resume);
}

TEST(Wire, ACommandThatCannotBeReadDoesNothing)
{
    const auto session = startSession(tinyExperiment(), testing::registry(), allBuilders(), {});
    Message step = commandMessage("step");
    step.head.add("count", "three");
    const auto applied = applyCommand(*session, step);
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().message, "the command step cannot be read: its count is not as expected");
    EXPECT_FALSE(applyCommand(*session, commandMessage("fly")).value());
    EXPECT_TRUE(applyCommand(*session, commandMessage("look")).value());
}

TEST(DataFiles, GoByTheirHashAndOnlyWhereTheyAreMissing)
{
    TestFolder folder;
    writeContent(folder / "tale.txt", std::string(700000, 'a') + "the end");
    Experiment experiment = tinyExperiment();
    experiment.folder = folder.path().string();
    experiment.graph = edits::setParam(1, "file", std::string("tale.txt")).apply(experiment.graph).value();
    std::string weights;
    const auto packed = packExperiment(experiment, testing::registry(), weights);
    ASSERT_TRUE(packed) << packed.error().text();
    ASSERT_EQ(packed->files.size(), 1u);
    const FrontSetup setup{
        testing::registry(), {"/bin/sh", "-c", "exit 9"}, "test", ReceivedFiles(folder / "cache"), folder / "runs"};
    RemotePlace place;
    place.name = "box";
    std::vector<std::jthread> fronts;
    place.connect = [&]() -> Result<RemotePipe> {
        auto ends = channelPair();
        fronts.emplace_back(
            [&setup, theirs = std::move(ends->second)]() mutable { serveFront(std::move(theirs), setup); });
        return RemotePipe{nullptr, std::move(ends->first)};
    };
    for (int i = 0; i < 2; ++i) {
        const auto session = startRemoteSession(experiment, testing::registry(), {}, place);
        ASSERT_TRUE(session->finish(240));
        EXPECT_NE(session->snapshot()->failure.find("ended with exit code 9"), std::string::npos)
            << session->snapshot()->failure;
        EXPECT_TRUE(contentOf(setup.files.place(packed->files[0])) == contentOf(folder / "tale.txt"));
    }
    std::string none;
    const Experiment there =
        unpackExperiment(packed->experiment, testing::registry(), packed->files, setup.files, none);
    EXPECT_EQ(std::get<std::string>(there.graph.find(1)->params.at("file")),
              setup.files.place(packed->files[0]).string());
}

TEST(DataFiles, OfAFileInAnArchiveTheArchiveIsSent)
{
    TestFolder folder;
    writeContent(folder / "two.zip", "an archive");
    Experiment experiment = tinyExperiment();
    experiment.folder = folder.path().string();
    experiment.graph = edits::setParam(1, "file", std::string("two.zip/x/one.txt")).apply(experiment.graph).value();
    std::string weights;
    const auto packed = packExperiment(experiment, testing::registry(), weights);
    ASSERT_TRUE(packed) << packed.error().text();
    ASSERT_EQ(packed->files.size(), 1u);
    EXPECT_EQ(packed->files[0].name, "two.zip");
    const ReceivedFiles received(folder / "cache");
    const Experiment there =
        unpackExperiment(packed->experiment, testing::registry(), packed->files, received, weights);
    EXPECT_EQ(std::get<std::string>(there.graph.find(1)->params.at("file")),
              received.place(packed->files[0]).string() + "/x/one.txt");
}

TEST(DataFiles, AFolderIsNotSentAndWhatIsMissingIsNamed)
{
    TestFolder folder;
    Experiment experiment = tinyExperiment();
    experiment.folder = folder.path().string();
    const auto failureOf = [&](const std::string& path) {
        experiment.graph = edits::setParam(1, "file", path).apply(experiment.graph).value();
        std::string none;
        const auto packed = packExperiment(experiment, testing::registry(), none);
        return packed ? std::string() : packed.error().text();
    };
    EXPECT_NE(failureOf(".").find("a folder is not sent"), std::string::npos);
    EXPECT_NE(failureOf("gone.txt").find("gone.txt"), std::string::npos);
}

TEST(DataFiles, NamesThatLeadElsewhereAreRefused)
{
    const std::string hash(64, 'a');
    EXPECT_EQ(ReceivedFiles::fault({hash, "a.txt", 1, {}}), "");
    for (const char* name : {"", "..", "a/b", "."})
        EXPECT_NE(ReceivedFiles::fault({hash, name, 1, {}}), "") << name;
    EXPECT_NE(ReceivedFiles::fault({"../../etc", "a", 1, {}}), "");
}

} // namespace
} // namespace unroll
