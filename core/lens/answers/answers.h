// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// The model's own answer at every step of the reading, beside what came.
struct AnswersData : LensData {
    std::vector<std::string> labels; ///< of the steps; none where numbers were read
    std::vector<StepAnswer> answers; ///< a step each, one at least
    std::vector<Forecast> forecasts; ///< the target columns, in their own units; none where classes are told
    std::string of;                  ///< what was read
    std::string lossUnit;            ///< "nats/token"
    std::int64_t cursor = -1;        ///< the step whose likeliest classes are listed; -1: the last

    Figure figure() const override;

    bool tellsClasses() const { return forecasts.empty(); }
    std::int64_t cursorStep() const;
    /// Over all targets; nothing where nothing is asked, or the loss is not known.
    std::optional<double> meanLoss() const;
    std::int64_t targets() const;
    /// The steps of the largest losses, the largest first.
    std::vector<std::int64_t> mostSurprising(std::size_t count) const;
};

/// Of the whole reading; `step`: the cursor.
inline LensQuery answersQuery(std::int64_t step = -1)
{
    return {"answers", {}, {}, step < 0 ? Params{} : Params{{"step", step}}};
}

} // namespace unroll
