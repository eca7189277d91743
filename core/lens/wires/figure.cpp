// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/wires/wires.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace unroll {

namespace {

constexpr double kNoNorm = std::numeric_limits<double>::quiet_NaN();

std::string digitsText(double value)
{
    return std::isfinite(value) ? fmt::format("{:.4g}", value) : std::string("n/a");
}

/// Over the steps where it is a number; NaN where there is none.
double meanOf(const OutputNorms& output)
{
    double sum = 0;
    std::int64_t count = 0;
    for (const double norm : output.norm)
        if (std::isfinite(norm)) {
            sum += norm;
            ++count;
        }
    return count > 0 ? sum / static_cast<double>(count) : kNoNorm;
}

/// Index of the largest finite norm.
std::optional<std::size_t> largestOf(const OutputNorms& output)
{
    std::optional<std::size_t> largest;
    for (std::size_t i = 0; i < output.norm.size(); ++i)
        if (std::isfinite(output.norm[i]) && (!largest || output.norm[i] > output.norm[*largest]))
            largest = i;
    return largest;
}

FigurePanel shadedPanel(const WiresData& data)
{
    FigurePanel panel{.id = "norms",
                      .title = data.shared ? "L2 norm" : "L2 norm, relative to the largest of each output"};
    panel.x = {.title = "step", .steps = true, .labels = data.characters};
    FigureCells cells{.name = "norm",
                      .rows = 0,
                      .columns = data.steps,
                      .values = {},
                      .scale = data.shared ? FigureCells::Scale::Positive : FigureCells::Scale::Share};
    for (const OutputNorms& output : data.outputs) {
        if (output.once)
            continue;
        const auto largest = largestOf(output);
        const double most = data.shared || !largest || output.norm[*largest] == 0 ? 1 : output.norm[*largest];
        for (std::int64_t step = 0; step < data.steps; ++step)
            cells.values.push_back(static_cast<float>(output.at(step) / most));
        panel.y.labels.push_back(output.name());
        ++cells.rows;
    }
    panel.cells = std::move(cells);
    return panel;
}

FigureTable normTable(const WiresData& data, std::int64_t step)
{
    FigureTable table{.id = "outputs",
                      .title = "",
                      .columns = {"output", "numbers", fmt::format("at step {}", step + 1), "mean", "largest", "at"},
                      .rows = {}};
    for (const OutputNorms& output : data.outputs) {
        const auto largest = largestOf(output);
        FigureTable::Row row;
        row.cells = {output.name(),
                     std::to_string(output.width),
                     output.once ? std::string("–") : digitsText(output.at(step)),
                     digitsText(meanOf(output)),
                     digitsText(largest ? output.norm[*largest] : kNoNorm),
                     output.once ? std::string("whole reading")
                     : largest   ? fmt::format("step {}", *largest + 1)
                                 : "–"};
        if (largest && !output.once)
            row.step = static_cast<std::int64_t>(*largest);
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// What stands out: outputs that carry nothing, and the largest beside the smallest of the others.
std::vector<std::string> normFindings(const WiresData& data)
{
    std::vector<std::string> findings;
    const OutputNorms *most = nullptr, *least = nullptr;
    for (const OutputNorms& output : data.outputs) {
        const double mean = meanOf(output);
        if (output.once || !std::isfinite(mean))
            continue;
        if (mean == 0) {
            findings.push_back(fmt::format("The output {} is 0 at every step.", output.name()));
            continue;
        }
        if (most == nullptr || mean > meanOf(*most))
            most = &output;
        if (least == nullptr || mean < meanOf(*least))
            least = &output;
    }
    if (most != nullptr && most != least)
        findings.push_back(fmt::format("On average the largest norm is that of {} ({}), the smallest that of {} ({}).",
                                       most->name(), digitsText(meanOf(*most)), least->name(),
                                       digitsText(meanOf(*least))));
    return findings;
}

} // namespace

double OutputNorms::at(std::int64_t step) const
{
    if (once)
        return norm.empty() ? kNoNorm : norm.front();
    return step >= 0 && step < std::ssize(norm) ? norm[static_cast<std::size_t>(step)] : kNoNorm;
}

const OutputNorms* WiresData::find(const std::string& node, const std::string& port) const
{
    const auto found = std::ranges::find_if(
        outputs, [&](const OutputNorms& output) { return output.node == node && output.port == port; });
    return found == outputs.end() ? nullptr : &*found;
}

Figure WiresData::figure() const
{
    Figure figure;
    figure.shows = fmt::format(
        "L2 norm of each output, and so of every wire from it, at {} {} of {}; a stronger colour is a larger norm.",
        steps, steps == 1 ? "step" : "steps", of.empty() ? "the reading" : of);
    figure.findings = normFindings(*this);
    for (const OutputNorms& output : outputs) {
        figure.missing += output.missing;
        figure.arrays.push_back({output.name(), {static_cast<std::int64_t>(output.norm.size())}, output.norm});
    }
    if (std::ranges::any_of(outputs, [](const OutputNorms& output) { return !output.once; }))
        figure.panels.push_back(shadedPanel(*this));
    figure.tables.push_back(normTable(*this, cursor < 0 ? steps - 1 : cursor));
    return figure;
}

} // namespace unroll
