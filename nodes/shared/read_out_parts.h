// SPDX-License-Identifier: GPL-3.0-or-later
// What the specs of blocks with a loss share (nodes/shared/read_out.h). Standard library only.
#pragma once

#include "nodes/shared/dense_rules.h"

#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

/// Whether a matrix makes the prediction of x: the block's own, or a table that comes by wire.
template <class Scope>
bool hasReadOutMatrix(const Scope& scope)
{
    return scope.text("readout") != "none";
}

/// `one` is what a bias belongs to: "class".
inline std::vector<ParamSpec> readOutParams(const std::string& one)
{
    std::vector<ParamSpec> params = {
        choiceParam("readout",
                    {{"linear", "A learned linear map: one output per " + one + " of x."},
                     {"none", "x unchanged, as wide as the targets: for a hand-wired network."}},
                    "How the outputs are computed from x."),
        flagParam("bias", true, "Whether each " + one + " has a learned bias.")};
    for (ParamSpec& param : denseInitializers())
        params.push_back(std::move(param));
    for (std::size_t i = 1; i < params.size(); ++i)
        params[i] = countsWith("readout", {"linear"}, std::move(params[i]));
    return params;
}

/// With a matrix that may be another block's: the input `table` (see tableInput).
inline std::vector<ParamSpec> tied(std::vector<ParamSpec> params)
{
    for (ParamSpec& param : params) {
        if (param.name == "readout")
            param.choices.insert(param.choices.begin() + 1,
                                 {"tied", "Weight tying: the embedding's table is used as the output matrix."});
        else if (param.name != "weights_initializer")
            param.when.front().choices.emplace_back("tied");
    }
    return params;
}

inline PortSpec tableInput()
{
    return withChoice(
        "readout", {"tied"},
        {"table", PortType::Table, "Embedding table for tied weights; an embedding with share_table on provides it."});
}

/// What mends a table at the input that does not fit.
inline void offerToFit(InferScope& scope, std::int64_t rows)
{
    const Shape* table = scope.input("table");
    if (table->rows == rows)
        scope.offerWidth("x", table->width);
    else
        scope.offerParam("Use a separate output matrix", "readout", std::string("linear"));
}

/// `width`: classes or numbers of the targets.
inline void inferReadOut(InferScope& scope, std::int64_t width)
{
    const Shape* x = scope.input("x");
    if (x == nullptr)
        return;
    if (!hasReadOutMatrix(scope))
        scope.same({"x", "targets"});
    if (isOtherTable(scope, "table", tableOf(width, x->width)))
        offerToFit(scope, width);
    if (hasReadOutMatrix(scope) || x->width == width)
        return;
    scope.error("readout", "readout-width",
                "readout none uses x itself, which is " + std::to_string(x->width) + " wide where the targets need " +
                    std::to_string(width));
    scope.offerParam("Use a linear readout", "readout", std::string("linear"));
}

inline std::vector<WeightSpec> readOutWeights(const WeightScope& scope, const WeightSize& out)
{
    if (!hasReadOutMatrix(scope))
        return {};
    if (scope.text("readout") == "linear")
        return denseWeights(scope, portSize(scope, "x", "in"), out, scope.boolean("bias"));
    if (!scope.boolean("bias"))
        return {};
    return {plainWeight("bias", {out}, constantValues(scope.text("bias_initializer") == "ones"))};
}

/// See denseCost.
inline Cost readOutCost(const CostScope& scope, std::int64_t width)
{
    return hasReadOutMatrix(scope) ? denseCost(scope.dimension("x"), width, scope.boolean("bias")) : Cost{};
}

} // namespace unroll::nodes
