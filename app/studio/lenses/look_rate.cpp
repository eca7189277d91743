// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/look_rate.h"

#include "app/studio/run/run_controller.h"

namespace unroll {

LookRate::LookRate(const RunController& run, bool heavy, QWidget* parent) : QLabel(parent), m_heavy(heavy)
{
    setObjectName("lookRate");
    setProperty("tone", "dim");
    setToolTip(
        tr("Snapshots per minute while the run trains; the preferences limit the share of time that they take."));
    hide();
    const auto follow = [this, &run] { refresh(run); }; // what the run tells comes while it is there
    connect(&run, &RunController::snapshotChanged, this, follow);
    connect(&run, &RunController::stateChanged, this, follow);
}

void LookRate::refresh(const RunController& run)
{
    const Snapshot& now = *run.snapshot();
    const double rate = m_heavy ? now.heavyLooksPerMinute : now.looksPerMinute;
    const bool isKnown = now.state == RunState::Running && rate > 0;
    if (isKnown)
        setText(tr("%1 snapshots/min").arg(rate, 0, 'f', rate < 10 ? 1 : 0));
    setVisible(isKnown);
}

} // namespace unroll
