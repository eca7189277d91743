// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/ranked_order.h"

#include "app/studio/lenses/state/state_stack.h"
#include "core/lens/unit_ranking.h"

#include <algorithm>

namespace unroll {

namespace {

bool isRanked(const HeatMapData& data)
{
    return !data.isEmpty() && data.canReorder();
}

LensQuery queryOf(const HeatMapData& data)
{
    return rankingQuery(data.signal().node, data.signal().signal);
}

} // namespace

RankedOrder::RankedOrder(StateStack& stack, RunController& run, QWidget& seen)
    : QObject(&seen), m_stack(stack), m_run(&run), m_sight(new InSight(seen))
{
    connect(m_sight, &InSight::changed, this, &RankedOrder::refresh);
    connect(&run, &RunController::snapshotChanged, this, &RankedOrder::refresh);
    connect(&run, &RunController::ticked, this, &RankedOrder::refresh); // after new snapshots are drawn
    connect(&stack, &StateStack::countChanged, this, &RankedOrder::refresh);
}

/// A window hides as it goes.
RankedOrder::~RankedOrder()
{
    delete m_sight;
}

void RankedOrder::refresh()
{
    if (m_stack.order() != UnitOrder::Given && m_queries.empty())
        return;
    ask();
    QString words = place();
    if (words == m_words)
        return;
    m_words = std::move(words);
    Q_EMIT changed();
}

/// Of each signal that is shown.
void RankedOrder::ask()
{
    std::vector<LensQuery> wanted;
    if (m_stack.order() == UnitOrder::Given && m_sight->isSeen())
        for (const SignalViews* views : m_stack.all())
            if (isRanked(views->map().data()))
                wanted.push_back(queryOf(views->map().data()));
    if (wanted == m_queries)
        return;
    m_queries = std::move(wanted);
    m_askers.clear();
    for (const LensQuery& query : m_queries) {
        m_askers.push_back(std::make_unique<QObject>());
        if (m_run)
            m_run->ask(*m_askers.back(), query);
    }
}

QString RankedOrder::place()
{
    if (m_stack.order() != UnitOrder::Given || !m_run)
        return {};
    QString why;
    for (const SignalViews* views : m_stack.all()) {
        HeatMapView& map = views->map();
        if (!isRanked(map.data()) || !std::is_sorted(map.data().rows().begin(), map.data().rows().end()))
            continue;
        const SignalFrame& signal = map.data().signal();
        const auto ranking = m_run->snapshot()->frameOf(queryOf(map.data()));
        if (ranking && ranking->data)
            map.setRows(rankedRows(*ranking->data, signal.node, signal.signal, map.data().cells().width));
        else if (ranking)
            why = tr("by index: %1").arg(QString::fromStdString(ranking->trouble));
        else
            why = tr("by index until it is known what the units track");
    }
    return why;
}

} // namespace unroll
