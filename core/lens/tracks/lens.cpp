// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/tracks/probes.h"
#include "core/lens/tracks/reading.h"
#include "core/lens/tracks/statistics.h"
#include "core/lens/tracks/summary.h"
#include "core/lens/tracks/tracks.h"

#include "core/base/number_text.h"
#include "core/lens/probe.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll::lenses::tracks {

namespace {

constexpr std::int64_t kMostProbed = 256; ///< units of a layer that its probe reads
constexpr std::size_t kMostOfFeature = 5, kMostFound = 200;

ParamSpec intSetting(const char* name, std::int64_t value, double least, double most, const char* help)
{
    ParamSpec spec{};
    spec.name = name;
    spec.type = ParamType::Int;
    spec.defaultValue = value;
    spec.minimum = least;
    spec.maximum = most;
    spec.help = help;
    return spec;
}

ParamSpec choiceSetting(const char* name, const char* value, const char* help, std::vector<ChoiceSpec> choices)
{
    ParamSpec spec{};
    spec.name = name;
    spec.type = ParamType::Choice;
    spec.defaultValue = std::string(value);
    spec.help = help;
    spec.choices = std::move(choices);
    return spec;
}

LensSpec tracksSpec()
{
    ParamSpec probes{};
    probes.name = "probes";
    probes.type = ParamType::Bool;
    probes.defaultValue = true;
    probes.help = "Fits a linear probe of every feature to each layer.";
    constexpr double longest = kLongestReading;
    return {
        .id = "tracks",
        .title = "What units track",
        .summary = "Every unit against every feature of the data, ranked, beside chance.",
        .takesSignal = true,
        .settings =
            {choiceSetting(
                 "scope", "signal", "Whose units are tested.",
                 {{"signal", "Of the chosen signal."},
                  {"node", "Of all signals of the chosen node."},
                  {"model", "Of the states of all recurrent nodes; of the output of a node that shows no state."}}),
             intSetting("steps", 4096, 64, 65'536, "Least number of steps to read, if the data have as many."),
             choiceSetting("split", "val", "Which part of the data is read.",
                           {{"val", "The validation split."}, {"train", "The training data."}, {"all", "All data."}}),
             probes, intSetting("from", -1, -1, longest, "First step of a span of the reading; -1: none."),
             intSetting("to", -1, -1, longest, "The step after the span; -1: none.")},
        .heavy = true,
        .summarises = true};
}

std::int64_t integer(const LensQuery& query, const char* name)
{
    return std::get<std::int64_t>(query.settings.at(name));
}

const std::string& choice(const LensQuery& query, const char* name)
{
    return std::get<std::string>(query.settings.at(name));
}

/// What the query asks for.
RecordingRequest requestOf(const LensQuery& query, const Model& model)
{
    RecordingRequest request;
    request.mostUnits = 512;
    if (choice(query, "scope") == "model")
        return ofAllStates(model);
    if (choice(query, "scope") == "node") {
        request.wants = [&query](const std::string& node, const std::string&) { return node == query.node; };
        return request;
    }
    request.wants = [&query](const std::string& node, const std::string& signal) {
        return node == query.node && signal == query.signal;
    };
    request.mostUnits = 1024;
    return request;
}

Split splitOf(const std::string& word)
{
    return word == "train" ? Split::Train : word == "all" ? Split::All : Split::Validation;
}

at::Tensor joinedUnits(const std::vector<RecordedSignal>& signals)
{
    std::vector<at::Tensor> all;
    for (const RecordedSignal& signal : signals)
        all.push_back(signal.values);
    return at::cat(all, 0);
}

/// The same units on the reading, [units, steps]; signals that it does not show are not there.
std::vector<RecordedSignal> onReading(const LensSubject& subject, const std::vector<RecordedSignal>& signals)
{
    std::vector<WatchedSignal> watched;
    for (const RecordedSignal& signal : signals)
        watched.push_back({signal.node, signal.signal});
    const ProbeFrame look = probe(*subject.model, *subject.text, watched, subject.look.step);
    std::vector<RecordedSignal> read = signals;
    for (RecordedSignal& signal : read) {
        const auto frame =
            std::find_if(look.signalFrames.begin(), look.signalFrames.end(), [&](const SignalFrame& each) {
                return each.node == signal.node && each.signal == signal.signal;
            });
        const bool complex = signal.kind == SignalKind::Complex;
        if (frame == look.signalFrames.end() || frame->width != signal.width * (complex ? 2 : 1))
            return {};
        signal.values = at::empty({std::ssize(signal.units), frame->steps}, at::kDouble);
        double* to = signal.values.mutable_data_ptr<double>();
        for (const std::int64_t unit : signal.units)
            for (std::int64_t t = 0; t < frame->steps; ++t) {
                const auto at = static_cast<std::size_t>(t * frame->width + unit * (complex ? 2 : 1));
                *to++ = complex ? std::hypot(static_cast<double>(frame->values[at]),
                                             static_cast<double>(frame->values[at + 1]))
                                : static_cast<double>(frame->values[at]);
            }
    }
    return read;
}

/// Takes what was found about features into the data, behind those that are there.
void take(TracksData& data, const std::vector<Feature>& features, const Association& found, bool ofReading)
{
    for (std::size_t f = 0; f < features.size(); ++f)
        data.features.push_back({features[f].id, features[f].name, features[f].when, ofReading, found.known[f],
                                 found.on[f], found.chance[f], found.reasons[f]});
    const at::Tensor scores = found.scores.contiguous(), q = found.q.contiguous();
    const std::int64_t units = scores.size(1);
    std::int64_t first = 0;
    for (TrackedLayer& layer : data.layers) {
        for (std::size_t f = 0; f < features.size(); ++f) {
            const std::int64_t at = static_cast<std::int64_t>(f) * units + first;
            const auto count = std::ssize(layer.units);
            layer.scores.insert(layer.scores.end(), scores.const_data_ptr<double>() + at,
                                scores.const_data_ptr<double>() + at + count);
            layer.q.insert(layer.q.end(), q.const_data_ptr<double>() + at, q.const_data_ptr<double>() + at + count);
        }
        first += std::ssize(layer.units);
    }
}

/// Of one feature over all layers, the strongest first; units that are not available are left out.
std::vector<Track> tracksOf(const TracksData& data, std::size_t f)
{
    const TrackedFeature& feature = data.features[f];
    std::vector<Track> tracks;
    for (std::size_t l = 0; l < data.layers.size(); ++l) {
        const TrackedLayer& layer = data.layers[l];
        for (std::size_t u = 0; u < layer.units.size(); ++u) {
            const std::size_t at = f * layer.units.size() + u;
            if (std::isnan(layer.scores[at]))
                continue;
            const bool found = layer.q[at] <= kFalseDiscoveries && strengthOf(layer.scores[at], feature.binary()) >
                                                                       strengthOf(feature.chance, feature.binary());
            tracks.push_back({f, l, layer.units[u], layer.scores[at], layer.q[at], found});
        }
    }
    std::stable_sort(tracks.begin(), tracks.end(), [&](const Track& a, const Track& b) {
        return strengthOf(a.score, feature.binary()) > strengthOf(b.score, feature.binary());
    });
    return tracks;
}

void rank(TracksData& data)
{
    for (std::size_t f = 0; f < data.features.size(); ++f) {
        const std::vector<Track> tracks = tracksOf(data, f);
        if (tracks.empty()) {
            if (data.features[f].reason.empty())
                data.features[f].reason = "no unit changes over these steps";
            continue;
        }
        data.best.push_back(tracks.front());
        data.pairs += std::ssize(tracks);
        std::size_t listed = 0;
        for (const Track& track : tracks)
            if (track.found) {
                ++data.discoveries;
                ++data.features[f].units;
                if (listed++ < kMostOfFeature)
                    data.found.push_back(track);
            }
    }
    const auto stronger = [&](const Track& a, const Track& b) {
        return strengthOf(a.score, data.features[a.feature].binary()) >
               strengthOf(b.score, data.features[b.feature].binary());
    };
    std::stable_sort(data.best.begin(), data.best.end(), stronger);
    std::stable_sort(data.found.begin(), data.found.end(), stronger);
    data.found.resize(std::min(data.found.size(), kMostFound));
}

/// Units that are numbers throughout, so many at most, at even distances.
at::Tensor probedUnits(const RecordedSignal& signal)
{
    const at::Tensor good = signal.values.index_select(0, at::isfinite(signal.values).all(1).nonzero().flatten());
    const std::int64_t count = good.size(0), most = std::min(count, kMostProbed);
    at::Tensor chosen = at::empty({most}, at::kLong);
    for (std::int64_t i = 0; i < most; ++i)
        chosen.mutable_data_ptr<std::int64_t>()[i] = i * count / most;
    return good.index_select(0, chosen);
}

void addProbes(TracksData& data, const std::vector<RecordedSignal>& signals, const std::vector<Feature>& features,
               const std::stop_token& end)
{
    const auto layers = [&](std::int64_t from, std::int64_t to) {
        for (auto l = static_cast<std::size_t>(from); l < static_cast<std::size_t>(to); ++l) {
            const at::Tensor units = probedUnits(signals[l]);
            auto& probes = data.layers[l].probes;
            if (units.size(0) > 0)
                for (const auto& score : probeScores(units, features, end))
                    probes.push_back(score ? std::optional(TrackedProbe{score->score, score->base}) : std::nullopt);
            probes.resize(data.features.size());
        }
    };
    if (signals.size() == 1) // its features are shared out
        layers(0, 1);
    else // side by side, each on one thread: the products of one are too small for several
        at::parallel_for(0, std::ssize(signals), 1, layers);
    for (const RecordedSignal& signal : signals)
        if (signal.values.size(0) > kMostProbed)
            data.notes.push_back(fmt::format("The probe of {} {} reads {} of its units, evenly spaced.", signal.node,
                                             signal.signal, kMostProbed));
}

std::shared_ptr<TracksData> emptyData(Recording& recording)
{
    auto data = std::make_shared<TracksData>();
    data->of = recording.of;
    data->steps = recording.steps;
    if (recording.signals.size() > kMostLayers) {
        data->notes.push_back(
            fmt::format("The first {} of {} signals are tested.", kMostLayers, recording.signals.size()));
        recording.signals.resize(kMostLayers);
    }
    data->nodesAreEnough = true;
    for (const RecordedSignal& signal : recording.signals) {
        for (const TrackedLayer& layer : data->layers)
            data->nodesAreEnough = data->nodesAreEnough && layer.node != signal.node;
        TrackedLayer& layer = data->layers.emplace_back();
        layer.node = signal.node;
        layer.signal = signal.signal;
        layer.width = signal.width;
        layer.units = signal.units;
        layer.names = signal.names;
        layer.moduli = signal.kind == SignalKind::Complex;
        const at::Tensor good = at::isfinite(signal.values);
        data->missing += good.logical_not().sum().item<std::int64_t>();
        const at::Tensor varies = signal.values.ne(signal.values.select(1, 0).unsqueeze(1)).any(1);
        layer.unavailable = std::ssize(layer.units) - good.all(1).logical_and(varies).sum().item<std::int64_t>();
        const std::string name = signal.node + " " + signal.signal;
        if (std::ssize(layer.units) < layer.width)
            data->notes.push_back(
                fmt::format("Of {} units of {}, {} are tested, evenly spaced.", layer.width, name, layer.units.size()));
        if (layer.unavailable > 0)
            data->notes.push_back(fmt::format(
                "{} of {} units of {} are not available: they do not change, or have values that are not numbers.",
                layer.unavailable, layer.units.size(), name));
    }
    return data;
}

class TracksLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    /// It reads other data than the reading.
    LensNeeds needs(const LensQuery&) const override { return {}; }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        if (subject.model == nullptr || subject.data == nullptr)
            return fail("the model and its data are not available");
        RecordingRequest request = requestOf(query, *subject.model);
        request.split = splitOf(choice(query, "split"));
        request.steps = integer(query, "steps");
        request.end = subject.end;
        auto recording = record(*subject.model, *subject.data, request);
        if (!recording)
            return tl::unexpected(recording.error());
        if (recording->signals.empty())
            return fail(missing(query));
        const std::vector<Feature> features = featuresOf(*subject.data, recording->sequences);
        if (features.empty())
            return fail("these data have no features that a unit could track");
        auto data = emptyData(*recording);
        const at::Tensor units = joinedUnits(recording->signals);
        const AssociationOptions options{.end = subject.end};
        data->history = historyOf(subject, m_spec.id);
        take(*data, features, associate(units, features, options), false);
        addSpan(*data, subject, query, recording->signals, options);
        if (std::get<bool>(query.settings.at("probes")))
            addProbes(*data, recording->signals, features, subject.end);
        if (subject.end.stop_requested())
            return fail("it was cancelled");
        rank(*data);
        return data;
    }

