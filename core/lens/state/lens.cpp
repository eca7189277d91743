// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/state/state.h"

namespace unroll {

LensQuery stateQuery(const WatchedSignal& watched)
{
    return {"state", watched.node, watched.signal, {}};
}

namespace lenses::state {

namespace {

class StateLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    Result<std::shared_ptr<const LensData>> see(const ProbeFrame& look, const LensQuery& query) const override
    {
        const auto shown = signalOf(look, query);
        if (!shown)
            return tl::unexpected(shown.error());
        auto data = std::make_shared<StateData>();
        data->look.step = look.step;
        data->look.characters = look.characters;
        data->look.signalFrames = {**shown};
        return data;
    }

private:
    LensSpec m_spec{"state", "State", "Values of a node at every step of the probe text, as a heat map."};
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<StateLens>();
}

} // namespace lenses::state

} // namespace unroll
