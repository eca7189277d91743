// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/depthwise.h"
#include "nodes/shared/history.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/outer_heads.h"
#include "nodes/shared/product.h"
#include "nodes/shared/rms_norm.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace unroll::nodes::mamba2 {

namespace {

constexpr double kSmallestStep = 1e-4; // that an initial one is raised to
constexpr double kNormEpsilon = 1e-5;  // the authors'

class Mamba2 final : public Block {
public:
    explicit Mamba2(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_inner(setup.integer("expand") * setup.dimension("input_size")),
          m_states(setup.integer("state_size")),
          m_values(setup.integer("head_size")),
          m_heads(m_inner / m_values),
          m_kernel(setup.integer("kernel_size"))
    {
        const bool bias = setup.boolean("use_bias");
        m_in = {addWeight(setup, "in_proj.weight"), bias ? addWeight(setup, "in_proj.bias") : at::Tensor()};
        m_conv = {addWeight(setup, "conv1d.weight"),
                  setup.boolean("conv_bias") ? addWeight(setup, "conv1d.bias") : at::Tensor()};
        m_stepBias = addWeight("dt_bias", initialSteps(setup));
        m_logA = addWeight(setup, "A_log");
        m_d = addWeight(setup, "D");
        m_gain = addWeight(setup, "norm.weight");
        m_out = {addWeight(setup, "out_proj.weight"), bias ? addWeight(setup, "out_proj.bias") : at::Tensor()};
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        const at::Tensor state = inputs[1].empty() ? initialState(x.size(1)).front() : inputs[1].front();
        editsAny(context, {"S", "a", "delta", "B", "C", "z"}, x, mask);
        const std::int64_t read = m_inner + 2 * m_states, held = m_heads * m_states * m_values;
        const auto parts = product(context, x, m_in.weight, m_in.bias).split_with_sizes({m_inner, read, m_heads}, 2);
        const History history(parts[1], state.narrow(1, held, (m_kernel - 1) * read).unflatten(1, {-1, read}), mask);
        const auto [y, last] = scanned(context, convolved(history), parts[2], state.narrow(1, 0, held), mask);
        const at::Tensor z = shown(context, "z", at::silu(parts[0]));
        const at::Tensor out =
            product(context, rmsNorm(y.flatten(2) * z, m_gain, kNormEpsilon), m_out.weight, m_out.bias);
        return {{m_masked.of(out, mask)}, {at::cat({last.flatten(1), history.last().flatten(1)}, 1)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        const std::int64_t past = (m_kernel - 1) * (m_inner + 2 * m_states);
        return {at::zeros({sequences, m_heads * m_states * m_values + past}, m_d.options().requires_grad(false))};
    }

private:
    struct Layer {
        at::Tensor weight; // [out, in]
        at::Tensor bias;   // [out], or undefined
    };

    /// What softplus takes to steps that are log-uniform between dt_min and dt_max.
    at::Tensor initialSteps(const BlockSetup& setup) const
    {
        at::Tensor logStep = at::empty({m_heads}, at::kDouble);
        logStep.uniform_(std::log(setup.real("dt_min")), std::log(setup.real("dt_max")), setup.init);
        const at::Tensor step = logStep.exp().clamp_min(kSmallestStep);
        return (step + step.neg().expm1().neg().log()).to(setup.dtype);
    }

    /// silu of the short convolution. Its kernel has the oldest step first.
    at::Tensor convolved(const History& history) const
    {
        std::vector<at::Tensor> read;
        for (std::int64_t back = 0; back < m_kernel; ++back)
            read.push_back(history.before(back));
        return at::silu(depthwise(read, m_conv.weight.select(1, 0).flip(1), m_conv.bias));
    }

    /// SSD over x, B and C, side by side in u [T, B, inner + 2 N], with steps [T, B, heads]. D x is in what is read.
    OuterRead scanned(const PassContext& context, const at::Tensor& u, const at::Tensor& steps,
                      const at::Tensor& initial, const at::Tensor& mask) const
    {
        const auto parts = u.split_with_sizes({m_inner, m_states, m_states}, 2);
        const at::Tensor x = parts[0].unflatten(2, {m_heads, m_values});
        const at::Tensor delta = shown(context, "delta", at::softplus(steps + m_stepBias));
        const at::Tensor b = shown(context, "B", parts[1]), c = shown(context, "C", parts[2]);
        const OuterHeads heads{.q = ofHeads(c),
                               .k = ofHeads(b),
                               .v = x * delta.unsqueeze(-1),
                               .a = shown(context, "a", (delta * -m_logA.exp()).exp()),
                               .before = initial.unflatten(1, {m_heads, m_states, m_values}),
                               .mask = mask,
                               .readsMasked = m_masked.reads()};
        const OuterRead read = readHeads(context, heads, {.columns = m_values});
        return {read.y + m_d.unsqueeze(-1) * x, read.last};
    }

    /// [T, B, N] for every head.
    at::Tensor ofHeads(const at::Tensor& shared) const { return shared.unsqueeze(2).expand({-1, -1, m_heads, -1}); }

    /// The value, or what an editor makes of it.
    static at::Tensor shown(const PassContext& context, const char* signal, const at::Tensor& value)
    {
        const at::Tensor made = context.edited(signal, value);
        if (context.wants(signal))
            context.show(signal, made.detach());
        return made;
    }

    MaskedOutput m_masked;
    std::int64_t m_inner, m_states, m_values, m_heads, m_kernel;
    Layer m_in;            // [2 inner + 2 N + heads, in]: the gate, what is convolved, the steps
    Layer m_conv;          // [inner + 2 N, 1, kernel_size]: x, B, C
    at::Tensor m_stepBias; // [heads]
    at::Tensor m_logA;     // [heads]
    at::Tensor m_d;        // [heads]
    at::Tensor m_gain;     // [inner]
    Layer m_out;           // [in, inner]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Mamba2>(setup);
}

} // namespace unroll::nodes::mamba2
