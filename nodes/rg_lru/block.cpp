// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/diag_scan/diag_scan.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/product.h"
#include "nodes/shared/ring.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <limits>

namespace unroll::nodes::rg_lru {

namespace {

constexpr double kSharpness = 8; // c of the paper

class RgLru final : public Block {
public:
    explicit RgLru(const BlockSetup& setup) : Block(setup), m_masked(setup), m_heads(setup.integer("num_heads"))
    {
        m_a = addWeight("a_param", initialDecay(setup));
        m_inputWeight = addWeight(setup, "input_gate.w");
        m_inputBias = addWeight(setup, "input_gate.b");
        m_aWeight = addWeight(setup, "a_gate.w");
        m_aBias = addWeight(setup, "a_gate.b");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), initial = only(inputs[1]), mask = only(inputs[2]);
        const auto [i, r] = gates(context, x);
        if (editsAny(context, {"h", "a", "r", "i"}, x, mask))
            return editedStep(context, x, i, r, initial);
        const at::Tensor logA = logDecay(r), a = logA.exp();
        const auto scan = kernels::diagScan(a, entering(logA, i, x), whereDefined(initial), whereDefined(mask));
        show(context, "h", scan.h);
        show(context, "a", a);
        show(context, "r", r);
        show(context, "i", i);
        return {{m_masked.of(scan.h, mask)}, {scan.last}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_a.size(0)}, m_a.options().requires_grad(false))};
    }

private:
    /// ln(exp(-p ln |a|) - 1): what softplus takes to -p ln |a|, |a| drawn from the ring.
    static at::Tensor initialDecay(const BlockSetup& setup)
    {
        const Ring ring{setup.real("min_rad"), setup.real("max_rad")};
        at::Tensor square = at::empty({setup.dimension("input_size")}, at::kDouble);
        square.uniform_(ring.least(), ring.most(), setup.init);
        const double power = setup.text("ring_of") == "a" ? 1 : 1 / kSharpness;
        return (square.log() * (-power / 2)).expm1().log().to(setup.dtype);
    }

    /// Input gate and recurrence gate, [T, B, width] each: one product for the features of each head.
    std::pair<at::Tensor, at::Tensor> gates(const PassContext& context, const at::Tensor& x) const
    {
        const std::int64_t n = m_inputWeight.size(2);
        const at::Tensor rows = x.reshape({-1, m_heads, n}).transpose(0, 1); // [heads, T B, n]
        const at::Tensor weight = at::cat({m_inputWeight, m_aWeight}, 2), bias = at::cat({m_inputBias, m_aBias}, 1);
        const at::Tensor sums =
            at::bmm(factor(context, rows), factor(context, weight)).to(weight.scalar_type()) + bias.unsqueeze(1);
        const at::Tensor both = sums.transpose(0, 1); // [T B, heads, 2 n]
        return {at::sigmoid(both.narrow(2, 0, n).reshape(x.sizes())),
                at::sigmoid(both.narrow(2, n, n).reshape(x.sizes()))};
    }

    at::Tensor logDecay(const at::Tensor& r) const { return r * (at::softplus(m_a) * -kSharpness); }

    /// sqrt(1 - a²) (i x). At a = 1 the root's slope is infinite, and nothing enters.
    static at::Tensor entering(const at::Tensor& logA, const at::Tensor& i, const at::Tensor& x)
    {
        constexpr double least = std::numeric_limits<float>::min();
        return (logA * 2).expm1().neg().clamp_min(least).sqrt() * (i * x);
    }

    /// One step by the formulas, with what an editor makes of its signals. What enters follows from the a that was
    /// edited.
    std::vector<Value> editedStep(const PassContext& context, const at::Tensor& x, const at::Tensor& input,
                                  const at::Tensor& recurrence, const at::Tensor& initial) const
    {
        const at::Tensor i = context.edited("i", input), logA = logDecay(context.edited("r", recurrence));
        const at::Tensor a = context.edited("a", logA.exp());
        const at::Tensor before = initial.defined() ? initial.unsqueeze(0) : at::zeros_like(x);
        const at::Tensor b = context.edits("a") ? (1 - a * a).clamp_min(0).sqrt() * (i * x) : entering(logA, i, x);
        const at::Tensor h = context.edited("h", a * before + b);
        return {{h}, {h.select(0, 0)}};
    }

    static void show(const PassContext& context, const char* signal, const at::Tensor& value)
    {
        if (context.wants(signal))
            context.show(signal, value.detach());
    }

    MaskedOutput m_masked;
    std::int64_t m_heads;
    at::Tensor m_a;                      // [width]
    at::Tensor m_inputWeight, m_aWeight; // [heads, n, n], input features first
    at::Tensor m_inputBias, m_aBias;     // [heads, n]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<RgLru>(setup);
}

} // namespace unroll::nodes::rg_lru
