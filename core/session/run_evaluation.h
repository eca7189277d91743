// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/run_parts.h"
#include "core/session/run_report.h"

#include <stop_token>
#include <string>

namespace unroll {

/// What a run loses on its validation split: into the open row, the best of the progress, the confusion table.
class RunEvaluation {
public:
    /// All must outlive it.
    RunEvaluation(const Experiment& experiment, RunParts& parts, RunReport& report);

    /// After the step that is done; where that ends the run, of the whole split too. False when it could not be brought
    /// to its end: the progress then has the row that waits for it.
    bool evaluate(const std::stop_token& stop);

private:
    bool isLast() const;
    bool evaluateWhole(const std::stop_token& stop);
    void warnOfBad(const Evaluation& evaluation);
    void warnOfLeak(const std::string& sentence);
    bool noteBest(double loss);
    void addToRow(const std::string& prefix, const Evaluation& evaluation);
    void keepConfusion(const Evaluation& evaluation);

    const Experiment& m_experiment;
    RunParts& m_parts;
    RunReport& m_report;
};

} // namespace unroll
