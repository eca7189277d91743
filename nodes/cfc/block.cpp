// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cfc_steps/cfc_steps.h"
#include "nodes/cfc/kernel.h"
#include "nodes/shared/cell_walk.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/product.h"
#include "nodes/shared/step_signals.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <utility>

namespace unroll::nodes::cfc {

namespace {

struct Layer {
    at::Tensor weight; // [out, in]
    at::Tensor bias;   // [out]
};

/// A step: the state, and what it is made of, [B, units] each.
struct Step {
    at::Tensor h, u, v, g;
};

at::Tensor activated(const std::string& kind, const at::Tensor& a)
{
    if (kind == "lecun_tanh")
        return at::tanh(a * 0.666) * 1.7159;
    if (kind == "tanh")
        return at::tanh(a);
    if (kind == "relu")
        return at::relu(a);
    return kind == "silu" ? at::silu(a) : at::gelu(a);
}

class Cfc final : public Block {
public:
    explicit Cfc(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_units(setup.integer("units")),
          m_mode(setup.text("mode")),
          m_activation(setup.text("backbone_activation")),
          m_hasKernel(hasKernel(setup.params))
    {
        for (std::int64_t layer = 0; layer < setup.integer("backbone_layers"); ++layer)
            m_backbone.push_back(layerOf(setup, "backbone." + std::to_string(2 * layer)));
        m_heads.push_back(layerOf(setup, "ff1"));
        if (m_mode != "pure") {
            for (const char* name : {"ff2", "time_a", "time_b"})
                m_heads.push_back(layerOf(setup, name));
            return;
        }
        m_rate = addWeight(setup, "w_tau");
        m_rest = addWeight(setup, "A");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        const bool isEdited = editsAny(context, {"h", "u", "v", "g"}, x, mask);
        StepSignals signals(context, {"h", "u", "v", "g"});
        const bool byKernel = m_hasKernel && takesCellSteps(x) && !isEdited;
        const Layer heads = byKernel ? Layer{} : joined();
        const Layer& first = m_backbone.empty() ? heads : m_backbone.front();
        const std::int64_t in = x.size(2);
        const Steps steps{
            product(context, x, first.weight.narrow(1, 0, in), first.bias), first.weight.narrow(1, in, m_units),
            inputs[1].empty() ? initialState(x.size(1)).front() : inputs[1].front(), mask, only(inputs[3])};
        const Walked walked = byKernel ? walkByKernel(steps, signals) : walk(context, steps, heads, signals);
        signals.show();
        return {{m_masked.of(walked.states, mask)}, {walked.last}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_units}, m_heads.front().weight.options().requires_grad(false))};
    }

private:
    /// Of a sequence: what the first layer makes of x and its weight for h, and what is given.
    struct Steps {
        at::Tensor inputs, ofState, state, mask, spans;
    };
    struct Walked {
        at::Tensor states, last;
    };

    Walked walkByKernel(const Steps& steps, StepSignals& signals) const
    {
        std::vector<at::Tensor> heads, biases;
        for (const Layer& head : m_heads) {
            heads.push_back(head.weight);
            biases.push_back(head.bias);
        }
        const std::vector<std::int64_t> ofUnits{steps.inputs.size(0), steps.inputs.size(1), m_units};
        const at::Tensor spans = steps.spans.defined() ? steps.spans.expand(ofUnits) : at::Tensor();
        const kernels::CfcStepsResult result = kernels::cfcSteps({.u = steps.inputs,
                                                                  .weight = steps.ofState,
                                                                  .heads = std::move(heads),
                                                                  .bias = at::cat(biases),
                                                                  .time = whereDefined(spans),
                                                                  .initial = steps.state,
                                                                  .mask = whereDefined(steps.mask),
                                                                  .activation = m_activation,
                                                                  .gated = m_mode == "default"});
        if (signals.any()) {
            const auto sums = result.walked.narrow(2, m_units + steps.ofState.size(0), 4 * m_units).chunk(4, 2);
            const at::Tensor slope = spans.defined() ? sums[2] * spans : sums[2];
            signals.addWalk({result.h, at::tanh(sums[0]), at::tanh(sums[1]), at::sigmoid(slope + sums[3])});
        }
        return {result.h, result.last};
    }

