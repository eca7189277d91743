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
    State,      ///< numbers that all recurrent nodes carry from step to step, a sequence
};

/// "parameters", "FLOPs a token", "state values".
const char* matchedSizeText(MatchedSize size);

/// State values a sequence, groups as often as they are repeated.
double stateNumbers(const CheckedGraph& checked, const Graph& graph);

double sizeOf(MatchedSize size, const CheckedGraph& checked, const Graph& graph);

/// One of the blocks to compare, as text "gru", "mru:num_heads=4" or "mru:matrix_size", whose width is to be solved.
struct BlockWish {
    std::string block;
    std::vector<std::pair<std::string, std::string>> settings;
    std::string widthParam; ///< empty: it is chosen

    bool operator==(const BlockWish&) const = default;
};
Result<BlockWish> blockWish(const std::string& text);

/// The experiment with the wished block at `node`, and its settings.
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

/// Largest `error` that counts as equal.
inline constexpr double kMatchTolerance = 0.02;

/// Solves one parameter of `node` by bisection over the check, so that the model has the size `target`: the one that
/// the wish names, else the first by which it can be had of those that count units, numbers, features or rows, in the
/// order of the spec; settings of the wish stay. The error says what came nearest, or why nothing runs.
Result<MatchedWidth> matchWidth(const Experiment& experiment, const BlockRegistry& registry,
                                const std::function<CheckedGraph(const Experiment&)>& check, const std::string& node,
                                const BlockWish& wish, MatchedSize size, double target);

} // namespace unroll
