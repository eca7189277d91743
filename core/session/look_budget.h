// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/look_clock.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// Of the share of training that looks may cost, what they may take by their own clock. The rest is for what that clock
/// does not see: the updates after a look find its data in the caches, and a viewer draws while they run. Measured with
/// every lens open, char-sru on two cores: 2.5 % by the clock slow training by 3.3 %, 4 % by 5.7 to 8.1 %.
inline constexpr double kTimedPart = 0.5;

/// Shares out the time that snapshots may take while a run trains, all together: a snapshot costs what it takes, and
/// what its picture takes to be drawn. Times in seconds, on a clock that stands still while nothing is trained.
///
/// A snapshot that is shared has half of it, all of it where there are no others; each of the others a part of the
/// other half. What a snapshot leaves of its part goes to the one that has waited longest for what it costs, so that
/// one that is costly need not wait for its own small part to add up.
class LookBudget {
public:
    /// `share` of all time; 0 or less: never.
    explicit LookBudget(double share) : m_share(share) {}
    bool isOpen() const { return m_share > 0; }

    /// Whether the shared snapshot may be taken; `others`: there are others, too.
    bool isSharedDue(double now, bool others) const;
    /// Which of these may be taken, as its place among them; nothing: none. Those of which it is not known what they
    /// cost come first, one after the other, each when those before it are paid for.
    std::optional<std::size_t> due(double now, const std::vector<std::string>& others);
    /// Whether one that somebody waits for may be taken at once, on what is left or on credit of a quarter of a second.
    /// It must be known what it costs.
    bool mayHurry(double now, const std::string& who);

    void tookShared(double began, double cost);
    void took(const std::string& who, double began, double cost);
    /// What snapshots need besides.
    void spent(double cost) { pay(cost); }
    /// The newest snapshot has cost that much more, elsewhere.
    void alsoTook(double cost);

    double sharedPerMinute() const { return m_shared.perMinute(); }
    double othersPerMinute() const { return m_any.perMinute(); } ///< of all of them together

private:
    void earn(double now);
    void pay(double cost) { m_left -= cost; }

    double m_share;
    double m_left = 0; ///< earned and not spent; below 0: owed
    double m_now = 0;
    LookClock m_shared, m_any;
    std::map<std::string, LookClock> m_others;
    LookClock* m_newest = nullptr;
};

} // namespace unroll