    Result<std::vector<LensNumber>> summary(const LensSubject& subject) const override { return bestScores(subject); }

private:
    static std::string missing(const LensQuery& query)
    {
        if (choice(query, "scope") == "model")
            return "no node shows a state at every step";
        if (choice(query, "scope") == "node")
            return query.node + " shows no signal at every step";
        return query.node + " does not show the signal " + query.signal + " as units at every step";
    }

    static void addSpan(TracksData& data, const LensSubject& subject, const LensQuery& query,
                        const std::vector<RecordedSignal>& signals, const AssociationOptions& options)
    {
        const std::int64_t from = integer(query, "from"), to = integer(query, "to");
        if ((from < 0 && to < 0) || subject.text == nullptr)
            return;
        const auto length = static_cast<std::int64_t>(subject.text->steps());
        if (from < 0 || to <= from || to > length) {
            data.notes.push_back(fmt::format("From {} to {} is no span of a reading of {}, so it is not compared.",
                                             from, to, counted(length, "step")));
            return;
        }
        const std::vector<RecordedSignal> read = onReading(subject, signals);
        if (read.empty())
            return;
        const std::int64_t steps = read.front().values.size(1);
        const std::string when = fmt::format("inside steps {} to {} of the reading", from + 1, std::min(to, steps));
        Feature span{"span", "the chosen span of the reading", when, {}};
        for (std::int64_t t = 0; t < steps; ++t)
            span.values.push_back(t >= from && t < to ? 1 : 0);
        take(data, {span}, associate(joinedUnits(read), {span}, options), true);
    }

    LensSpec m_spec = tracksSpec();
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<TracksLens>();
}

} // namespace unroll::lenses::tracks
