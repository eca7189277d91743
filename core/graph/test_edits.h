// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of edits and of the check share.
#pragma once

#include "core/graph/edit.h"
#include "core/graph/graph_json.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace unroll::testing_edits {

/// The edited graph; an edit that is refused fails the test.
inline Graph must(const GraphEdit& edit, const Graph& graph)
{
    auto result = edit.apply(graph);
    EXPECT_TRUE(result) << edit.name << ": " << result.error().text();
    return result ? *result : graph;
}

/// Why the edit is refused; "done" if it is not.
inline std::string refusal(const GraphEdit& edit, const Graph& graph)
{
    auto result = edit.apply(graph);
    return result ? "done" : result.error().message;
}

/// Values of a parameter, one a copy.
inline ByCopy listed(std::vector<PlainValue> values)
{
    return {ByCopy::Rule::List, 0, std::move(values)};
}
inline ByCopy listedNumbers(std::vector<std::int64_t> values)
{
    return listed({values.begin(), values.end()});
}

inline std::string saved(const Graph& graph)
{
    return writeJson(graphToJson(graph));
}

} // namespace unroll::testing_edits
