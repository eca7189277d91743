// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/outer_scan/outer_scan.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/outer_heads.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cummax.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

namespace unroll::nodes::mlstm {

namespace {

constexpr std::int64_t kLeastRoundedHead = 16; // values of a head from which on bf16 may be asked of its product

constexpr double kEpsilon = 1e-6; ///< of the divisor and of the norm, the authors'

/// Gates of each head, [T, B, heads] each.
struct Gates {
    at::Tensor input;   ///< the logarithm of the input gate
    at::Tensor logKept; ///< of the forget gate
};

/// The same after scaling by exp(m).
struct Scaled {
    at::Tensor m, i, f;
};

/// The memory before the first step: S with n as a column beside it, [B, heads, d, d + 1], and m, [B, heads].
struct Memory {
    at::Tensor joined, m;
};

class Mlstm final : public Block {
public:
    explicit Mlstm(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_heads(setup.integer("num_heads")),
          m_size(setup.integer("units") / m_heads),
          m_cap(setup.real("gate_soft_cap")),
          m_q(addWeight(setup, "q.weight")),
          m_k(addWeight(setup, "k.weight")),
          m_v(addWeight(setup, "v.weight")),
          m_output(addWeight(setup, "ogate_preact.weight")),
          m_input(addWeight(setup, "igate_preact.weight")),
          m_inputBias(addWeight(setup, "igate_preact.bias")),
          m_forget(addWeight(setup, "fgate_preact.weight")),
          m_forgetBias(addWeight("fgate_preact.bias", at::linspace(3, 6, m_heads, at::kDouble).to(setup.dtype))),
          m_gain(addWeight(setup, "multihead_norm.weight")),
          m_o(addWeight(setup, "out_proj.weight"))
    {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        const at::Tensor state = inputs[1].empty() ? initialState(x.size(1)).front() : inputs[1].front();
        const bool isEdited = editsAny(context, {"S", "n", "m", "i", "f", "o", "q", "k", "v"}, x, mask);
        PassContext exact = context; // the norm of a head of few values magnifies what bf16 rounds
        exact.bf16 = context.bf16 && m_size >= kLeastRoundedHead;
        const at::Tensor parts =
            product(exact, x, at::cat({m_q, m_k, m_v, m_output})).unflatten(-1, {4, m_heads, m_size});
        const double scale = 1 / std::sqrt(static_cast<double>(m_size));
        const OuterHeads heads{.q = signalOfHeads(context, "q", parts.select(2, 0) * scale),
                               .k = signalOfHeads(context, "k", parts.select(2, 1)),
                               .v = signalOfHeads(context, "v", parts.select(2, 2)),
                               .a = {},
                               .before = {},
                               .mask = mask,
                               .readsMasked = m_masked.reads()};
        const at::Tensor open = signalOfHeads(context, "o", at::sigmoid(parts.select(2, 3)));
        const Gates gates = gatesOf(context, x);
        const Memory before = memoryOf(state);
        const auto [read, last] =
            isEdited ? editedStep(context, heads, gates, before) : scanned(context, heads, gates, before);
        const at::Tensor y = product(context, (normed(read) * open).flatten(2), m_o);
        return {{m_masked.of(y, mask)}, {at::cat({last.joined.flatten(1), last.m}, 1)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_heads * m_size * (m_size + 1) + m_heads}, m_o.options().requires_grad(false))};
    }

    /// Each head's S and n, then every m.
    std::vector<std::int64_t> stabilisers() const override
    {
        const std::int64_t each = m_size * (m_size + 1), held = m_heads * each;
        std::vector<std::int64_t> places;
        for (std::int64_t head = 0; head < m_heads; ++head)
            places.insert(places.end(), static_cast<std::size_t>(each), held + head);
        for (std::int64_t head = 0; head < m_heads; ++head)
            places.push_back(held + head);
        return places;
    }

private:
    struct Read {
        at::Tensor read; // [T, B, heads, d]
        Memory last;
    };

    Memory memoryOf(const at::Tensor& state) const
    {
        const std::int64_t held = m_heads * m_size * (m_size + 1);
        return {state.narrow(1, 0, held).unflatten(1, {m_heads, m_size, m_size + 1}), state.narrow(1, held, m_heads)};
    }

    Gates gatesOf(const PassContext& context, const at::Tensor& x) const
    {
        const at::Tensor made = product(context, x, at::cat({m_input, m_forget}), at::cat({m_inputBias, m_forgetBias}));
        const auto both = (m_cap > 0 ? at::tanh(made / m_cap) * m_cap : made).chunk(2, -1);
        return {both[0], at::log_sigmoid(both[1])};
    }

    /// m_t = max(ln f + m_{t-1}, ĩ) of all steps, [T, B, heads]: with the sums F of ln f it is F_t + max(m_0, ĩ_s - F_s
    /// over s <= t). In fp64, since F grows with the steps and m is what is left of it.
    static at::Tensor stabilisers(const Gates& gates, const at::Tensor& before, const at::Tensor& mask)
    {
        const at::Tensor real = mask.defined() ? mask.unsqueeze(-1) : mask;
        at::Tensor logKept = gates.logKept.to(at::kDouble), input = gates.input.to(at::kDouble);
        if (real.defined())
            logKept = at::where(real, logKept, 0);
        const at::Tensor sums = logKept.cumsum(0);
        at::Tensor entering = input - sums;
        if (real.defined())
            entering = at::where(real, entering, -std::numeric_limits<double>::infinity());
        const at::Tensor all = at::cat({before.to(at::kDouble).unsqueeze(0), entering});
        const at::Tensor largest = std::get<0>(at::cummax(all, 0)).narrow(0, 1, sums.size(0));
        return (sums + largest).to(gates.input.scalar_type());
    }

