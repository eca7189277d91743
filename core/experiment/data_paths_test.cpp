// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/data_paths.h"

#include "core/graph/edit.h"
#include "tests/support/short_runs.h"

#include <gtest/gtest.h>

namespace unroll {
namespace {

namespace fs = std::filesystem;
using testing::registry;

Graph reading(const std::string& path)
{
    const Graph graph = testing::tinyExperiment().graph;
    return edits::setParam(graph.findByName("text")->id, "file", path).apply(graph).value();
}

std::string fileOf(const Node& node)
{
    return std::get<std::string>(node.params.at("file"));
}

std::string fileOf(const Graph& graph)
{
    return fileOf(*graph.findByName("text"));
}

std::string moved(const std::string& path, const fs::path& from, const fs::path& to)
{
    return fileOf(moveDataPaths(reading(path), registry(), from.string(), to.string()));
}

TEST(DataPaths, NameTheSameFileFromTheNewPlace)
{
    TestFolder folder;
    for (const char* place : {"a/b", "a/c/deep", "other"})
        fs::create_directories(folder / place);
    const fs::path a = folder / "a", b = folder / "a/b", deep = folder / "a/c/deep", other = folder / "other";
    EXPECT_EQ(moved("text.txt", a, b), "../text.txt");
    EXPECT_EQ(moved("b/text.txt", a, b), "text.txt");
    EXPECT_EQ(moved("./b/../text.txt", a, other), "../a/text.txt");
    EXPECT_EQ(moved("../text.txt", b, deep), "../../text.txt");
    EXPECT_EQ(moved("../../outside.txt", b, other), "../outside.txt");
    for (const char* path : {"text.txt", "b/text.txt", "../x/y.txt", "b/../../z.txt", "..txt", "new/not made.txt"})
        for (const fs::path& to : {a, b, deep, other}) {
            const fs::path there = to / moved(path, a, to);
            EXPECT_EQ(fs::weakly_canonical(there), fs::weakly_canonical(a / path)) << path << " to " << to;
            EXPECT_TRUE(fs::path(moved(path, a, to)).is_relative());
            EXPECT_EQ(fs::weakly_canonical(a / moved(moved(path, a, to), to, a)), fs::weakly_canonical(a / path));
        }
}

TEST(DataPaths, WhatNeedNotChangeStays)
{
    TestFolder folder;
    fs::create_directories(folder / "a");
    EXPECT_EQ(moved("/data/text.txt", folder / "a", folder.path()), "/data/text.txt");
    EXPECT_EQ(moved("", folder / "a", folder.path()), "");
    EXPECT_EQ(moved("b/../text.txt", folder / "a", folder / "a/."), "b/../text.txt") << "as it was written";
    EXPECT_EQ(moved("x.txt", "/usr/share", "/var/lib"), "/usr/share/x.txt") << "nothing shared but the root";
    Graph unknown = reading("text.txt");
    Node node = *unknown.findByName("text");
    node.block = "of-tomorrow";
    unknown.addNode(node);
    EXPECT_EQ(fileOf(moveDataPaths(unknown, registry(), "/tmp/a", "/tmp/b")), "text.txt");
    const Graph graph = testing::tinyExperiment().graph;
    const Graph same = moveDataPaths(graph, registry(), "/tmp/a", "/tmp/b");
    EXPECT_EQ(same, graph);
    EXPECT_EQ(same.nodes.at(1), graph.nodes.at(1)) << "nodes stay shared";
}

TEST(DataPaths, LinksOnTheWayAreFollowed)
{
    TestFolder folder;
    fs::create_directories(folder / "real/inner");
    fs::create_directories(folder / "to");
    fs::create_directory_symlink(folder / "real/inner", folder / "link");
    writeContent(folder / "real/text.txt", "here");
    EXPECT_EQ(contentOf(folder / "to" / moved("../text.txt", folder / "link", folder / "to")), "here");
    fs::create_symlink(folder / "real/text.txt", folder / "current.txt"); // may lead elsewhere tomorrow
    EXPECT_EQ(moved("current.txt", folder.path(), folder / "to"), "../current.txt");
}

TEST(DataPaths, GroupsAreLookedInto)
{
    Graph graph = reading("text.txt");
    const NodeId text = graph.findByName("text")->id;
    graph = edits::makeGroup({text}, "data").apply(graph).value();
    const Node* group = graph.findByName("data");
    Graph outer = moveDataPaths(graph, registry(), "/tmp/a", "/tmp/b");
    EXPECT_EQ(fileOf(*outer.findByName("data")->group->graph->findByName("text")), "../a/text.txt");
    const NodeId inner = group->group->graph->findByName("text")->id;
    graph = edits::promoteParam(group->id, {"file", inner, "file"}).apply(graph).value();
    graph = edits::setParam(group->id, "file", std::string("mine.txt")).apply(graph).value();
    outer = moveDataPaths(graph, registry(), "/tmp/a", "/tmp/b");
    EXPECT_EQ(fileOf(*outer.findByName("data")), "../a/mine.txt");
}

} // namespace
} // namespace unroll
