// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/weights/spread.h"
#include "core/lens/weights/weights.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

const char* wordOf(WeightsData::Of of)
{
    switch (of) {
    case WeightsData::Of::Gradients: return "gradients";
    case WeightsData::Of::Updates: return "updates";
    case WeightsData::Of::Weights: break;
    }
    return "weights";
}

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    std::string text;
    for (const std::int64_t size : shape)
        text += fmt::format("{}{}", text.empty() ? "" : " x ", size);
    return text.empty() ? "1" : text;
}

std::string percent(std::int64_t part, const TernaryMap& map)
{
    const std::int64_t all = map.minus + map.zero + map.plus;
    return all > 0 ? fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(all)) : "n/a";
}

std::string sharesText(const TernaryMap& map)
{
    return fmt::format("{} zero, {} +1, {} -1", percent(map.zero, map), percent(map.plus, map),
                       percent(map.minus, map));
}

/// A point a tensor, over their names.
FigurePanel normPanel(const WeightsData& data)
{
    FigurePanel panel{.id = "norms", .title = fmt::format("Size of the {} by tensor", wordOf(data.shown))};
    panel.y = {.title = "root mean square"};
    panel.y.log = true;
    FigureSeries sizes{.name = "root mean square", .kind = FigureSeries::Kind::Points, .x = {}, .y = {}};
    for (const TensorNumbers& tensor : data.tensors) {
        sizes.x.push_back(static_cast<double>(panel.x.labels.size()));
        sizes.y.push_back(tensor.rms);
        sizes.notes.push_back(fmt::format("{}: {:.4g}", tensor.name, tensor.rms));
        panel.x.labels.push_back(tensor.name);
    }
    panel.series.push_back(std::move(sizes));
    return panel;
}

/// Norms of each node's weights, of the gradients they were trained by, and of its updates, over training.
std::vector<FigurePanel> coursePanels(const WeightsData& data)
{
    std::vector<FigurePanel> panels;
    for (const char* what : {"weights", "gradients", "updates"}) {
        FigurePanel panel{.id = fmt::format("{}_over_training", what),
                          .title = fmt::format("Norm of the {} over training, by node", what)};
        panel.x = {.title = "training step"};
        panel.y = {.title = "norm"};
        panel.y.log = true;
        for (LensCurve& curve : curvesOf(data.history, fmt::format("{}.", what)))
            panel.series.push_back({.name = curve.name, .x = std::move(curve.steps), .y = std::move(curve.values)});
        if (panel.series.empty())
            continue;
        if (panel.series.front().x.size() == 1) // one update is not a span
            panel.x.low = 0;
        panels.push_back(std::move(panel));
    }
    return panels;
}

/// One panel a node: a line for each of its tensors, over the same bins.
std::vector<FigurePanel> histogramPanels(const WeightsData& data)
{
    std::vector<FigurePanel> panels;
    for (const TensorNumbers& tensor : data.tensors) {
        const std::string id = "histogram_" + tensor.node;
        if (panels.empty() || panels.back().id != id) {
            panels.push_back(
                {.id = id, .title = fmt::format("{}: how its {} are spread", tensor.node, wordOf(data.shown))});
            const std::string word = wordOf(data.shown);
            panels.back().x = {.title = word.substr(0, word.size() - 1)};
            panels.back().y = {.title = "share of the tensor's numbers", .low = 0};
        }
        FigureSeries line{.name = tensor.name, .x = {}, .y = {}};
        const double width = 2 * tensor.range / static_cast<double>(TensorNumbers::kBins);
        for (std::size_t bin = 0; bin < TensorNumbers::kBins; ++bin) {
            line.x.push_back((static_cast<double>(bin) + 0.5) * width - tensor.range);
            line.y.push_back(static_cast<double>(tensor.histogram[bin]) / static_cast<double>(tensor.count));
        }
        if (tensor.range > 0)
            panels.back().series.push_back(std::move(line));
    }
    std::erase_if(panels, [](const FigurePanel& panel) { return panel.series.empty(); });
    return panels;
}

FigurePanel ternaryPanel(const TensorNumbers& tensor)
{
    const TernaryMap& map = *tensor.ternary;
    FigurePanel panel{.id = "ternary_" + tensor.name, .title = fmt::format("{}: {}", tensor.name, sharesText(map))};
    panel.x = {.title = "input"};
    panel.y = {.title = "output"};
    panel.cells = {.name = "codes_" + tensor.name,
                   .rows = map.rows,
                   .columns = map.columns,
                   .values = map.codes,
                   .scale = FigureCells::Scale::Bounded};
    panel.height = 2;
    return panel;
}

