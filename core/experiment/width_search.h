// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/experiment/match_width.h"

#include <initializer_list>
#include <map>

namespace unroll {

/// Values beyond are not tried.
inline constexpr std::int64_t kWidestTried = 65536;

/// A value that runs, and the size of the model.
struct WidthTry {
    std::int64_t value = 0;
    double size = 0;
};

/// The model's size over one whole number, each value checked once.
class WidthTries {
public:
    using Make = std::function<Result<Experiment>(std::int64_t value)>;

    /// All must outlive it.
    WidthTries(Make make, const std::function<CheckedGraph(const Experiment&)>& check, MatchedSize size)
        : m_make(std::move(make)), m_check(check), m_size(size)
    {}

    Result<Experiment> with(std::int64_t value) const { return m_make(value); }

    /// Tries between a value that is too small and one that is too large, down to two that have none between them that
    /// runs.
    void bisect(double target, std::int64_t least, std::int64_t most);

    /// Of those tried; nothing: none runs.
    std::optional<WidthTry> nearest(double target) const;
    const std::string& trouble() const { return m_trouble; } ///< why the last that does not run does not

private:
    std::optional<WidthTry> near(std::int64_t value, std::int64_t least, std::int64_t most);
    std::optional<double> at(std::int64_t value);

    Make m_make;
    const std::function<CheckedGraph(const Experiment&)>& m_check;
    MatchedSize m_size;
    std::string m_trouble;
    std::map<std::int64_t, std::optional<double>> m_seen;
};

/// Whether it is a whole number that computes and counts one of these.
bool hasUnit(const ParamSpec& param, std::initializer_list<const char*> units);

/// Names of the parameters that are widths: whole numbers that compute and count units, features or modes. Ranks, the
/// states of each feature and the sizes of heads count "numbers" and are none. `values` are all parameters.
std::vector<std::string> widthParams(const BlockSpec& spec, const Params& values);

/// "units = 96 gives 1000 parameters, 4.2 % from 960".
std::string nearestText(const std::string& name, const WidthTry& found, MatchedSize size, double target);

} // namespace unroll
