// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/run_options.h"

#include "core/figure/compared.h"
#include "core/figure/figure_source.h"

#include <string>

namespace CLI {
class App;
}

namespace unroll::cli {

/// What a run is compared with, as the command line says it. What is left out is that of the first side.
struct SecondSideOptions {
    std::string run;        ///< folder of another run
    std::string checkpoint; ///< newest, best, or a step
    std::string node;       ///< another node, or another copy of a repeated group's
    std::string edit;       ///< that its reading is made under
    std::string as;         ///< beside, difference; empty: not said
    std::string match;      ///< units; empty: not said

    bool isGiven() const { return !run.empty() || !checkpoint.empty() || !node.empty() || !edit.empty(); }
};

/// --against, --against-checkpoint, --against-node, --against-edit, --as, --match.
void addSecondSide(CLI::App& verb, SecondSideOptions& options);

/// What can be refused before a run is opened: words without a second side, a lens that cannot be compared so.
Result<void> checkSecondSide(const SecondSideOptions& options, const RunOptions& first, const Lens& lens);

/// The side that is there already.
struct FirstSide {
    const RunOptions& run;
    const Lens& lens;
    Inspection& inspection;
    const ReadingRequest& reading;
    std::shared_ptr<const LensFrame> frame;
};

struct ComparedSeen {
    Figure figure;
    ComparedSource source;
};

/// Opens the second side where it is another run or checkpoint, and holds both against each other. Errors name the
/// option.
Result<ComparedSeen> compareWith(const SecondSideOptions& options, const FirstSide& first,
                                 const BlockRegistry& registry);

} // namespace unroll::cli
