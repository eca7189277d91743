// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/memory/memory.h"

#include "core/base/signed_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

std::string counted(double number, const std::string& one)
{
    return number == 1 ? "1 " + one : fmt::format("{:g} {}s", number, one);
}

std::string joined(const std::vector<std::string>& names)
{
    std::string all;
    for (std::size_t i = 0; i < names.size(); ++i)
        all += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return all;
}

double sum(const std::vector<double>& values, std::size_t end)
{
    double all = 0;
    for (std::size_t i = 0; i < end; ++i)
        all += std::isfinite(values[i]) ? values[i] : 0;
    return all;
}

FigurePanel shadePanel(const MemoryData& data, std::size_t shown)
{
    FigurePanel panel{.id = "shade", .title = "Gradient size"};
    panel.x = {.title = "", .steps = true, .labels = data.characters};
    panel.y = {.title = "", .labels = {""}};
    FigureCells cells{.name = "shade",
                      .rows = 1,
                      .columns = static_cast<std::int64_t>(shown),
                      .values = {},
                      .scale = FigureCells::Scale::Positive};
    cells.values.assign(data.gradient.begin(), data.gradient.begin() + static_cast<std::ptrdiff_t>(shown));
    panel.cells = std::move(cells);
    panel.height = 0.25;
    return panel;
}

FigurePanel gradientPanel(const MemoryData& data, std::size_t shown)
{
    FigurePanel panel{.id = "gradient", .title = "Size of the gradient by step"};
    panel.x = {.title = "step", .steps = true, .labels = data.characters};
    panel.y = {.title = "L2 norm", .log = data.logarithmic};
    if (!data.logarithmic)
        panel.y.low = 0;
    FigureSeries line{.name = "gradient", .x = {}, .y = {}};
    for (std::size_t t = 0; t < shown; ++t) {
        line.x.push_back(static_cast<double>(t));
        line.y.push_back(data.gradient[t]);
    }
    panel.series.push_back(std::move(line));
    if (!data.whole)
        panel.rules.push_back({.vertical = true, .at = static_cast<double>(data.step), .label = "answer"});
    return panel;
}

FigurePanel contextPanel(const ContextLoss& curve)
{
    FigurePanel panel{.id = "loss_by_context", .title = "Loss against steps already seen"};
    panel.x = {.title = "steps seen, from a zero state", .log = true};
    panel.y.title = "loss (" + curve.unit + ")";
    FigureSeries line{.name = "loss", .x = {}, .y = {}};
    for (std::size_t i = 0; i < curve.context.size(); ++i) {
        line.x.push_back(static_cast<double>(curve.context[i]));
        line.y.push_back(curve.loss[i].value);
        line.low.push_back(curve.loss[i].low);
        line.high.push_back(curve.loss[i].high);
    }
    panel.series.push_back(std::move(line));
    if (curve.measured())
        panel.rules.push_back({.vertical = true, .at = curve.enough.value, .label = "95 % of the fall"});
    return panel;
}

std::string contextFinding(const ContextLoss& curve)
{
    const std::int64_t longest = curve.context.back();
    if (!curve.measured())
        return fmt::format("More than the current step does not lower the loss measurably: with {} steps seen it "
                           "changes by {} {} (95 %: {} to {}).",
                           longest, signedNumber(-curve.fall.value, 3), curve.unit, signedNumber(-curve.fall.high, 3),
                           signedNumber(-curve.fall.low, 3));
    const std::string interval = fmt::format("95 %: {:g} to {:g}", curve.enough.low, curve.enough.high);
    if (curve.enough.value >= static_cast<double>(longest))
        return fmt::format("The loss still falls at {} steps seen, the longest context tried ({}).", longest, interval);
    return fmt::format("The loss stops falling after about {} ({}): there 95 % of its fall of {:.3g} {} is reached.",
                       counted(curve.enough.value, "step"), interval, curve.fall.value, curve.unit);
}

