// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/lens/figure.h"
#include "core/lens/lens.h"

#include <memory>
#include <string>

namespace unroll {

enum class CompareWay {
    Beside,    ///< both sides, on one scale
    Difference ///< the second side less the first
};

/// One of two sides that are held against each other.
struct ComparedSide {
    Figure figure;
    std::string name;         ///< in titles and legends: "fable-2, step 2000"
    std::string reading = {}; ///< LensFrame::reading; empty: not known, then the labels of the steps say it
    std::string source = {};  ///< LensFrame::source
};

/// Both figures as one, panels and series paired by their ids and names. Beside: curves over the same axis share a
/// panel, what else there is stands beside its like with the same ends of axes and colours; nothing is left out.
/// Difference: value by value, at the same steps, labels, places and units; a difference of phases is taken the shorter
/// way round. What does not fit (other shapes, another reading) is left out, and a finding says so with the reason;
/// tables, words and arrays have no difference and are given of both. Panels, tables and arrays of one side alone have
/// "_first" or "_second" behind their ids. `paired`: row i of the one goes with row i of the other, whatever units they
/// are of. An error where nothing is left, with the reasons.
Result<Figure> compared(const ComparedSide& first, const ComparedSide& second, CompareWay way, bool paired = false);

/// Two answers to be held against each other.
struct ComparedFrame {
    std::shared_ptr<const LensFrame> frame; ///< not null
    std::string name;
};

struct CompareWish {
    CompareWay way = CompareWay::Beside;
    bool matchUnits = false; ///< LensData::matched()

    bool operator==(const CompareWish&) const = default;
};

/// The same of what two lens frames show: what the window draws and the command line writes. Of two nodes or copies
/// of a group, as the setting `node` of a lens of the whole model names them, what has one name within them is
/// paired. Errors too: a side has nothing to show, units that cannot be matched.
Result<Figure> compared(const ComparedFrame& first, const ComparedFrame& second, const CompareWish& wish);

} // namespace unroll