FigureTable tensorTable(const WeightsData& data)
{
    FigureTable table{"tensors", "Tensors", {"tensor", "shape", "RMS", "mean", "least", "most", "not finite"}, {}};
    for (const TensorNumbers& tensor : data.tensors) {
        const auto number = [](double value) {
            return std::isnan(value) ? std::string("n/a") : fmt::format("{:.4g}", value);
        };
        table.rows.push_back({.cells = {tensor.name, shapeText(tensor.shape), number(tensor.rms), number(tensor.mean),
                                        number(tensor.low), number(tensor.high), std::to_string(tensor.missing)}});
    }
    return table;
}

FigureTable ternaryTable(const WeightsData& data)
{
    FigureTable table{"ternary", "Ternary weights", {"tensor", "zero", "+1", "-1"}, {}};
    for (const TensorNumbers& tensor : data.tensors)
        if (tensor.ternary)
            table.rows.push_back({.cells = {tensor.name, percent(tensor.ternary->zero, *tensor.ternary),
                                            percent(tensor.ternary->plus, *tensor.ternary),
                                            percent(tensor.ternary->minus, *tensor.ternary)}});
    return table;
}

std::vector<std::string> findingsOf(const WeightsData& data)
{
    std::vector<std::string> findings;
    const auto by = [](const TensorNumbers& a, const TensorNumbers& b) { return a.rms < b.rms; };
    std::vector<TensorNumbers> sized;
    std::copy_if(data.tensors.begin(), data.tensors.end(), std::back_inserter(sized),
                 [](const TensorNumbers& tensor) { return tensor.count > 0; });
    if (!sized.empty()) {
        const auto [least, most] = std::minmax_element(sized.begin(), sized.end(), by);
        findings.push_back(
            fmt::format("The largest {} are those of {} (root mean square {:.3g}), the smallest those of {} ({:.3g}).",
                        wordOf(data.shown), most->name, most->rms, least->name, least->rms));
    }
    for (const TensorNumbers& tensor : data.tensors)
        if (tensor.missing > 0)
            findings.push_back(
                fmt::format("{} of the {} of {} are not finite.", tensor.missing, wordOf(data.shown), tensor.name));
    for (const TensorNumbers& tensor : data.tensors)
        if (tensor.ternary)
            findings.push_back(fmt::format("{} is ternary: {}.", tensor.name, sharesText(*tensor.ternary)));
    for (const std::string& name : data.without)
        findings.push_back("The loss does not depend on " + name + ".");
    if (data.straightThrough)
        findings.push_back("Gradients of ternary weights are estimated: they go straight through the rounding.");
    return findings;
}

/// One weight's counts, as they are.
FigureArray countsOf(const TensorNumbers& tensor)
{
    FigureArray counts{
        .name = "histogram_" + tensor.name, .shape = {static_cast<std::int64_t>(TensorNumbers::kBins)}, .values = {}};
    for (const std::int64_t count : tensor.histogram)
        counts.values.push_back(static_cast<double>(count));
    return counts;
}

} // namespace

Figure WeightsData::figure() const
{
    Figure figure;
    const std::string what = shown == Of::Weights   ? std::string("Weights")
                             : shown == Of::Updates ? std::string("Changes by the newest update")
                                                    : fmt::format("Gradients of the loss{} on {}",
                                                                  loss ? fmt::format(" ({:.4f})", *loss) : "", on);
    const std::vector<FigurePanel> course = spreadPanels(history, wordOf(shown));
    figure.shows =
        tensors.empty()
            ? fmt::format("Updates over training, up to update {}.", step)
            : fmt::format("{} of {} tensors after {} updates: their size as root mean square, and how they are "
                          "spread in each node; a point far from the others is a tensor of unusual size.",
                          what, tensors.size(), step);
    if (!course.empty())
        figure.shows += " Heat maps: a column an update, a row a range of values or sizes, colour the share of the "
                        "node's numbers in it.";
    figure.findings = findingsOf(*this);
    if (!trouble.empty())
        figure.findings.push_back("Nothing of the newest update: " + trouble + ".");
    if (!tensors.empty())
        figure.panels.push_back(normPanel(*this));
    for (FigurePanel& panel : coursePanels(*this))
        figure.panels.push_back(std::move(panel));
    figure.panels.insert(figure.panels.end(), course.begin(), course.end());
    for (FigurePanel& panel : histogramPanels(*this))
        figure.panels.push_back(std::move(panel));
    if (!tensors.empty())
        figure.tables.push_back(tensorTable(*this));
    if (FigureTable ternary = ternaryTable(*this); !ternary.rows.empty())
        figure.tables.push_back(std::move(ternary));
    for (const TensorNumbers& tensor : tensors) {
        figure.missing += tensor.missing;
        if (tensor.ternary)
            figure.panels.push_back(ternaryPanel(tensor));
        figure.arrays.push_back(countsOf(tensor));
    }
    return figure;
}

} // namespace unroll
