// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/attention/attention.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace unroll {

namespace {

/// Mean over what is a number; NaN where nothing is.
double meanOf(const std::vector<double>& values)
{
    double sum = 0;
    std::int64_t count = 0;
    for (const double value : values)
        if (std::isfinite(value)) {
            sum += value;
            ++count;
        }
    return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

/// Mean of exp(entropy) over the steps.
double effectiveSteps(const AttentionHead& head)
{
    std::vector<double> numbers = head.entropy;
    for (double& number : numbers)
        number = std::exp(number);
    return meanOf(numbers);
}

/// Labels of the keys: those before the reading count backwards.
FigureAxis keyAxis(const AttentionData& data)
{
    FigureAxis axis{.title = "key step"};
    axis.steps = data.carried == 0;
    for (std::int64_t before = data.carried; before > 0; --before)
        axis.labels.push_back(fmt::format("-{}", before));
    if (data.carried == 0 || !data.labels.empty())
        axis.labels.insert(axis.labels.end(), data.labels.begin(), data.labels.end());
    else
        for (std::int64_t step = 0; step < data.steps; ++step)
            axis.labels.push_back(std::to_string(step + 1));
    return axis;
}

FigureAxis stepAxis(const AttentionData& data, std::string title = "step")
{
    FigureAxis axis{.title = std::move(title)};
    axis.steps = true;
    axis.labels = data.labels;
    return axis;
}

FigurePanel mapPanel(const AttentionData& data, const AttentionHead& head)
{
    FigurePanel panel{.id = fmt::format("head_{}", head.head), .title = fmt::format("Head {}", head.head)};
    panel.x = keyAxis(data);
    panel.y = {.title = "query step"};
    panel.y.labels = data.labels;
    panel.cells = {.name = fmt::format("weights_{}", head.head),
                   .rows = data.steps,
                   .columns = data.keys(),
                   .values = head.weights,
                   .scale = FigureCells::Scale::Share};
    panel.square = true;
    panel.height = 2;
    return panel;
}

/// One line a head over the steps, and in grey what equal weights on every step so far come to.
FigurePanel entropyPanel(const AttentionData& data, bool effective)
{
    const auto shown = [effective](double nats) { return effective ? std::exp(nats) : nats; };
    FigurePanel panel;
    panel.id = effective ? "effective_steps" : "entropy";
    panel.title = effective ? "Effective number of steps attended to, exp(entropy)" : "Entropy of the weights";
    panel.x = stepAxis(data);
    panel.y = {.title = effective ? "steps" : "nats", .low = 0};
    FigureSeries even{.name = "equal weights on every step so far", .x = {}, .y = {}, .dim = true};
    for (std::int64_t step = 0; step < data.steps; ++step) {
        even.x.push_back(static_cast<double>(step));
        even.y.push_back(shown(std::log(static_cast<double>(data.carried + step + 1))));
    }
    panel.series.push_back(std::move(even));
    for (const AttentionHead& head : data.heads) {
        FigureSeries line{.name = fmt::format("head {}", head.head), .x = panel.series.front().x, .y = {}};
        for (const double nats : head.entropy)
            line.y.push_back(shown(nats));
        panel.series.push_back(std::move(line));
    }
    return panel;
}

std::string stepTitle(const AttentionData& data)
{
    const auto at = static_cast<std::size_t>(data.step);
    const std::string token = at < data.labels.size() ? fmt::format(" ({})", data.labels[at]) : "";
    return fmt::format("Attention weights of step {}{}{}", data.step + 1, token,
                       data.isChosen ? "" : " (the last one: no step is chosen)");
}

/// A half ellipse from the step that looks to each step that it looks at, as high as the weight; one on itself is
/// narrow. Between two arcs is a gap.
FigureSeries arcsOf(const AttentionData& data, const AttentionHead& head, const std::vector<std::string>& places)
{
    constexpr int kPieces = 24;
    constexpr double kNarrow = 0.3; // of a step
    FigureSeries arcs{.name = fmt::format("head {}", head.head), .x = {}, .y = {}};
    const auto add = [&](double x, double y, std::string note) {
        arcs.x.push_back(x);
        arcs.y.push_back(y);
        arcs.notes.push_back(std::move(note));
    };
    for (std::int64_t key = 0; key <= data.carried + data.step; ++key) {
        const auto weight = static_cast<double>(head.weights[static_cast<std::size_t>(data.step * data.keys() + key)]);
        if (!(weight >= AttentionData::leastArc))
            continue;
        const auto from = static_cast<double>(data.carried + data.step), to = static_cast<double>(key);
        const double middle = (from + to) / 2, radius = from == to ? kNarrow : (from - to) / 2;
        const std::string note = fmt::format("{}: weight {:.4g}", places[static_cast<std::size_t>(key)], weight);
        if (!arcs.x.empty())
            add(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(), {});
        for (int piece = 0; piece <= kPieces; ++piece) {
            const double angle = std::numbers::pi * piece / kPieces;
            add(middle + radius * std::cos(angle), piece == kPieces ? 0 : weight * std::sin(angle), note);
        }
    }
    return arcs;
}

/// A line for each head. Places along an arc are none of the reading's steps: the axis is not joined to the cursor.
FigurePanel arcsPanel(const AttentionData& data)
{
    FigurePanel panel{.id = "arcs", .title = stepTitle(data)};
    panel.x = keyAxis(data);
    panel.x.title = "key step (weights from 0.01 on)";
    panel.x.steps = false;
    std::vector<std::string> places;
    for (std::int64_t key = 0; key < data.keys(); ++key) {
        const auto at = static_cast<std::size_t>(key);
        const std::string token = at < panel.x.labels.size() && key >= data.carried && !data.labels.empty()
                                      ? fmt::format(" ({})", panel.x.labels[at])
                                      : "";
        places.push_back(fmt::format("step {}{}", key - data.carried + (key < data.carried ? 0 : 1), token));
    }
    if (panel.x.labels.empty())
        for (std::int64_t step = 0; step < data.steps; ++step)
            panel.x.labels.push_back(std::to_string(step + 1));
    panel.y = {.title = "weight", .low = 0};
    for (const AttentionHead& head : data.heads)
        panel.series.push_back(arcsOf(data, head, places));
    return panel;
}

/// The weights of one step as bars: of the one head that is shown, or the mean of the heads with each as a line.
FigurePanel stepPanel(const AttentionData& data)
{
    const std::int64_t keys = data.keys();
    const bool single = data.heads.size() == 1;
    FigurePanel panel{.id = "from_step", .title = single ? "Its weights" : "Its weights: mean of the heads, and each"};
    panel.x = keyAxis(data);
    panel.y = {.title = "weight", .low = 0, .high = 1};
    FigureSeries bars{.kind = FigureSeries::Kind::Bars, .x = {}, .y = {}};
    bars.dim = !single; // the heads have the colours of their arcs
    bars.name = single ? fmt::format("head {}", data.heads.front().head) : "mean of the heads";
    for (std::int64_t key = 0; key < keys; ++key) {
        bars.x.push_back(static_cast<double>(key));
        double sum = 0;
        for (const AttentionHead& head : data.heads)
            sum += static_cast<double>(head.weights[static_cast<std::size_t>(data.step * keys + key)]);
        bars.y.push_back(sum / static_cast<double>(data.heads.size()));
    }
    panel.series.push_back(std::move(bars));
    for (const AttentionHead& head : data.heads) {
        if (single)
            break;
        const auto row = head.weights.begin() + data.step * keys;
        panel.series.push_back({.name = fmt::format("head {}", head.head),
                                .x = panel.series.front().x,
                                .y = std::vector<double>(row, row + keys)});
    }
    return panel;
}

FigureTable headTable(const AttentionData& data)
{
    FigureTable table{"heads", "Heads", {"head", "effective steps, mean", "steps back, mean"}, {}};
    for (const AttentionHead& head : data.heads)
        table.rows.push_back({.cells = {std::to_string(head.head), fmt::format("{:.2f}", effectiveSteps(head)),
                                        fmt::format("{:.2f}", meanOf(head.back))}});
    return table;
}

std::vector<std::string> findingsOf(const AttentionData& data)
{
    const auto broader = [](const AttentionHead& a, const AttentionHead& b) {
        return effectiveSteps(a) < effectiveSteps(b);
    };
    const auto [narrow, broad] = std::minmax_element(data.heads.begin(), data.heads.end(), broader);
    const auto words = [](const AttentionHead& head) {
        return fmt::format("head {} attends to {:.2f} steps on average, {:.2f} steps back", head.head,
                           effectiveSteps(head), meanOf(head.back));
    };
    if (data.heads.size() == 1)
        return {words(*narrow) + "."};
    return {"The narrowest: " + words(*narrow) + ".", "The broadest: " + words(*broad) + "."};
}

} // namespace

Figure AttentionData::figure() const
{
    Figure figure;
    figure.shows =
        fmt::format("{} over {} step{} of {}: each row is a step and shows how much it takes from each step up "
                    "to itself; a row adds up to 1.",
                    name, steps, steps == 1 ? "" : "s", of.empty() ? "the reading" : of);
    figure.missing = missing;
    figure.findings = findingsOf(*this);
    figure.panels = {arcsPanel(*this), stepPanel(*this), entropyPanel(*this, false), entropyPanel(*this, true)};
    for (const AttentionHead& head : heads)
        figure.panels.push_back(mapPanel(*this, head));
    figure.tables = {headTable(*this)};
    return figure;
}

namespace lenses::attention {

namespace {

ParamSpec indexSetting(std::string name, std::string help, std::string whenNone)
{
    ParamSpec setting{};
    setting.name = std::move(name);
    setting.type = ParamType::Int;
    setting.defaultValue = std::int64_t{-1};
    setting.minimum = -1;
    setting.help = std::move(help);
    setting.whenEmpty = std::move(whenNone);
    return setting;
}

class AttentionLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        const auto shown = signalOf(subject.look, query);
        if (!shown)
            return tl::unexpected(shown.error());
        const SignalFrame& frame = **shown;
        if (frame.look != SignalKind::Attention)
            return fail("the signal " + frame.signal + " of " + frame.node + " is not the weights of an attention");
        if (frame.steps == 0 || frame.width == 0)
            return fail("the signal " + frame.signal + " of " + frame.node + " has no values");
        auto found = attentionHeadsOf(frame);
        if (!found)
            return fail(frame.node + " " + frame.signal + ": " + found.error().message);
        auto data = std::make_shared<AttentionData>(std::move(*found));
        data->name = frame.node + " " + frame.signal;
        data->of = subject.look.of;
        data->labels = subject.look.characters;
        if (auto chosen = choose(*data, query); !chosen)
            return tl::unexpected(chosen.error());
        for (const AttentionHead& head : data->heads)
            data->missing += std::count_if(head.weights.begin(), head.weights.end(),
                                           [](float weight) { return !std::isfinite(weight); });
        return data;
    }

private:
    /// The head and the step that the query names.
    static Result<void> choose(AttentionData& data, const LensQuery& query)
    {
        const std::int64_t head = std::get<std::int64_t>(query.settings.at("head"));
        const std::int64_t step = std::get<std::int64_t>(query.settings.at("step"));
        const std::int64_t heads = std::ssize(data.heads);
        if (head >= heads)
            return fail(fmt::format("there are {} heads, 0 to {}; head {} is none of them", heads, heads - 1, head));
        if (step >= data.steps)
            return fail(fmt::format("the reading has {} steps; step {} is not one of them", data.steps, step + 1));
        if (head >= 0)
            data.heads = {data.heads[static_cast<std::size_t>(head)]};
        data.isChosen = step >= 0;
        data.step = data.isChosen ? step : data.steps - 1;
        return {};
    }

    LensSpec m_spec{"attention",
                    "Attention",
                    "Attention weights of each head at every step, and their entropy.",
                    true,
                    {indexSetting("head", "Index of the head that is shown; -1: all of them.", "all heads"),
                     indexSetting("step", "Step whose weights are shown as arcs and bars, from 0; -1: the last one.",
                                  "the last one")}};
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<AttentionLens>();
}

} // namespace lenses::attention

} // namespace unroll
