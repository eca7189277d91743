// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "nodes/shared/attention.h"

#include <utility>

namespace unroll::nodes {

/// Causal self-attention over the steps of a pass and those that are remembered from before it, given each step's
/// query, key and value.
///
/// The memory of a sequence is a ring laid out straight: the last window - 1 steps, the newest at the end, [B, window -
/// 1, width + values + 1]: key before it is turned, value, and the step's number in its sequence, from 1. An empty slot
/// is zeros, and so is a memory of nothing. Masks are [B, T], true at real steps: others are not seen, not counted and
/// not kept.
class CausalAttention {
public:
    struct Form {
        std::int64_t heads, width;
        std::int64_t values = 0; ///< features of the values; 0: width, as queries and keys have
        std::int64_t window;     ///< steps that one sees, itself included
        double ropeBase = 0;     ///< 0: no RoPE
        double xposScale = 0;    ///< 0: no xPos besides RoPE; steps over which the fastest pair shrinks to 0.4 / 1.4
        double dropout = 0;      ///< probability that a weight is zeroed while training
    };

    /// Weights by which scores depend on how far back a key lies, besides on what it is: of query q and the key k of d
    /// steps ago (q + content) k + (q + position) (weight r_d), r_d sines and cosines of d. Source: Dai et al. 2019,
    /// arXiv:1901.02860, section 3.3.
    struct Relative {
        at::Tensor content, position; ///< [width] each, u and v in the paper
        at::Tensor weight;            ///< [width, features of x], W_{k,R}; undefined: distances do not count
    };

    explicit CausalAttention(const Form& form)
        : m_form(form), m_values(form.values > 0 ? form.values : form.width), m_slots(form.window - 1)
    {}

    void lookRelatively(Relative relative) { m_relative = std::move(relative); }

    /// Floats of a sequence's memory.
    std::int64_t memoryWidth() const { return m_slots * (m_form.width + m_values + 1); }

    /// The memory with its slots, of [B, memoryWidth()]; undefined stays so.
    at::Tensor slotsOf(const at::Tensor& memory) const;

    /// The number of each of `steps` steps in its sequence, from 1; [B or 1, T] int64. `past` as slotsOf gives it,
    /// `like` for the device.
    at::Tensor numbersOf(const at::Tensor& past, const at::Tensor& mask, std::int64_t steps,
                         const at::Tensor& like) const;

    /// What the heads gather for each step, side by side, [T, B, values]; qkv [T, B, 2 width + values]: query, key,
    /// value.
    at::Tensor gathered(const PassContext& context, const at::Tensor& qkv, at::Tensor past, const at::Tensor& mask);

    /// The memory after the pass, [B, memoryWidth()]: the last of what was remembered and of the real steps, in their
    /// order.
    at::Tensor remembered(const at::Tensor& past, const at::Tensor& qkv, const at::Tensor& numbers,
                          const at::Tensor& mask) const;

private:
    struct Places;

    /// What queries and keys are turned by; one table for both but by xPos, which lets them grow and shrink, too.
    struct Turns {
        RopeTable query, key;
    };

    at::Tensor numbersIn(const at::Tensor& past) const;
    Places placesOf(std::int64_t steps, const at::Tensor& past, const at::Tensor& mask,
                    const at::TensorOptions& options) const;
    at::Tensor seenOf(const Places& places, const at::Tensor& past, const at::Tensor& mask) const;
    at::Tensor attendInOne(const at::Tensor& qkv);
    Turns turnsAt(const Places& places, at::ScalarType type) const;
    const Turns& turnsOfPass(const at::Tensor& qkv);
    at::Tensor scoresOfDistance(const PassContext& context, const at::Tensor& q, const Places& places) const;

    Form m_form;
    std::int64_t m_values;
    std::int64_t m_slots; // steps remembered: the window without the present one
    Relative m_relative;
    Turns m_turns; // of the steps from the first one on, as many as the last pass without memory and mask had
};

} // namespace unroll::nodes
