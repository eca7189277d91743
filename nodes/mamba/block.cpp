// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/diag_scan/diag_scan.h"
#include "nodes/shared/depthwise.h"
#include "nodes/shared/history.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace unroll::nodes::mamba {

namespace {

constexpr double kSmallestStep = 1e-4; // that an initial one is raised to

/// What the selective scan gives.
struct Scanned {
    at::Tensor y;    // [T, B, inner]
    at::Tensor last; // [B, inner N]
};

class Mamba final : public Block {
public:
    explicit Mamba(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_inner(setup.integer("expand") * setup.dimension("input_size")),
          m_states(setup.integer("state_size")),
          m_kernel(setup.integer("kernel_size"))
    {
        const bool bias = setup.boolean("use_bias");
        m_in = {addWeight(setup, "in_proj.weight"), bias ? addWeight(setup, "in_proj.bias") : at::Tensor()};
        m_conv = {addWeight(setup, "conv1d.weight"),
                  setup.boolean("conv_bias") ? addWeight(setup, "conv1d.bias") : at::Tensor()};
        m_select = addWeight(setup, "x_proj.weight");
        m_step.weight = addWeight(setup, "dt_proj.weight");
        m_step.bias = addWeight("dt_proj.bias", initialSteps(setup));
        const at::Tensor rates = at::arange(1, m_states + 1, at::kDouble).log();
        m_logA = addWeight("A_log", rates.to(setup.dtype).repeat({m_inner, 1}));
        m_d = addWeight(setup, "D");
        m_out = {addWeight(setup, "out_proj.weight"), bias ? addWeight(setup, "out_proj.bias") : at::Tensor()};
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        const at::Tensor state = inputs[1].empty() ? initialState(x.size(1)).front() : inputs[1].front();
        const bool isEdited = editsAny(context, {"h", "a", "delta", "B", "C", "z"}, x, mask);
        const auto branches = product(context, x, m_in.weight, m_in.bias).split(m_inner, 2);
        const std::int64_t held = m_inner * m_states;
        const History history(branches[0], state.narrow(1, held, (m_kernel - 1) * m_inner).unflatten(1, {-1, m_inner}),
                              mask);
        const auto [y, last] = scanned(context, convolved(history), state.narrow(1, 0, held), mask, isEdited);
        const at::Tensor z = shown(context, "z", at::silu(branches[1]));
        const at::Tensor out = product(context, y * z, m_out.weight, m_out.bias);
        return {{m_masked.of(out, mask)}, {at::cat({last, history.last().flatten(1)}, 1)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_inner * (m_states + m_kernel - 1)}, m_d.options().requires_grad(false))};
    }

private:
    struct Layer {
        at::Tensor weight; // [out, in]
        at::Tensor bias;   // [out], or undefined
    };

    /// What softplus takes to steps that are log-uniform between dt_min and dt_max.
    at::Tensor initialSteps(const BlockSetup& setup) const
    {
        at::Tensor logStep = at::empty({m_inner}, at::kDouble);
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

    /// S6: steps, B and C are made of u [T, B, inner], which drives N states a feature.
    Scanned scanned(const PassContext& context, const at::Tensor& u, const at::Tensor& initial, const at::Tensor& mask,
                    bool isEdited) const
    {
        const std::int64_t rank = m_step.weight.size(1);
        const auto parts = product(context, u, m_select).split_with_sizes({rank, m_states, m_states}, 2);
        const at::Tensor delta =
            shown(context, "delta", at::softplus(product(context, parts[0], m_step.weight, m_step.bias)));
        const at::Tensor b = shown(context, "B", parts[1]), c = shown(context, "C", parts[2]);
        const at::Tensor a = shown(context, "a", (delta.unsqueeze(-1) * -m_logA.exp()).exp().flatten(2));
        const auto scan =
            kernels::diagScan(a, ((delta * u).unsqueeze(-1) * b.unsqueeze(2)).flatten(2), initial, whereDefined(mask));
        const at::Tensor matrix = scan.h.unflatten(2, {1, m_inner, m_states});
        const at::Tensor h = shown(context, "h", matrix).squeeze(2);
        const at::Tensor y = at::matmul(h, c.unsqueeze(-1)).squeeze(-1);
        return {y + m_d * u, isEdited ? h.select(0, 0).flatten(1) : scan.last};
    }

    /// The value, or what an editor makes of it.
    static at::Tensor shown(const PassContext& context, const char* signal, const at::Tensor& value)
    {
        const at::Tensor made = context.edited(signal, value);
        if (context.wants(signal))
            context.show(signal, made.detach());
        return made;
    }

    MaskedOutput m_masked;
    std::int64_t m_inner, m_states, m_kernel;
    Layer m_in;          // [2 inner, in]: what is convolved, then the gate
    Layer m_conv;        // [inner, 1, kernel_size]
    at::Tensor m_select; // [dt_rank + 2 N, inner]: d, B, C
    Layer m_step;        // [inner, dt_rank]
    at::Tensor m_logA;   // [inner, N]
    at::Tensor m_d;      // [inner]
    Layer m_out;         // [in, inner]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Mamba>(setup);
}

} // namespace unroll::nodes::mamba
