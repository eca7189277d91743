// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/alike/alike.h"

#include "core/data/dataset.h"
#include "core/lens/alike/streams.h"
#include "core/lens/alike/windows.h"
#include "core/lens/probe.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace unroll::lenses::alike {

namespace {

constexpr std::int64_t kAround = 24; ///< tokens shown on either side of a place
constexpr double kQuantile = 0.75;

/// What the query asks for, as it can be.
struct Asked {
    std::int64_t from = 0, to = 0;
    std::vector<std::int64_t> units; ///< none: they are to be found
    double threshold = 0;            ///< 0: by quantile
    std::size_t most = 0;
};

/// "3,17" as numbers; an error for one that is not a unit.
Result<std::vector<std::int64_t>> unitsIn(const std::string& text, std::int64_t count)
{
    std::vector<std::int64_t> units;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        std::int64_t unit = -1;
        const auto [stop, fault] = std::from_chars(text.data() + at, text.data() + end, unit);
        if (fault != std::errc() || stop != text.data() + end || unit < 0 || unit >= count)
            return fail(
                fmt::format("\"{}\" is none of the {} units, 0 to {}", text.substr(at, end - at), count, count - 1));
        if (std::find(units.begin(), units.end(), unit) == units.end())
            units.push_back(unit);
        at = end + 1;
    }
    return units;
}

Result<Asked> askedBy(const LensQuery& query, const SignalFrame& frame)
{
    const auto integer = [&](const char* name) { return std::get<std::int64_t>(query.settings.at(name)); };
    Asked asked{integer("from"), integer("to"), {}, std::get<double>(query.settings.at("threshold")), 0};
    asked.most = static_cast<std::size_t>(integer("most"));
    if (asked.from < 0 || asked.to < 0)
        return fail("no span is chosen (settings from and to): drag over some steps of the reading, and places where "
                    "the same units are on "
                    "are listed");
    if (asked.to <= asked.from || asked.to > frame.steps)
        return fail(fmt::format("steps {} to {} are not a span of a reading of {} steps", asked.from + 1, asked.to,
                                frame.steps));
    auto units = unitsIn(std::get<std::string>(query.settings.at("units")), unitsOf(frame));
    if (!units)
        return tl::unexpected(units.error());
    asked.units = std::move(*units);
    if (asked.units.empty() && asked.to - asked.from == frame.steps)
        return fail("the span is the whole reading, so no unit is off just outside it; choose units or a shorter span");
    return asked;
}

/// The threshold of each unit that may be used: the one that is given, or its quantile in the data. Units without any
/// number are left out.
std::vector<AlikeUnit> thresholdsOf(const Asked& asked, const SearchedData& data)
{
    std::vector<AlikeUnit> units;
    for (std::int64_t unit = 0; unit < data.units; ++unit) {
        const bool isAsked =
            asked.units.empty() || std::find(asked.units.begin(), asked.units.end(), unit) != asked.units.end();
        if (!isAsked)
            continue;
        AlikeUnit made{unit, asked.threshold};
        if (asked.threshold == 0) {
            std::vector<double> values;
            for (const Stream& stream : data.streams)
                for (auto i = static_cast<std::size_t>(unit); i < stream.values.size();
                     i += static_cast<std::size_t>(data.units))
                    values.push_back(static_cast<double>(stream.values[i]));
            made.threshold = quantileOf(std::move(values), kQuantile);
        }
        if (!std::isnan(made.threshold))
            units.push_back(made);
    }
    return units;
}

/// Whether the unit is on throughout the span, and off at the step before it and at the step behind it, as far as the
/// reading has them.
bool marksSpan(const std::vector<float>& values, std::int64_t width, const AlikeUnit& unit, const Asked& asked)
{
    const std::int64_t steps = std::ssize(values) / width;
    const auto valueAt = [&](std::int64_t step) {
        return static_cast<double>(values[static_cast<std::size_t>(step * width + unit.unit)]);
    };
    for (std::int64_t step = asked.from; step < asked.to; ++step)
        if (!(valueAt(step) > unit.threshold))
            return false;
    const auto isOff = [&](std::int64_t step) { return step < 0 || step >= steps || valueAt(step) <= unit.threshold; };
    return isOff(asked.from - 1) && isOff(asked.to);
}

