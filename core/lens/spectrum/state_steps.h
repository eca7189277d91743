// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/lens/probe.h"
#include "core/lens/spectrum/loose_map.h"
#include "core/lens/spectrum/spectrum.h"
#include "core/model/model.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll::lenses::spectrum {

/// What the Jacobian of a state is like: each number made of its own before it, or of its own pair of two halves as a
/// complex number is.
enum class StateMap { Any, Diagonal, ComplexDiagonal };

/// Runs a network step by step over a reading and takes derivatives of one node's state. Everything else is held: what
/// the other nodes carry, and the weights. Leaves no gradient behind.
///
/// Where the state is kept scaled by exp(-m) (Block::stabilisers), derivatives are of what is remembered, c exp(m), in
/// units of exp(m) before the step. m says no more than how large the numbers are; it is held, and no part of the state
/// here: it would add modes that forget nothing.
class StateSteps {
public:
    /// The node is recurrent.
    StateSteps(Model& model, const ProbeText& text, std::string node);

    std::int64_t steps() const { return m_steps; }
    std::int64_t numbers() const; ///< of the state, of one sequence
    bool isScaled() const { return m_scaled.defined(); }
    /// Numbers of each tensor of the state.
    const std::vector<std::int64_t>& widths() const { return m_widths; }

    /// Whether carrying the state from step to step gives what reading at once gives: not where a network reads from
    /// both ends.
    bool carries() const;
    /// d s_t / d s_{t-1} of the flattened state, [n, n], in double on the CPU.
    at::Tensor jacobian(std::int64_t step) const;
    at::Tensor diagonal(std::int64_t step) const; ///< of it, [n]
    /// The Jacobian without zeros. Errors: it has more entries than `most`, the end.
    Result<SparseMap> sparseJacobian(std::int64_t step, std::int64_t most, const std::stop_token& end) const;
    /// What of the Jacobian its eigenvalues are made of, in few passes where the state falls into parts of `largest`
    /// numbers at most: see looseMap().
    tl::expected<SparseMap, LooseError> looseJacobian(std::int64_t step, const LooseLimits& limits,
                                                      const std::stop_token& end) const;
    /// Where `map` says that no unit reads another, and every step says so too: from each unit's factors. Else a vector
    /// is taken back through the Jacobians of all steps, from the last one on, and scaled to length 1 at each; again
    /// and again, until it has become the leading direction and the mean growth of a reading is settled.
    Growth growth(StateMap map, const std::stop_token& end) const;

private:
    /// Rows of the Jacobian in their order, [some, n], until `take` says no.
    void rows(std::int64_t step, const std::function<bool(const at::Tensor&)>& take) const;
    struct Step {
        at::Tensor before, after; ///< [rows, n]; `before` is a leaf, `after` the state made of it
        States states;            ///< after, without a graph
        at::Tensor units;         ///< [1, n]: exp(m before - m after), 1 of what is not scaled; undefined: all are 1
    };
    /// Fewer than there are where the end comes before.
    std::vector<Step> allSteps(const std::stop_token& end) const;
    static bool growsByUnits(const std::vector<Step>& all, StateMap map, Growth& found);
    void growByReadings(const std::vector<Step>& all, Growth& found, const std::stop_token& end) const;
    Value zeros() const;
    /// Widths of the tensors of the state, cut where a signal of the node would end in them: behind the state proper a
    /// tensor may keep what a convolution has read.
    std::vector<std::int64_t> stateParts() const;
    States statesBefore(std::int64_t step) const;
    void findStabilisers();
    /// Of a whole state, [rows, all], the numbers that derivatives are of.
    at::Tensor kept(const at::Tensor& all) const { return isScaled() ? all.index_select(1, m_kept) : all; }
    /// exp(m after - m before) by these numbers; whole states.
    at::Tensor growthOfUnits(const at::Tensor& before, const at::Tensor& after) const;
    /// With so many copies of the sequence side by side.
    Step run(std::int64_t step, const States& states, std::int64_t rows) const;

    Model& m_model;
    const ProbeText& m_text;
    std::string m_node;
    std::int64_t m_steps;
    std::vector<std::int64_t> m_widths;
    /// [n], where numbers are scaled: places in the whole state of those that derivatives are of; of the m of each, or
    /// any; whether it is scaled.
    at::Tensor m_kept, m_units, m_scaled;
};

} // namespace unroll::lenses::spectrum