std::vector<std::string> gradientFindings(const MemoryData& data)
{
    std::vector<std::string> found;
    const std::int64_t half = data.stepsWith(0.5), most = data.stepsWith(0.9);
    const bool allFinite =
        std::all_of(data.gradient.begin(), data.gradient.end(), [](double value) { return std::isfinite(value); });
    if (half == 0)
        return {allFinite ? "The answer depends on nothing that was read: every gradient is 0."
                          : "How far back the answer depends on its inputs is n/a: gradients are not finite, or 0."};
    if (data.whole)
        found.push_back(fmt::format("Half of the gradient is within the last {}, nine tenths within {}.",
                                    counted(static_cast<double>(half), "step"), most));
    else
        found.push_back(
            fmt::format("Half of the gradient is within {} of the answer, its own included; nine tenths within {}.",
                        counted(static_cast<double>(half), "step"), most));
    const auto largest = std::max_element(data.gradient.begin(), data.gradient.end(), [](double a, double b) {
        return !std::isfinite(a) || (std::isfinite(b) && a < b); // what is not a number is below all
    });
    const std::int64_t at = largest - data.gradient.begin(), back = data.step - at;
    std::string what = fmt::format("step {}", at + 1);
    if (at < std::ssize(data.characters))
        what += fmt::format(" (“{}”)", data.characters[static_cast<std::size_t>(at)]);
    const std::string where = back == 0 ? "the answer's own"
                                        : fmt::format("{} {}", counted(static_cast<double>(std::abs(back)), "step"),
                                                      back > 0 ? "back" : "ahead");
    found.push_back(fmt::format("Largest at {}, {}.", what, where));
    if (data.readsAhead())
        found.emplace_back("Later steps have a gradient too: the network reads ahead.");
    return found;
}

} // namespace

std::int64_t MemoryData::stepsWith(double share) const
{
    const auto end = static_cast<std::size_t>(step) + 1;
    const double wanted = share * sum(gradient, end);
    double so = 0;
    for (std::size_t back = 0; back < end && wanted > 0; ++back) {
        const double value = gradient[end - 1 - back];
        so += std::isfinite(value) ? value : 0;
        if (so >= wanted * (1 - 1e-12))
            return static_cast<std::int64_t>(back) + 1;
    }
    return 0;
}

bool MemoryData::readsAhead() const
{
    return std::any_of(gradient.begin() + step + 1, gradient.end(),
                       [](double value) { return std::isfinite(value) && value != 0; });
}

Figure MemoryData::figure() const
{
    Figure figure;
    figure.shows = fmt::format(
        "How much {} at step {} of {} of {} depends on each step: L2 norm of its gradient with respect to the vector "
        "read there.",
        answer, step + 1, gradient.size(), of.empty() ? "the reading" : of);
    if (!rounding.empty())
        figure.shows += fmt::format(" {} round{}, so this is the straight-through estimate.", joined(rounding),
                                    rounding.size() == 1 ? "s" : "");
    figure.missing =
        std::count_if(gradient.begin(), gradient.end(), [](double value) { return !std::isfinite(value); });
    figure.findings = gradientFindings(*this);
    const std::size_t shown = readsAhead() ? gradient.size() : static_cast<std::size_t>(step) + 1;
    figure.panels = {shadePanel(*this, shown), gradientPanel(*this, shown)};
    if (curve.trouble.empty()) {
        figure.panels.push_back(contextPanel(curve));
        figure.findings.insert(figure.findings.begin(), contextFinding(curve));
        figure.shows +=
            fmt::format(" Below: mean loss of {} targets (512 at most), spread over the validation split (the "
                        "first 131,072 steps of a longer one), when only so many steps before each were "
                        "read; bands are 95 % intervals.",
                        curve.targets);
    } else
        figure.findings.push_back("No curve of the loss against the steps seen: " + curve.trouble + ".");
    return figure;
}

} // namespace unroll
