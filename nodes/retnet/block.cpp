// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/outer_scan/outer_scan.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/outer_heads.h"
#include "nodes/shared/product.h"
#include "nodes/shared/rms_norm.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/exp2.h>
#include <ATen/ops/full.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace unroll::nodes::retnet {

namespace {

constexpr double kNormEpsilon = 1e-6; ///< the authors'
constexpr double kSlowest = 10000;    ///< radians a step of the first pair by those of the last

/// Turns pairs among the keys of a head, each at its own speed.
class Rotation {
public:
    Rotation(const std::string& kind, std::int64_t keys) : m_adjacent(kind == "xpos")
    {
        const std::int64_t pairs = keys / 2;
        if (kind == "xpos")
            m_speeds = at::pow(kSlowest, at::linspace(0, 1, pairs, at::kDouble).neg());
        if (kind == "rope")
            m_speeds = at::pow(kSlowest, at::arange(pairs, at::kDouble) * (-1.0 / static_cast<double>(pairs)));
    }

    /// x [..., keys], turned on by so many steps, fp64 of sizes that broadcast with [...].
    at::Tensor turned(const at::Tensor& x, const at::Tensor& steps) const
    {
        if (!m_speeds.defined())
            return x;
        const at::Tensor angle = steps.unsqueeze(-1) * m_speeds.to(x.device());
        const at::Tensor cos = at::cos(angle).to(x.scalar_type()), sin = at::sin(angle).to(x.scalar_type());
        const at::Tensor pairs = m_adjacent ? x.unflatten(-1, {-1, 2}) : x.unflatten(-1, {2, -1}).transpose(-1, -2);
        const at::Tensor first = pairs.select(-1, 0), second = pairs.select(-1, 1);
        const at::Tensor one = first * cos - second * sin, other = second * cos + first * sin;
        return m_adjacent ? at::stack({one, other}, -1).flatten(-2) : at::cat({one, other}, -1);
    }

private:
    bool m_adjacent;
    at::Tensor m_speeds; // [keys / 2], radians a step, fp64; undefined: nothing turns
};

/// The state is kept as it stands at its last step: a step turns it back by one while keys enter as they are, so that
/// no state has to say how many steps it has seen. Within a pass it is the other way round: step t = 1, 2, ... turns
/// its query and key on by t, and the kernel's state stays.
class RetNet final : public Block {
public:
    explicit RetNet(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_heads(setup.integer("num_heads")),
          m_keys(setup.integer("units") / m_heads),
          m_factor(setup.integer("value_factor")),
          m_centred(setup.text("norm") == "group"),
          m_rotation(setup.text("rotation"), m_keys),
          m_q(addWeight(setup, "q_proj.weight")),
          m_k(addWeight(setup, "k_proj.weight")),
          m_v(addWeight(setup, "v_proj.weight")),
          m_g(addWeight(setup, "g_proj.weight")),
          m_o(addWeight(setup, "out_proj.weight")),
          m_decay(1 - at::exp2(-5 - at::arange(m_heads, m_o.options().requires_grad(false))))
    {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), given = only(inputs[1]), mask = only(inputs[2]);
        editsAny(context, {"S", "q", "k", "v", "g"}, x, mask);
        const std::int64_t keys = m_heads * m_keys, values = m_factor * keys;
        const auto parts =
            product(context, x, at::cat({m_q, m_k, m_v, m_g})).split_with_sizes({keys, keys, values, values}, -1);
        const double scale = 1 / std::sqrt(static_cast<double>(m_keys));
        const OuterHeads heads{.q = signalOfHeads(context, "q", ofHeads(parts[0])),
                               .k = signalOfHeads(context, "k", ofHeads(parts[1] * scale)),
                               .v = signalOfHeads(context, "v", ofHeads(parts[2])),
                               .a = m_decay,
                               .before = given.defined() ? given.unflatten(-1, {m_heads, m_keys, m_factor * m_keys})
                                                         : at::zeros({x.size(1), m_heads, m_keys, m_factor * m_keys},
                                                                     x.options().requires_grad(false)),
                               .mask = mask,
                               .readsMasked = m_masked.reads()};
        const at::Tensor gate = signalOfHeads(context, "g", ofHeads(at::silu(parts[3])));
        const OuterRead read = context.edits("S") ? editedStep(context, heads) : scanned(context, heads);
        const at::Tensor y = product(context, (normed(read.y) * gate).flatten(2), m_o);
        return {{m_masked.of(y, mask)}, {read.last.flatten(1)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_heads * m_keys * m_factor * m_keys}, m_o.options().requires_grad(false))};
    }

private:
    at::Tensor ofHeads(const at::Tensor& values) const { return values.unflatten(-1, {m_heads, -1}); }

