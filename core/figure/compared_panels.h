// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Two panels as one difference, or beside each other.

#include "core/base/result.h"
#include "core/figure/compared_places.h"

#include <string>
#include <vector>

namespace unroll {

/// Names of both sides.
struct SideNames {
    std::string first, second;
};

/// The second panel less the first, and what there is to say of it: how large it is and where, what was left out of it.
struct PanelDifference {
    FigurePanel panel;
    std::vector<std::string> findings;
};

/// An error says why nothing of the two fits.
Result<PanelDifference> panelDifference(const FigurePanel& first, const FigurePanel& second, const SidesFit& fit,
                                        const SideNames& names);

/// Both in one panel where their curves can share it, else two with the same ends of axes and colours, and with the
/// same units in the same rows, the first side's before the second's.
std::vector<FigurePanel> panelsBeside(const FigurePanel& first, const FigurePanel& second, const SidesFit& fit,
                                      const SideNames& names);

/// Whether both have the same units and the second has them in another order.
bool isReordered(const FigurePanel& first, const FigurePanel& second, const SidesFit& fit);

/// A panel that one side alone has.
FigurePanel namedPanel(FigurePanel panel, const std::string& side, const std::string& suffix);

/// "Loss", or "Loss: fable-2" where the title does not name the side already.
std::string titleOf(const std::string& title, const std::string& side);

} // namespace unroll