    Walked walk(const PassContext& context, const Steps& steps, const Layer& heads, StepSignals& signals) const
    {
        const at::Tensor ofState = steps.ofState.t();
        const auto inputs = steps.inputs.unbind(0);
        const auto real = steps.mask.defined() ? steps.mask.unsqueeze(-1).unbind(0) : std::vector<at::Tensor>();
        const auto times = steps.spans.defined() ? steps.spans.unbind(0) : std::vector<at::Tensor>();
        at::Tensor h = steps.state;
        std::vector<at::Tensor> outputs;
        for (std::size_t t = 0; t < inputs.size(); ++t) {
            const at::Tensor sums = throughLayers(at::addmm(inputs[t], h, ofState), heads);
            const Step next =
                step(context, sums, times.empty() ? at::ones({}, h.options().requires_grad(false)) : times[t]);
            h = real.empty() ? next.h : at::where(real[t], next.h, h);
            outputs.push_back(h);
            if (signals.any())
                signals.add({h, next.u, next.v, next.g});
        }
        signals.endWalk(false);
        return {at::stack(outputs), h};
    }

    Layer layerOf(const BlockSetup& setup, const std::string& name)
    {
        const at::Tensor weight = addWeight(setup, name + ".weight");
        return {weight, addWeight(setup, name + ".bias")};
    }

    /// The last layers as one.
    Layer joined() const
    {
        std::vector<at::Tensor> weights, biases;
        for (const Layer& head : m_heads) {
            weights.push_back(head.weight);
            biases.push_back(head.bias);
        }
        return {at::cat(weights), at::cat(biases)};
    }

    /// From the first layer's sums to those of the last ones.
    at::Tensor throughLayers(at::Tensor sums, const Layer& heads) const
    {
        if (m_backbone.empty())
            return sums;
        for (std::size_t layer = 1; layer <= m_backbone.size(); ++layer) {
            const Layer& next = layer < m_backbone.size() ? m_backbone[layer] : heads;
            sums = at::addmm(next.bias, activated(m_activation, sums), next.weight.t());
        }
        return sums;
    }

    /// `time` [B, 1 or units], or one number.
    Step step(const PassContext& context, const at::Tensor& sums, const at::Tensor& time) const
    {
        const auto edited = [&](const char* signal, const at::Tensor& value) {
            return context.edits(signal) ? context.edited(signal, value.unsqueeze(0)).squeeze(0) : value;
        };
        if (m_mode == "pure") {
            const at::Tensor u = edited("u", sums), v = edited("v", m_rest.expand_as(sums));
            const at::Tensor g = edited("g", (time * (m_rate.abs() + u.abs())).neg().exp());
            return {edited("h", v - v * g * u), u, v, g};
        }
        const auto parts = sums.chunk(4, 1);
        const at::Tensor u = edited("u", at::tanh(parts[0])), v = edited("v", at::tanh(parts[1]));
        const at::Tensor g = edited("g", at::sigmoid(parts[2] * time + parts[3]));
        return {edited("h", m_mode == "no_gate" ? u + g * v : u * (1 - g) + g * v), u, v, g};
    }

    MaskedOutput m_masked;
    std::int64_t m_units;
    std::string m_mode, m_activation;
    bool m_hasKernel;
    std::vector<Layer> m_backbone; // [backbone_units, in + units], then [backbone_units, backbone_units]
    std::vector<Layer> m_heads;    // [units, backbone_units], or [units, in + units] without a backbone
    at::Tensor m_rate, m_rest;     // [1, units], of pure
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Cfc>(setup);
}

} // namespace unroll::nodes::cfc
