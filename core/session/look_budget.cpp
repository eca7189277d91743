// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/look_budget.h"

#include <algorithm>

namespace unroll {

namespace {

constexpr double kCredit = 0.25; ///< seconds

} // namespace

/// No more is saved up than the costliest look takes: hours without one do not pay for many at once.
void LookBudget::earn(double now)
{
    double most = 0;
    for (const auto& [who, clock] : m_others)
        most = std::max(most, clock.cost());
    m_left = std::min(m_left + m_share * std::max(now - m_now, 0.0), most);
    m_now = std::max(now, m_now);
}

bool LookBudget::isSharedDue(double now, bool others) const
{
    return m_shared.isDue(now, others ? m_share / 2 : m_share);
}

std::optional<std::size_t> LookBudget::due(double now, const std::vector<std::string>& others)
{
    if (!isOpen() || others.empty())
        return {};
    earn(now);
    std::optional<std::size_t> longest;
    double waited = -1;
    for (std::size_t i = 0; i < others.size(); ++i) {
        const LookClock& clock = m_others[others[i]];
        if (!clock.isMeasured()) {
            if (m_left >= 0)
                return i;
            continue;
        }
        if (const double wait = (now - clock.began()) / clock.cost(); wait > waited) {
            waited = wait;
            longest = i;
        }
    }
    if (!longest)
        return {};
    const LookClock& clock = m_others[others[*longest]];
    const bool ownPart = clock.isDue(now, m_share / 2 / static_cast<double>(others.size()));
    return ownPart || m_left >= clock.cost() ? longest : std::nullopt;
}

bool LookBudget::mayHurry(double now, const std::string& who)
{
    if (!isOpen())
        return false;
    earn(now);
    const LookClock& clock = m_others[who];
    return clock.isMeasured() && m_left - clock.cost() >= -kCredit;
}

void LookBudget::tookShared(double began, double cost)
{
    earn(began);
    m_shared.took(began, cost);
    m_newest = &m_shared;
    pay(cost);
}

void LookBudget::took(const std::string& who, double began, double cost)
{
    earn(began);
    m_any.took(began, cost);
    m_others[who].took(began, cost);
    m_newest = &m_others[who];
    pay(cost);
}

void LookBudget::alsoTook(double cost)
{
    if (m_newest == nullptr || !(cost > 0))
        return;
    m_newest->alsoTook(cost);
    pay(cost);
}

} // namespace unroll
