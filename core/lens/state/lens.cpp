// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/state/state.h"

namespace unroll {

LensQuery stateQuery(const WatchedSignal& watched)
{
    return {"state", watched.node, watched.signal, {}};
}

namespace lenses::state {

namespace {

UnitOrder orderOf(const std::string& name)
{
    return name == "peak"         ? UnitOrder::Peak
           : name == "mean"       ? UnitOrder::Mean
           : name == "similarity" ? UnitOrder::Similarity
                                  : UnitOrder::Index;
}

UnitScale scaleOf(const std::string& name)
{
    return name == "unit" ? UnitScale::Unit : name == "standardised" ? UnitScale::Standardised : UnitScale::Shared;
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
                                    "by correlation (average linkage of 1 - r)."}}),
             choice("scale", "shared", "Scale of the values of each unit.",
                    {{"shared", "One scale for all units."},
                     {"unit", "Each unit divided by its own largest |value|."},
                     {"standardised", "Each unit minus its mean, divided by its standard deviation."}})},
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
        data->order = orderOf(std::get<std::string>(query.settings.at("order")));
        data->scale = scaleOf(std::get<std::string>(query.settings.at("scale")));
        if (data->order == UnitOrder::Index)
            return data;
        if (const std::string fault = orderFault(heatCells(**shown), data->order); !fault.empty())
            return fail(fault);
        return data;
    }

private:
    LensSpec m_spec = stateSpec();
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<StateLens>();
}

} // namespace lenses::state

} // namespace unroll
