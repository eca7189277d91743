// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/delta_block.h"

#include "nodes/shared/delta_constants.h"
#include "nodes/shared/depthwise.h"
#include "nodes/shared/history.h"
#include "nodes/shared/product.h"
#include "nodes/shared/rms_norm.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace unroll::nodes {

namespace {

/// A signal as it is seen, [T, B, all others side by side], changed where an editor changes it.
at::Tensor shownFlat(const PassContext& context, const char* name, const at::Tensor& value)
{
    const at::Tensor changed = context.edited(name, value.flatten(2));
    if (context.wants(name))
        context.show(name, changed.detach());
    return changed.view_as(value);
}

/// [T substeps, ...] of [T, B, substeps, ...].
at::Tensor oneByOne(const at::Tensor& steps)
{
    return steps.transpose(1, 2).flatten(0, 1);
}

} // namespace

DeltaBlock::DeltaBlock(const BlockSetup& setup, DeltaKind kind)
    : Block(setup),
      m_masked(setup),
      m_kind(kind),
      m_heads(setup.integer("num_heads")),
      m_size(setup.integer("units") / m_heads),
      m_substeps(kind.products ? setup.integer("num_householder") : 1),
      m_kernel(setup.boolean("use_short_conv") ? setup.integer("kernel_size") : 1),
      m_forgets(kind.gated && (!kind.products || setup.boolean("use_forget_gate"))),
      m_strength(setup.boolean("negative_eigenvalues") ? 2 : 1),
      m_q(addWeight(setup, "q_proj.weight")),
      m_k(addWeight(setup, "k_proj.weight")),
      m_v(addWeight(setup, "v_proj.weight")),
      m_b(addWeight(setup, "b_proj.weight"))
{
    if (m_forgets) {
        m_a = addWeight(setup, "a_proj.weight");
        m_logA = addWeight(setup, "A_log");
        at::Tensor step = at::empty({m_heads}, at::kDouble);
        step.uniform_(std::log(kSmallestDeltaStep), std::log(kLargestDeltaStep), setup.init);
        step = step.exp();
        m_stepBias = addWeight("dt_bias", (step + step.neg().expm1().neg().log()).to(setup.dtype));
    }
    if (m_kernel > 1) {
        m_convQ = addWeight(setup, "q_conv1d.weight");
        m_convK = addWeight(setup, "k_conv1d.weight");
        m_convV = addWeight(setup, "v_conv1d.weight");
    }
    if (kind.gated)
        m_gate = addWeight(setup, "g_proj.weight");
    m_gain = addWeight(setup, "o_norm.weight");
    m_o = addWeight(setup, "o_proj.weight");
}

std::vector<Value> DeltaBlock::forward(const std::vector<Value>& inputs, const PassContext& context)
{
    const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
    const at::Tensor state = inputs[1].empty() ? initialState(x.size(1)).front() : inputs[1].front();
    m_kind.gated ? editsAny(context, {"S", "r", "q", "k", "v", "beta", "a", "g"}, x, mask)
                 : editsAny(context, {"S", "r", "q", "k", "v", "beta"}, x, mask);
    const Parts made = parts(context, x, state.narrow(1, held(), state.size(1) - held()), mask);
    const at::Tensor before = state.narrow(1, 0, held()).unflatten(1, {m_heads, m_size, m_size});
    const DeltaRead rule = readDelta(context, headsOf(made, before, mask), {.substeps = m_substeps, .written = "r"});
    const at::Tensor read = m_substeps == 1 ? rule.y : rule.y.unflatten(0, {-1, m_substeps}).select(1, -1);
    at::Tensor normed = rmsNorm(read, m_gain, kDeltaNormEpsilon);
    if (m_kind.gated)
        normed = normed * shownFlat(context, "g", at::silu(product(context, x, m_gate))).view_as(normed);
    const at::Tensor y = product(context, normed.flatten(2), m_o);
    const at::Tensor last = rule.last.flatten(1);
    return {{m_masked.of(y, mask)}, {made.history.defined() ? at::cat({last, made.history}, 1) : last}};
}

Value DeltaBlock::initialState(std::int64_t sequences) const
{
    return {at::zeros({sequences, held() + (m_kernel - 1) * read()}, m_o.options().requires_grad(false))};
}