/// Where the reading lies in the data: its inputs are those of a stream from there on, as far as both go, eight steps
/// at least.
std::optional<SpanPlace> placeOf(const ProbeText* reading, std::int64_t steps, const SearchedData& data)
{
    if (reading == nullptr || steps == 0)
        return std::nullopt;
    std::vector<float> inputs(reading->tokens.begin(), reading->tokens.end());
    if (inputs.empty())
        inputs = reading->features;
    const std::int64_t width = inputs.empty() || reading->features.empty() ? 1 : reading->width;
    inputs.resize(std::min(inputs.size(), static_cast<std::size_t>(steps * width)));
    steps = std::ssize(inputs) / width;
    for (std::size_t stream = 0; stream < data.streams.size(); ++stream) {
        const std::vector<float>& other = data.streams[stream].inputs;
        const std::int64_t all = std::ssize(other) / width;
        for (std::int64_t place = -1; place < all;
             ++place) { // a reading of validation begins one step before its first target
            const std::int64_t skipped = place < 0 ? 1 : 0, common = std::min(steps - skipped, all - place - skipped);
            if (common < std::min<std::int64_t>(steps - skipped, 8) || common <= 0)
                continue;
            if (std::equal(inputs.begin() + skipped * width, inputs.begin() + (skipped + common) * width,
                           other.begin() + (place + skipped) * width))
                return SpanPlace{stream, place};
        }
    }
    return std::nullopt;
}

/// Tokens as a line of text.
std::string textOf(const Dataset& data, const std::vector<std::int32_t>& tokens, std::int64_t from, std::int64_t to)
{
    from = std::max<std::int64_t>(from, 0);
    to = std::min<std::int64_t>(to, std::ssize(tokens));
    std::string line;
    for (const char byte : data.decode({tokens.begin() + from, tokens.begin() + std::max(from, to)}))
        line += byte == '\n' ? std::string("⏎") : byte == '\t' ? std::string("⇥") : std::string(1, byte);
    return line;
}

AlikePlace placeFrom(const Window& window, const AlikeData& found, const Dataset& data, const Stream& stream,
                     const std::optional<SpanPlace>& reading, std::int64_t readingSteps)
{
    const std::int64_t length = found.to - found.from, end = window.step + length;
    AlikePlace place{stream.sequence, window.step, 0, {}};
    place.score = static_cast<double>(window.agreeing) / static_cast<double>(length * std::ssize(found.units));
    if (!stream.tokens.empty())
        place.text = textOf(data, stream.tokens, window.step - kAround, window.step) + "[" +
                     textOf(data, stream.tokens, window.step, end) + "]" +
                     textOf(data, stream.tokens, end, end + kAround);
    if (reading && reading->stream == window.stream && window.step >= reading->step &&
        end <= reading->step + readingSteps)
        place.readingStep = window.step - reading->step;
    return place;
}

/// Median and histogram of the scores.
void spread(const std::vector<Window>& windows, AlikeData& found)
{
    const auto pairs = static_cast<double>((found.to - found.from) * std::ssize(found.units));
    std::vector<double> scores;
    for (const Window& window : windows) {
        scores.push_back(static_cast<double>(window.agreeing) / pairs);
        const auto bin = static_cast<std::size_t>(scores.back() * static_cast<double>(AlikeData::kBins));
        ++found.histogram[std::min(bin, AlikeData::kBins - 1)];
    }
    found.windows = std::ssize(windows);
    found.median = quantileOf(std::move(scores), 0.5);
}

/// On and off of the units along the reading, a row each.
std::vector<float> readingRows(const std::vector<float>& values, std::int64_t width,
                               const std::vector<AlikeUnit>& units)
{
    std::vector<float> rows;
    for (const AlikeUnit& unit : units)
        for (auto i = static_cast<std::size_t>(unit.unit); i < values.size(); i += static_cast<std::size_t>(width)) {
            const bool isNumber = std::isfinite(values[i]);
            rows.push_back(!isNumber ? std::numeric_limits<float>::quiet_NaN()
                                     : static_cast<float>(static_cast<double>(values[i]) > unit.threshold));
        }
    return rows;
}