    at::Tensor normed(const at::Tensor& read) const
    {
        return m_centred ? at::layer_norm(read, {m_factor * m_keys}, {}, {}, kNormEpsilon)
                         : rmsNorm(read, {}, kNormEpsilon);
    }

    OuterRead scanned(const PassContext& context, const OuterHeads& heads) const
    {
        const auto steps = heads.q.options().dtype(at::kDouble).requires_grad(false);
        const at::Tensor places = (heads.mask.defined() ? heads.mask.to(at::kDouble).cumsum(0)
                                                        : at::arange(1, heads.q.size(0) + 1, steps).unsqueeze(-1))
                                      .unsqueeze(-1); // [T, B or 1, 1]
        const OuterHeads walked = walkedHeads(heads);
        const auto read = kernels::outerScan(m_rotation.turned(walked.q, places), m_rotation.turned(walked.k, places),
                                             walked.v, walked.a, walked.before, whereDefined(walked.mask));
        if (context.wants("S"))
            context.show("S", statesOf(heads));
        if (heads.q.size(0) == 0)
            return {read.y, heads.before};
        return {read.y, turnedState(read.last, places[-1].neg())};
    }

    /// The rows of S [B, heads, n, m] turned; steps [B or 1, 1], or a number.
    at::Tensor turnedState(const at::Tensor& state, const at::Tensor& steps) const
    {
        return m_rotation.turned(state.transpose(-1, -2), steps.unsqueeze(-1)).transpose(-1, -2);
    }

    at::Tensor stateAfter(const OuterHeads& heads, std::int64_t t, const at::Tensor& state) const
    {
        const at::Tensor back = turnedState(state, at::full({1, 1}, -1.0, state.options().dtype(at::kDouble)));
        return m_decay.view({-1, 1, 1}) * back + heads.k[t].unsqueeze(-1) * heads.v[t].unsqueeze(-2);
    }

    /// [T, B, heads, n, m]
    at::Tensor statesOf(const OuterHeads& heads) const
    {
        const at::NoGradGuard values;
        std::vector<at::Tensor> states;
        at::Tensor state = heads.before;
        for (std::int64_t t = 0; t < heads.k.size(0); ++t) {
            const at::Tensor after = stateAfter(heads, t, state);
            state = heads.mask.defined() ? at::where(heads.mask[t].view({-1, 1, 1, 1}), after, state) : after;
            states.push_back(state);
        }
        return at::stack(states);
    }

    OuterRead editedStep(const PassContext& context, const OuterHeads& heads) const
    {
        const at::Tensor state = context.edited("S", stateAfter(heads, 0, heads.before).unsqueeze(0));
        if (context.wants("S"))
            context.show("S", state);
        return {at::matmul(heads.q.unsqueeze(-2), state).squeeze(-2), state[0]};
    }

    MaskedOutput m_masked;
    std::int64_t m_heads, m_keys, m_factor;
    bool m_centred;
    Rotation m_rotation;
    at::Tensor m_q, m_k; // [units, in]
    at::Tensor m_v, m_g; // [value_factor units, in]
    at::Tensor m_o;      // [units, value_factor units]
    at::Tensor m_decay;  // [heads]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<RetNet>(setup);
}

} // namespace unroll::nodes::retnet
