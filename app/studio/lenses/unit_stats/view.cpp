// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/signal_lens_view.h"
#include "app/studio/lenses/unit_stats/unit_bars.h"

namespace unroll::lenses::unit_stats {

namespace {

class UnitStatsView : public SignalLensView {
public:
    UnitStatsView(const LensDesk& desk, UnitBars* bars)
        : SignalLensView("unit_stats", desk, bars, "curves"), m_bars(bars)
    {}

protected:
    void draw(const std::shared_ptr<const LensFrame>& frame) override
    {
        m_bars->setStats(dataOf<UnitStatsData>(frame));
    }

private:
    UnitBars* m_bars; ///< the base owns it
};

} // namespace

LensView* makeView(const LensDesk& desk)
{
    return new UnitStatsView(desk, new UnitBars(desk.appearance));
}

} // namespace unroll::lenses::unit_stats