/// The settings that the window fills in, and the lens's own.
LensSpec alikeSpec()
{
    const auto setting = [](const char* name, ParamType type, ParamValue value, const char* help) {
        ParamSpec made{};
        made.name = name;
        made.type = type;
        made.defaultValue = std::move(value);
        made.help = help;
        return made;
    };
    ParamSpec from = setting("from", ParamType::Int, std::int64_t{-1}, "First step of the span, from 0; -1: none.");
    ParamSpec to = setting("to", ParamType::Int, std::int64_t{-1}, "The step after the span; -1: none.");
    ParamSpec units = setting("units", ParamType::Text, std::string(), "Units that are compared, \"3,17\".");
    ParamSpec threshold = setting("threshold", ParamType::Real, 0.0,
                                  "Threshold above which a unit is on; 0: its 75 % quantile in the data.");
    ParamSpec steps =
        setting("steps", ParamType::Int, std::int64_t{0},
                "Largest number of steps of the data that are searched; 0: 8,192, of signals wider than 2,048 "
                "4,096.");
    steps.minimum = 0;
    steps.maximum = 1'000'000;
    steps.whenEmpty = "8,192 steps";
    ParamSpec most = setting("most", ParamType::Int, std::int64_t{20}, "Largest number of places listed.");
    from.minimum = to.minimum = -1;
    units.whenEmpty = "those that are on throughout the span and off just outside";
    threshold.whenEmpty = "75 % quantile";
    most.minimum = 1;
    most.maximum = 1000;
    return {"alike",
            "Find alike",
            "Other places of the data where the same units are on as in a span of the reading, with their text.",
            true,
            {from, to, units, threshold, steps, most},
            true};
}

class AlikeLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        const auto shown = signalOf(subject.look, query);
        if (!shown)
            return tl::unexpected(shown.error());
        const SignalFrame& frame = **shown;
        if (frame.look == SignalKind::Attention)
            return fail("weights of an attention are of steps and not of units; choose another signal");
        if (frame.steps == 0 || frame.width == 0)
            return fail("the signal " + frame.signal + " of " + frame.node + " has no values");
        const auto asked = askedBy(query, frame);
        if (!asked)
            return tl::unexpected(asked.error());
        if (subject.model == nullptr || subject.data == nullptr)
            return fail("the model and its data are not available");
        const auto searched = searchedData(subject, frame, std::get<std::int64_t>(query.settings.at("steps")));
        if (!searched)
            return tl::unexpected(searched.error());
        return found(subject, frame, *asked, *searched);
    }

private:
    static Result<std::shared_ptr<const LensData>> found(const LensSubject& subject, const SignalFrame& frame,
                                                         const Asked& asked, const SearchedData& searched)
    {
        auto data = std::make_shared<AlikeData>();
        const std::vector<float> values = unitValues(frame);
        data->units = thresholdsOf(asked, searched);
        data->unitsFound = asked.units.empty();
        if (data->unitsFound)
            std::erase_if(data->units,
                          [&](const AlikeUnit& unit) { return !marksSpan(values, searched.units, unit, asked); });
        if (data->units.empty())
            return fail(
                "no unit is on throughout the span and off just outside it; choose units, another span or a threshold");
        data->byQuantile = asked.threshold == 0;
        data->from = asked.from;
        data->to = asked.to;
        data->reading = readingRows(values, searched.units, data->units);
        data->labels = subject.look.characters;
        data->node = frame.node;
        data->signal = frame.signal;
        data->of = subject.look.of;
        data->searched = searched.words;
        return search(subject, std::move(data), values, asked.most, searched);
    }

    static Result<std::shared_ptr<const LensData>> search(const LensSubject& subject, std::shared_ptr<AlikeData> data,
                                                          const std::vector<float>& values, std::size_t most,
                                                          const SearchedData& searched)
    {
        const std::int64_t width = searched.units, steps = std::ssize(values) / width, length = data->to - data->from;
        const auto rows = std::span(values).subspan(static_cast<std::size_t>(data->from * width),
                                                    static_cast<std::size_t>(length * width));
        const Pattern span = patternOf(rows, width, data->units);
        data->missing = patternOf(values, width, data->units).missing;
        std::vector<Pattern> streams;
        for (const Stream& stream : searched.streams) {
            streams.push_back(patternOf(stream.values, width, data->units));
            data->missing += streams.back().missing;
        }
        const auto reading = placeOf(subject.text, steps, searched);
        std::optional<SpanPlace> own;
        if (reading)
            own = SpanPlace{reading->stream, reading->step + data->from};
        std::vector<Window> windows = scoredWindows(streams, span, own);
        if (windows.empty())
            return fail(fmt::format("no other part of {} is as long as the span, {} steps", searched.words, length));
        spread(windows, *data);
        for (const Window& window : bestWindows(std::move(windows), length, most))
            data->places.push_back(
                placeFrom(window, *data, *subject.data, searched.streams[window.stream], reading, steps));
        return data;
    }

    LensSpec m_spec = alikeSpec();
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<AlikeLens>();
}

} // namespace unroll::lenses::alike