DeltaBlock::Parts DeltaBlock::parts(const PassContext& context, const at::Tensor& x, const at::Tensor& past,
                                    const at::Tensor& mask) const
{
    Parts made;
    const std::int64_t units = m_heads * m_size;
    PassContext exact = context; // a key of few numbers may be short beside what bf16 rounds
    exact.bf16 = context.bf16 && m_size >= kLeastRoundedKey;
    const at::Tensor projected = product(exact, x, at::cat({m_q, m_k, m_v}));
    const auto u = convolved(projected, past, mask, made.history)
                       .split_with_sizes({units, m_substeps * units, m_substeps * units}, 2);
    const auto ofHeads = [&](const at::Tensor& t) { return t.unflatten(2, {-1, m_heads, m_size}); };
    const double scale = 1 / std::sqrt(static_cast<double>(m_size));
    made.q = shownFlat(context, "q", unitLength(ofHeads(u[0]), kDeltaLengthEpsilon).squeeze(2) * scale);
    made.k = shownFlat(context, "k", unitLength(ofHeads(u[1]), kDeltaLengthEpsilon));
    made.v = shownFlat(context, "v", ofHeads(u[2]));
    const at::Tensor beta = at::sigmoid(product(context, x, m_b)) * m_strength;
    made.beta = shownFlat(context, "beta", beta).unflatten(2, {m_substeps, m_heads});
    if (m_kind.gated)
        made.decay = decay(context, x);
    return made;
}

/// silu of the short convolutions of q, k and v. Their kernels have the oldest step first.
at::Tensor DeltaBlock::convolved(const at::Tensor& projected, const at::Tensor& past, const at::Tensor& mask,
                                 at::Tensor& history) const
{
    if (m_kernel == 1)
        return at::silu(projected);
    const History steps(projected, past.unflatten(1, {m_kernel - 1, read()}), mask);
    std::vector<at::Tensor> taps;
    for (std::int64_t back = 0; back < m_kernel; ++back)
        taps.push_back(steps.before(back));
    history = steps.last().flatten(1);
    return at::silu(depthwise(taps, at::cat({m_convQ, m_convK, m_convV}).select(1, 0).flip(1), {}));
}

/// exp(-A softplus(W_a x + dt_bias)), [T, B, heads]; 1 without a forget gate, and undefined where nobody changes that.
at::Tensor DeltaBlock::decay(const PassContext& context, const at::Tensor& x) const
{
    if (m_forgets)
        return shownFlat(context, "a", (at::softplus(product(context, x, m_a) + m_stepBias) * -m_logA.exp()).exp());
    const bool edited = context.edits("a");
    const at::Tensor made =
        shownFlat(context, "a", at::ones({x.size(0), x.size(1), m_heads}, m_o.options().requires_grad(false)));
    return edited ? made : at::Tensor();
}

DeltaHeads DeltaBlock::headsOf(const Parts& parts, const at::Tensor& before, const at::Tensor& mask) const
{
    at::Tensor strength = parts.beta, q = parts.q.unsqueeze(2); // [T, B, substeps, heads], [T, B, substeps, heads, n]
    at::Tensor decay = parts.decay.defined() ? parts.decay.unsqueeze(2) : parts.decay;
    if (m_substeps > 1) {
        const at::Tensor none = at::zeros({}, q.options().requires_grad(false));
        q = at::cat({none.expand({q.size(0), q.size(1), m_substeps - 1, m_heads, m_size}), q}, 2);
        if (decay.defined())
            decay = at::cat({decay, (none + 1).expand({q.size(0), q.size(1), m_substeps - 1, m_heads})}, 2);
    }
    if (decay.defined())
        strength = strength * decay;
    DeltaHeads heads{.q = oneByOne(q),
                     .k = oneByOne(parts.k),
                     .z = oneByOne(strength.neg().unsqueeze(-1) * parts.k),
                     .v = oneByOne(parts.v * parts.beta.unsqueeze(-1)),
                     .b = {},
                     .w = {},
                     .before = before,
                     .mask = mask,
                     .readsMasked = m_masked.reads()};
    if (decay.defined())
        heads.w = oneByOne(decay);
    if (mask.defined() && m_substeps > 1)
        heads.mask = mask.repeat_interleave(m_substeps, 0);
    return heads;
}

} // namespace unroll::nodes
