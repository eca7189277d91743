// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"
#include "core/lens/unit_name.h"
#include "core/lens/unit_ranking.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// From this strength on a unit is said to follow a feature: an AUC of 0.75 or |r| of 0.5. Below it may be a discovery,
/// and is weak.
inline constexpr double kFollowsFrom = 0.5;
/// From this AUC or |r| on it tracks a feature: what is told of when a network gets it.
inline constexpr double kTrackedFrom = 0.9;
/// Signals that are examined together, at most.
inline constexpr std::size_t kMostLayers = 16;
/// Rate of false discoveries that is allowed among what is called found.
inline constexpr double kFalseDiscoveries = 0.05;

/// Something that is true of the data, or has a size, at each step.
struct TrackedFeature {
    std::string id, name,
        when;               ///< as Feature: "in_quotes", "quotations", "inside quotations"; `when` is empty of a number
    bool ofReading = false; ///< the brushed span, compared on the reading alone
    std::int64_t known = 0; ///< steps at which it is known, of all
    double on = 0;          ///< share of these at which a binary one is on; NaN of a number
    double chance =
        0; ///< what the best unit reaches on shuffled data in 19 of 20 cases, as AUC or |r|; NaN: not available
    std::string reason;     ///< why it is not available; empty: it is
    std::int64_t units = 0; ///< found to follow it

    bool binary() const { return !when.empty(); }
};

/// How well a linear function of all units of a layer tells a feature: fitted on the first half of the steps, scored on
/// the second.
struct TrackedProbe {
    double score = 0; ///< share of steps told right, or R^2
    double base = 0;  ///< of always telling what is most frequent; 0 for R^2
};

/// The units of one signal.
struct TrackedLayer {
    std::string node, signal;
    std::int64_t width = 0;                          ///< units that it has
    UnitNames names = {};                            ///< of its units
    std::vector<std::int64_t> units;                 ///< those that were examined, by their indices in the signal
    std::int64_t unavailable = 0;                    ///< of these: constant, or with values that are not numbers
    bool moduli = false;                             ///< of a complex signal: what was examined
    std::vector<double> scores;                      ///< features x units: AUC, or r with its sign; NaN: not available
    std::vector<double> q;                           ///< likewise: the false discovery rate at which it is found
    std::vector<std::optional<TrackedProbe>> probes; ///< of each feature; nothing: not available, or not asked for
};

/// One unit and one feature.
struct Track {
    std::size_t feature = 0, layer = 0;
    std::int64_t unit = 0; ///< its index in the signal
    double score = 0, q = 1;
    bool found = false; ///< a discovery at the rate kFalseDiscoveries, and above the chance level
};

/// An AUC from 0.5 on, whatever its direction; or |r|.
double sizeOf(double score, bool binary);

struct TracksData : LensData, UnitRanking {
    std::vector<TrackedFeature> features;
    std::vector<TrackedLayer> layers; ///< one at least
    std::vector<Track> best;          ///< of each feature that is available: its best unit; the strongest feature first
    std::vector<Track> found;         ///< the strongest ones, a few of each feature; the strongest first
    std::int64_t discoveries = 0;     ///< all that are found
    std::int64_t pairs = 0;           ///< of a unit and a feature that were compared
    std::int64_t steps = 0;
    std::int64_t missing = 0;       ///< values that are not numbers
    LensHistory history;            ///< of the states of the whole model, whatever is examined here: see bestScores()
    bool nodesAreEnough = false;    ///< no node is there with two signals: a unit is named by its node
    std::string of;                 ///< what was read
    std::vector<std::string> notes; ///< what was left out

    Figure figure() const override;
    /// Those that are found to follow a feature: each with the one that it follows most closely, units of one feature
    /// beside each other, the strongest feature and unit first.
    std::vector<std::int64_t> unitsRanked(const std::string& node, const std::string& signal) const override;

    /// "unit 37 of lstm_2 is on inside quotations", "unit 4 of lstm falls with bracket depth".
    std::string trackText(const Track& track) const;
    /// The first update at which the best of all units has reached kTrackedFrom and every kept one behind it has too;
    /// nothing: not yet, or not known.
    std::optional<std::int64_t> trackedSince(const TrackedFeature& feature) const;
    /// The same with its score and the chance level; or that no unit follows the feature.
    std::string sentence(const Track& strongest) const;
};

} // namespace unroll
