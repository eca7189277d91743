// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/block/registry.h"
#include "core/check/check.h"
#include "core/experiment/experiment.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// What is to be equal where blocks are compared.
enum class MatchedSize {
    Parameters, ///< of the whole model
    Flops,      ///< of the whole model, forward and backward, a token
    State,      ///< numbers that all recurrent nodes carry from step to step, a sequence (kept_state.h)
};

/// "parameters", "FLOPs a token", "state values".
const char* matchedSizeText(MatchedSize size);

double sizeOf(MatchedSize size, const CheckedGraph& checked, const Graph& graph);

/// One of the blocks to compare, as text "gru", "mru:num_heads=4" or "mru:matrix_size", whose width is to be solved.
struct BlockWish {
    std::string block;
    std::vector<std::pair<std::string, std::string>> settings;
    std::string widthParam; ///< empty: it is chosen

    bool operator==(const BlockWish&) const = default;
};
Result<BlockWish> blockWish(const std::string& text);
std::string wishText(const BlockWish& wish); ///< as blockWish reads it

/// The parameter that is the width of the block's output: the first whole number that counts units or features, as the
/// specs list it before inner widths; empty: the block is as wide as its input.
std::string widthParam(const BlockSpec& spec);

/// The experiment with the wished block at `node`, and its settings. The error says what of the wish is not there.
Result<Experiment> withBlockWish(const Experiment& experiment, const BlockRegistry& registry, const std::string& node,
                                 const BlockWish& wish);

struct MatchedWidth {
    Experiment experiment;
    std::string param;      ///< that was solved; empty: nothing had to be
    std::int64_t value = 0; ///< of it
    double size = 0;        ///< as the target is measured
    double error = 0;       ///< |size - target| / target
    CheckedGraph checked;
};

/// Largest `error` that counts as equal, where nothing else is said.
inline constexpr double kMatchTolerance = 0.02;

/// MatchedWidth::param where the cell stands in a frame (framed_cell.h) of `value` features.
inline constexpr const char* kFrameParam = "frame";
/// A cell of fewer features is none to compare with.
inline constexpr std::int64_t kNarrowestFrame = 8;

/// Solves one whole number by bisection over the check, so that the model has the size `target`; settings of the wish
/// stay. It is the parameter that the wish names, else the first of these by which the size can be had: the width of
/// the cell (widthParam), its number of modes (unit "modes": LRU, S5), under State the rows of its state matrix (unit
/// "rows": MRU), the width of a frame around a cell that is as wide as its input, or whose width nothing around it lets
/// change. Never a rank, the states of each feature, a number of heads. The error says what came nearest, or why
/// nothing runs, and what the wish can say in place of it.
Result<MatchedWidth> matchWidth(const Experiment& experiment, const BlockRegistry& registry,
                                const std::function<CheckedGraph(const Experiment&)>& check, const std::string& node,
                                const BlockWish& wish, MatchedSize size, double target,
                                double tolerance = kMatchTolerance);

} // namespace unroll
