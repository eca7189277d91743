// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/state/state.h"
#include "core/lens/unit_ranking.h"

#include <fmt/format.h>

namespace unroll {

namespace lenses::state {

namespace {

constexpr std::pair<const char*, UnitOrder> kOrders[] = {{"index", UnitOrder::Index},
                                                         {"peak", UnitOrder::Peak},
                                                         {"mean", UnitOrder::Mean},
                                                         {"similarity", UnitOrder::Similarity},
                                                         {"tracks", UnitOrder::Given}};
constexpr std::pair<const char*, UnitScale> kScales[] = {
    {"shared", UnitScale::Shared}, {"unit", UnitScale::Unit}, {"standardised", UnitScale::Standardised}};

} // namespace

} // namespace lenses::state

LensQuery stateQuery(const WatchedSignal& watched)
{
    return {"state", watched.node, watched.signal, {}};
}

LensQuery stateQuery(const WatchedSignal& watched, UnitOrder order, UnitScale scale)
{
    LensQuery query = stateQuery(watched);
    for (const auto& [name, value] : lenses::state::kOrders)
        if (value == order && order != UnitOrder::Index)
            query.settings["order"] = std::string(name);
    for (const auto& [name, value] : lenses::state::kScales)
        if (value == scale && scale != UnitScale::Shared)
            query.settings["scale"] = std::string(name);
    return query;
}

namespace lenses::state {

namespace {

UnitOrder orderOf(const std::string& name)
{
    for (const auto& [word, order] : kOrders)
        if (name == word)
            return order;
    return UnitOrder::Index;
}

UnitScale scaleOf(const std::string& name)
{
    for (const auto& [word, scale] : kScales)
        if (name == word)
            return scale;
    return UnitScale::Shared;
}

ParamSpec choice(const std::string& name, const std::string& usual, const std::string& help,
                 std::vector<ChoiceSpec> choices)
{
    ParamSpec spec{};
    spec.name = name;
    spec.type = ParamType::Choice;
    spec.defaultValue = usual;
    spec.help = help;
    spec.choices = std::move(choices);
    return spec;
}

ParamSpec stepSetting()
{
    ParamSpec spec{};
    spec.name = "step";
    spec.type = ParamType::Int;
    spec.defaultValue = std::int64_t{-1};
    spec.minimum = -1;
    spec.maximum = static_cast<double>(kLongestReading) - 1;
    spec.whenEmpty = "the last one";
    spec.help = "Step whose matrices are drawn, from 0; -1: the last one.";
    spec.when = {{"draw", {"matrices"}}};
    return spec;
}

LensSpec stateSpec()
{
    return {"state",
            "State",
            "Values of a node at every step of the probe text, as a heat map.",
            true,
            {choice("order", "index", "Order of the units, from top to bottom.",
                    {{"index", "By index."},
                     {"peak", "By the step at which the size is largest, the earliest first."},
                     {"mean", "By the mean size, the largest first."},
                     {"similarity", "Units that rise and fall together beside each other: leaf order of a clustering "
                                    "by correlation (average linkage of 1 - r)."},
                     {"tracks", "By what they track: units that track the same feature beside each other, the "
                                "strongest on top; those that track none below. Reads the data."}}),
             choice("scale", "shared", "Scale of the values of each unit.",
                    {{"shared", "One scale for all units."},
                     {"unit", "Each unit divided by its own largest |value|."},
                     {"standardised", "Each unit minus its mean, divided by its standard deviation."}}),
             choice("draw", "units", "What a signal of matrices is drawn as.",
                    {{"units", "A row for each number, over the steps."},
                     {"matrices", "Each matrix of one step as a map of its rows and columns, all on one scale."}}),
             stepSetting()},
            false,
            true};
}

class StateLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        const auto shown = signalOf(subject.look, query);
        if (!shown)
            return tl::unexpected(shown.error());
        auto data = std::make_shared<StateData>();
        data->look.step = subject.look.step;
        data->look.characters = subject.look.characters;
        data->look.of = subject.look.of;
        data->look.signalFrames = {**shown};
        const std::string& order = std::get<std::string>(query.settings.at("order"));
        data->order = orderOf(order);
        data->scale = scaleOf(std::get<std::string>(query.settings.at("scale")));
        if (std::get<std::string>(query.settings.at("draw")) == "matrices")
            return atStep(std::move(data), std::get<std::int64_t>(query.settings.at("step")));
        if (order == "tracks")
            return ranked(std::move(data), subject, **shown);
        if (data->order == UnitOrder::Index)
            return data;
        if (const std::string fault = orderFault(heatCells(**shown), data->order); !fault.empty())
            return fail(fault);
        return data;
    }

private:
    /// The matrices of the step; -1: of the last one.
    static Result<std::shared_ptr<const LensData>> atStep(std::shared_ptr<StateData> data, std::int64_t step)
    {
        const SignalFrame& frame = data->look.signalFrames.front();
        if (matrixCount(frame) == 0)
            return fail(fmt::format("{} of {} has no matrices: set draw to units", frame.signal, frame.node));
        if (step >= frame.steps || frame.steps == 0)
            return fail(
                fmt::format("the reading has {} steps, counted from 0; step {} is not one of them", frame.steps, step));
        data->at = step < 0 ? frame.steps - 1 : step;
        data->draw = StateDraw::Matrices;
        return data;
    }

    static Result<std::shared_ptr<const LensData>> ranked(std::shared_ptr<StateData> data, const LensSubject& subject,
                                                          const SignalFrame& frame)
    {
        const HeatCells cells = heatCells(frame);
        if (cells.heads > 0)
            return fail(orderFault(cells, UnitOrder::Given));
        const auto ranking = frameOf(subject, rankingQuery(frame.node, frame.signal));
        if (!ranking->data)
            return fail("the units cannot be ordered by what they track: " + ranking->trouble);
        data->rows = rankedRows(*ranking->data, frame.node, frame.signal, cells.width);
        data->order = UnitOrder::Given;
        return data;
    }

    LensSpec m_spec = stateSpec();
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<StateLens>();
}

} // namespace lenses::state

} // namespace unroll
