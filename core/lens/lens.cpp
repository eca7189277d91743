// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/lens.h"

#include "core/lens/probe.h"

#include <algorithm>

namespace unroll {

namespace {

/// The settings of the query with defaults for those that are missing; an error for one that the lens cannot take.
Result<Params> settingsOf(const LensSpec& spec, const LensQuery& query)
{
    for (const auto& [name, value] : query.settings)
        if (std::none_of(spec.settings.begin(), spec.settings.end(),
                         [&name = name](const ParamSpec& setting) { return setting.name == name; }))
            return fail(spec.title + " has no setting named " + name);
    Params all;
    for (const ParamSpec& setting : spec.settings) {
        const auto given = query.settings.find(setting.name);
        const ParamValue& value = given == query.settings.end() ? setting.defaultValue : given->second;
        if (const std::string fault = paramFault(setting, value); !fault.empty())
            return fail(fault);
        all[setting.name] = asParamOf(setting.type, value).value_or(value);
    }
    return all;
}

Result<std::shared_ptr<const LensData>> answer(const LensSubject& subject, const LensQuery& query)
{
    const Lens* lens = findLens(query.lens);
    if (lens == nullptr)
        return fail("there is no lens named " + query.lens);
    auto settings = settingsOf(lens->spec(), query);
    if (!settings)
        return tl::unexpected(settings.error());
    if (const std::string why = whyNoEdits(lens->spec()); !query.edit.empty() && !why.empty())
        return fail(why);
    return lens->see(subject, {query.lens, query.node, query.signal, std::move(*settings), query.edit});
}

} // namespace

bool isSameButEdits(const LensQuery& one, const LensQuery& other)
{
    LensQuery under = one;
    under.edit = other.edit;
    return under == other;
}

Result<MatchedFigures> LensData::matched(const LensData&) const
{
    return fail("this lens has no units that can be matched");
}

LensNeeds Lens::needs(const LensQuery& query) const
{
    LensNeeds own;
    if (spec().takesSignal)
        own.watched.push_back({query.node, query.signal});
    return own;
}

Result<std::vector<LensNumber>> Lens::summary(const LensSubject&) const
{
    return fail(spec().title + " has no summary over training");
}

const Lens* findLens(const std::string& id)
{
    const Lenses& all = allLenses();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& lens) { return lens->spec().id == id; });
    return found == all.end() ? nullptr : found->get();
}

std::string whyNoEdits(const LensSpec& spec)
{
    return spec.noEdits.empty() ? std::string() : spec.title + " is the same under edits: " + spec.noEdits;
}

LensNeeds needsOf(const std::vector<LensQuery>& queries)
{
    LensNeeds all;
    for (const LensQuery& query : queries) {
        const Lens* lens = findLens(query.lens);
        const LensNeeds one = lens != nullptr ? lens->needs(query) : LensNeeds{};
        all.forecasts = all.forecasts || one.forecasts;
        all.answers = all.answers || one.answers;
        all.update = all.update || one.update;
        for (const WatchedSignal& wanted : one.watched)
            if (std::find(all.watched.begin(), all.watched.end(), wanted) == all.watched.end())
                all.watched.push_back(wanted);
    }
    return all;
}

std::shared_ptr<const LensFrame> frameOf(const LensSubject& subject, const LensQuery& query)
{
    auto seen = answer(subject, query);
    LensFrame frame{query, subject.look.step, {}, nullptr};
    if (seen)
        frame.data = std::move(*seen);
    else
        frame.trouble = seen.error().text();
    if (subject.text != nullptr)
        frame.reading = readingMark(*subject.text, subject.data);
    if (subject.data != nullptr)
        frame.source = subject.data->describe();
    return std::make_shared<const LensFrame>(std::move(frame));
}

std::vector<std::shared_ptr<const LensFrame>> framesOf(const LensSubject& subject,
                                                       const std::vector<LensQuery>& queries)
{
    std::vector<std::shared_ptr<const LensFrame>> frames;
    for (const LensQuery& query : queries)
        frames.push_back(frameOf(subject, query));
    return frames;
}

const LensHistory& historyOf(const LensSubject& subject, const std::string& lens)
{
    static const auto* nothing = new LensHistory;
    if (subject.histories == nullptr)
        return *nothing;
    const auto found = subject.histories->find(lens);
    return found == subject.histories->end() ? *nothing : found->second;
}

Result<const SignalFrame*> signalOf(const ProbeFrame& look, const LensQuery& query)
{
    const auto& all = look.signalFrames;
    const auto found = std::find_if(all.begin(), all.end(), [&](const SignalFrame& frame) {
        return frame.node == query.node && frame.signal == query.signal;
    });
    if (found == all.end())
        return fail(query.node + " did not show the signal " + query.signal);
    return &*found;
}

} // namespace unroll
