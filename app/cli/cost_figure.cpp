// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cost_figure.h"

#include <fmt/format.h>

namespace unroll::cli {
namespace {

FigurePanel panelOf(const CostsOverSteps& costs, std::vector<double> CostCurve::*values, std::string id,
                    std::string title, std::string unit)
{
    FigurePanel panel{.id = std::move(id),
                      .title = std::move(title),
                      .x = {.title = "steps of the sequence (T)", .log = true},
                      .y = {.title = std::move(unit), .log = true}};
    const std::vector<double> lengths(costs.steps.begin(), costs.steps.end());
    for (const CostCurve& curve : costs.curves)
        panel.series.push_back(
            {.name = curve.choice.empty() ? "as it is" : curve.choice, .x = lengths, .y = curve.*values});
    return panel;
}

} // namespace

Figure costFigure(const CostsOverSteps& costs, const std::string& node, const std::string& param)
{
    Figure figure;
    figure.shows = fmt::format("What {} costs in a pass forward over one sequence, by the cost model{}.", node,
                               param.empty() ? std::string() : ", for each choice of " + param);
    if (!costs.operation.empty()) {
        figure.panels.push_back(panelOf(costs, &CostCurve::operations, "operations",
                                        fmt::format("Operations: {}, of one head", costs.operation), "operations"));
        figure.panels.push_back(panelOf(costs, &CostCurve::depth, "depth", "Depth: operations that wait for each other",
                                        "operations in a row"));
    }
    figure.panels.push_back(
        panelOf(costs, &CostCurve::flops, "flops", "FLOPs of the whole block, projections included", "FLOPs"));
    return figure;
}

} // namespace unroll::cli
