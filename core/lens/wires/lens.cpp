// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/wires/crossing.h"

namespace unroll {

LensQuery wiresQuery()
{
    return {"wires"};
}

namespace lenses::wires {

namespace {

LensSpec wiresSpec()
{
    ParamSpec step{};
    step.name = "step";
    step.type = ParamType::Int;
    step.defaultValue = std::int64_t{-1};
    step.minimum = -1;
    step.help = "Step whose norms are listed, counted from 0; -1: the last.";
    ParamSpec scale{};
    scale.name = "scale";
    scale.type = ParamType::Choice;
    scale.defaultValue = std::string("own");
    scale.help = "How norms are shaded.";
    scale.choices = {{"own", "Each output by its own largest norm."}, {"shared", "All outputs on one scale."}};
    LensSpec spec{"wires",
                  "Norms on wires",
                  "Size of the values on each wire: L2 norm at every step of the reading.",
                  false,
                  {step, scale}};
    spec.heavy = true;
    return spec;
}

class WiresLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        if (subject.model == nullptr || subject.text == nullptr)
            return fail("the network is not available");
        auto data = std::make_shared<WiresData>();
        data->outputs = outputNorms(*subject.model, *subject.text);
        if (data->outputs.empty())
            return fail("no wire of the network carries numbers");
        data->steps = static_cast<std::int64_t>(subject.text->steps());
        const auto step = std::get<std::int64_t>(query.settings.at("step"));
        data->cursor = step < data->steps ? step : -1;
        data->shared = std::get<std::string>(query.settings.at("scale")) == "shared";
        data->characters = subject.look.characters;
        data->of = subject.look.of;
        return data;
    }

private:
    LensSpec m_spec = wiresSpec();
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<WiresLens>();
}

} // namespace lenses::wires

} // namespace unroll
