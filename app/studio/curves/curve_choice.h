// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>
#include <vector>

namespace unroll {

/// One picture of a run: which metric is drawn raw and smoothed, which with marks.
struct CurveChoice {
    enum class Best { None, Least, Greatest };
    /// How a metric is shown: as it is measured, or what a loss of tokens in nats comes to.
    enum class Scale {
        AsMeasured,
        Perplexity, ///< exp(nats); of a smoothed curve that of the smoothed loss
        Bits,       ///< nats / ln 2
    };

    QString title;
    QString axis;            ///< the y axis' words
    QString rawName;         ///< of the raw metric in legend and readings
    std::string raw;         ///< metric drawn faint, with its smoothed form before it; may be empty
    std::string marked = {}; ///< metric measured now and then; may be empty
    Best best = Best::None;  ///< of the marked metric
    bool isNoisy = true;     ///< whether smoothing is useful for the metric
    bool hasFloor = false;   ///< losses: the entropy level is drawn
    Scale scale = Scale::AsMeasured;

    /// What is drawn for a measured value: grows with it. May leave the numbers.
    double shown(double measured) const;
    /// What a table calls the metric on this scale: "val/loss", "val/ppl", "val/bpc".
    std::string column(const std::string& metric) const;

    /// What is drawn of a run beside the current one: one line, so that eight can be distinguished.
    const std::string& main() const { return raw.empty() ? marked : raw; }
};

/// In the order of the menu; made once, in the language of the first call.
const std::vector<CurveChoice>& curveChoices();

} // namespace unroll