    /// By m of each step and of the one before it.
    static Scaled scaledBy(const Gates& gates, const at::Tensor& m, const at::Tensor& earlier)
    {
        return {m, (gates.input - m).clamp_max(0).exp(), (gates.logKept + earlier - m).clamp_max(0).exp()};
    }

    Read scanned(const PassContext& context, OuterHeads heads, const Gates& gates, const Memory& before) const
    {
        const at::Tensor m = stabilisers(gates, before.m, heads.mask);
        const std::int64_t steps = m.size(0);
        const at::Tensor earlier = at::cat({before.m.unsqueeze(0), m}).narrow(0, 0, steps);
        const Scaled scaled = scaledBy(gates, m, earlier);
        heads.k = heads.k * scaled.i.unsqueeze(-1);
        heads.v = at::cat({heads.v, at::ones_like(heads.v.narrow(-1, 0, 1))}, -1);
        heads.a = scaled.f;
        const OuterHeads walked = walkedHeads(heads);
        const auto scan =
            kernels::outerScan(walked.q, walked.k, walked.v, walked.a, before.joined, whereDefined(walked.mask));
        showAll(context, heads, scaled, before);
        return {divided(scan.y, m), {scan.last, steps > 0 ? m[steps - 1] : before.m}};
    }

    /// What was read of S, by what was read of n, but by no less than exp(-m), which is 1 before scaling.
    at::Tensor divided(const at::Tensor& read, const at::Tensor& m) const
    {
        const at::Tensor weight = read.narrow(-1, m_size, 1);
        return read.narrow(-1, 0, m_size) / (at::maximum(weight.abs(), m.neg().exp().unsqueeze(-1)) + kEpsilon);
    }

    at::Tensor normed(const at::Tensor& read) const
    {
        return at::layer_norm(read, {m_size}, {}, {}, kEpsilon) * m_gain.view({m_heads, m_size});
    }

    static void show(const PassContext& context, const char* signal, const at::Tensor& value)
    {
        if (context.wants(signal))
            context.show(signal, value.detach());
    }

    void showAll(const PassContext& context, const OuterHeads& heads, const Scaled& scaled, const Memory& before) const
    {
        show(context, "m", scaled.m);
        show(context, "i", scaled.i);
        show(context, "f", scaled.f);
        if (!context.wants("S") && !context.wants("n"))
            return;
        const at::NoGradGuard values;
        std::vector<at::Tensor> states;
        at::Tensor state = before.joined;
        for (std::int64_t t = 0; t < heads.k.size(0); ++t) {
            const at::Tensor kept = scaled.f[t].unsqueeze(-1).unsqueeze(-1) * state;
            const at::Tensor after = kept + heads.k[t].unsqueeze(-1) * heads.v[t].unsqueeze(-2);
            state = heads.mask.defined() ? at::where(heads.mask[t].view({-1, 1, 1, 1}), after, state) : after;
            states.push_back(state);
        }
        const at::Tensor all = at::stack(states);
        show(context, "S", all.narrow(-1, 0, m_size));
        show(context, "n", all.select(-1, m_size).flatten(2));
    }

    /// One step by the formulas, with what an editor makes of its signals.
    Read editedStep(const PassContext& context, const OuterHeads& heads, const Gates& gates, const Memory& before) const
    {
        const auto changed = [&](const char* signal, const at::Tensor& value) {
            const at::Tensor made = context.edited(signal, value);
            show(context, signal, made);
            return made;
        };
        const at::Tensor earlier = before.m.unsqueeze(0), joined = before.joined.unsqueeze(0);
        const at::Tensor m = changed("m", at::maximum(gates.logKept + earlier, gates.input));
        const Scaled scaled = scaledBy(gates, m, earlier);
        const at::Tensor i = changed("i", scaled.i).unsqueeze(-1), f = changed("f", scaled.f).unsqueeze(-1);
        const at::Tensor added = (i * heads.k).unsqueeze(-1) * heads.v.unsqueeze(-2);
        const at::Tensor S = changed("S", f.unsqueeze(-1) * joined.narrow(-1, 0, m_size) + added);
        const at::Tensor sum = f * joined.select(-1, m_size) + i * heads.k;
        const at::Tensor n = changed("n", sum.flatten(2)).view(sum.sizes());
        const at::Tensor after = at::cat({S, n.unsqueeze(-1)}, -1);
        const at::Tensor read = (heads.q.unsqueeze(-1) * after).sum(-2);
        return {divided(read, m), {after[0], m[0]}};
    }

    MaskedOutput m_masked;
    std::int64_t m_heads, m_size;
    double m_cap;                      // 0: none
    at::Tensor m_q, m_k, m_v;          // [units, in]
    at::Tensor m_output;               // [units, in]
    at::Tensor m_input, m_inputBias;   // [heads, in], [heads]
    at::Tensor m_forget, m_forgetBias; // [heads, in], [heads]
    at::Tensor m_gain;                 // [units]
    at::Tensor m_o;                    // [units, units]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Mlstm>(setup);
}

} // namespace unroll::nodes::mlstm
