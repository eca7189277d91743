// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/delta_heads.h"
#include "nodes/shared/history.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/outer_heads.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace unroll::nodes::rwkv7 {

namespace {

constexpr double kNormEpsilon = 64e-5;              // the authors'
constexpr double kSmallestLength = 1e-12;           // that a key is divided by, as torch's normalize
constexpr double kSlowestRate = 0.6065306597126334; // exp(-1/2): the decay is above exp of minus that

/// Initial values of the authors, feature by feature, in fp64.
class Beginning {
public:
    explicit Beginning(const BlockSetup& setup)
        : m_width(setup.dimension("input_size")),
          m_size(setup.integer("head_size")),
          m_type(setup.dtype),
          m_ahead(1 - static_cast<double>(setup.integer("layer")) / static_cast<double>(setup.integer("layers"))),
          m_depth(setup.integer("layers") == 1
                      ? 0
                      : static_cast<double>(setup.integer("layer")) / static_cast<double>(setup.integer("layers") - 1)),
          m_index(at::arange(m_width, at::kDouble))
    {}

    at::Tensor mixture(double power) const
    {
        return shaped(1 - (m_index / static_cast<double>(m_width)).pow(power * m_ahead));
    }
    at::Tensor decay() const { return shaped(6 * ramp().pow(1 + std::pow(m_depth, 0.3)) - 5.5 + 2.5 * zigzag()); }
    at::Tensor rate() const { return shaped(0.3 * zigzag() + 0.4 * (ramp() - 0.5) - 0.19); }
    at::Tensor valueRate() const { return shaped(0.73 - 0.4 * (ramp() - 0.5)); }
    at::Tensor keyScale() const { return shaped(0.71 - 0.1 * (ramp() - 0.5)); }

private:
    at::Tensor ramp() const { return m_index / static_cast<double>(std::max<std::int64_t>(1, m_width - 1)); }
    /// Through each head from -1 to 1, flat in the middle.
    at::Tensor zigzag() const
    {
        const double half = std::max(0.5, static_cast<double>(m_size - 1) / 2);
        const at::Tensor line = (m_index.remainder(m_size) - static_cast<double>(m_size - 1) / 2) / half;
        return line * line.abs();
    }
    at::Tensor shaped(const at::Tensor& values) const { return values.view({1, 1, m_width}).to(m_type); }

    std::int64_t m_width, m_size;
    at::ScalarType m_type;
    double m_ahead, m_depth; // 1 to nearly 0, and 0 to 1, over the layers
    at::Tensor m_index;
};

class Rwkv7 final : public Block {
public:
    explicit Rwkv7(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_width(setup.dimension("input_size")),
          m_size(setup.integer("head_size")),
          m_heads(m_width / m_size),
          m_givesValues(setup.boolean("value_residual"))
    {
        const Beginning begin(setup);
        m_mixR = addWeight("x_r", begin.mixture(0.2));
        m_mixW = addWeight("x_w", begin.mixture(0.9));
        m_mixK = addWeight("x_k", begin.mixture(0.7));
        m_mixV = addWeight("x_v", begin.mixture(0.7));
        m_mixA = addWeight("x_a", begin.mixture(0.9));
        m_mixG = addWeight("x_g", begin.mixture(0.2));
        m_w = {addWeight(setup, "w1"), addWeight(setup, "w2"), addWeight("w0", begin.decay())};
        m_a = {addWeight(setup, "a1"), addWeight(setup, "a2"), addWeight("a0", begin.rate())};
        if (setup.inputs.contains("v_first"))
            m_v = {addWeight(setup, "v1"), addWeight(setup, "v2"), addWeight("v0", begin.valueRate())};
        m_g = {addWeight(setup, "g1"), addWeight(setup, "g2"), {}};
        m_keyScale = addWeight("k_k", begin.keyScale());
        m_keyRate = addWeight(setup, "k_a");
        m_bonus = addWeight(setup, "r_k");
        m_receptance = addWeight(setup, "receptance.weight");
        m_key = addWeight(setup, "key.weight");
        m_value = addWeight(setup, "value.weight");
        m_output = addWeight(setup, "output.weight");
        m_gain = addWeight(setup, "ln_x.weight");
        m_shift = addWeight(setup, "ln_x.bias");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]), first = only(inputs[3]);
        const at::Tensor state = inputs[1].empty() ? initialState(x.size(1)).front() : inputs[1].front();
        editsAny(context, {"S", "w", "a", "kappa", "r", "k", "v", "g"}, x, mask);
        const History history(x, state.narrow(1, held(), m_width).unsqueeze(1), mask);
        const at::Tensor difference = history.before(1) - x;
        const auto mixed = [&](const at::Tensor& mix) { return x + difference * mix; };
        const DeltaHeads heads = headsOf(context, mixed, first, state, mask);
        const at::Tensor bonus = (heads.q * heads.k * m_bonus).sum(-1, /*keepdim=*/true) * heads.v;
        const at::Tensor made =
            product(context, at::sigmoid(product(context, mixed(m_mixG), m_g.first.t())), m_g.second.t());
        const at::Tensor gate = signalOfHeads(context, "g", ofHeads(made));
        const DeltaRead read = readDelta(context, heads, {});
        const at::Tensor y = product(context, ((normed(read.y) + bonus) * gate).flatten(2), m_output);
        std::vector<Value> outputs{
            {m_masked.of(y, mask)}, {at::cat({read.last.flatten(1), history.last().flatten(1)}, 1)}, {}};
        if (m_givesValues)
            outputs.back() = {m_masked.of(heads.v.flatten(2), mask)};
        return outputs;
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, held() + m_width}, m_output.options().requires_grad(false))};
    }

private:
    struct LowRank {
        at::Tensor first, second; // [in, rank], [rank, in]
        at::Tensor bias;          // [1, 1, in], or undefined
    };

    /// [T, B, in]; `first` is v of the first layer, or undefined.
    at::Tensor valuesOf(const PassContext& context, const at::Tensor& x, const at::Tensor& first) const
    {
        const at::Tensor own = product(context, x, m_value);
        if (!first.defined())
            return own;
        const at::Tensor share = product(context, product(context, x, m_v.first.t()), m_v.second.t()) + m_v.bias;
        return own + (first - own) * at::sigmoid(share);
    }

    template <class Mixed>
    DeltaHeads headsOf(const PassContext& context, const Mixed& mixed, const at::Tensor& first, const at::Tensor& state,
                       const at::Tensor& mask) const
    {
        const at::Tensor plainKey = product(context, mixed(m_mixK), m_key);
        const at::Tensor slow = at::tanh(product(context, mixed(m_mixW), m_w.first.t()));
        const at::Tensor decay = at::sigmoid(product(context, slow, m_w.second.t()) + m_w.bias) * -kSlowestRate;
        const at::Tensor rates =
            product(context, product(context, mixed(m_mixA), m_a.first.t()), m_a.second.t()) + m_a.bias;
        const at::Tensor a = signalOfHeads(context, "a", ofHeads(at::sigmoid(rates)));
        const at::Tensor removed = ofHeads(plainKey * m_keyScale);
        const at::Tensor length = removed.norm(2, {-1}, /*keepdim=*/true).clamp_min(kSmallestLength);
        const at::Tensor kappa = signalOfHeads(context, "kappa", removed / length);
        const at::Tensor stored = ofHeads(plainKey) * (1 + (a - 1) * m_keyRate.view({m_heads, m_size}));
        return {.q = signalOfHeads(context, "r", ofHeads(product(context, mixed(m_mixR), m_receptance))),
                .k = signalOfHeads(context, "k", stored),
                .z = kappa.neg(),
                .v = signalOfHeads(context, "v", ofHeads(valuesOf(context, mixed(m_mixV), first))),
                .b = kappa * a,
                .w = signalOfHeads(context, "w", ofHeads(decay.exp())),
                .before = state.narrow(1, 0, held()).unflatten(1, {m_heads, m_size, m_size}),
                .mask = mask,
                .readsMasked = m_masked.reads()};
    }

    /// Each head by itself.
    at::Tensor normed(const at::Tensor& y) const
    {
        return at::layer_norm(y, {m_size}, {}, {}, kNormEpsilon) * m_gain.view({m_heads, m_size}) +
               m_shift.view({m_heads, m_size});
    }

    at::Tensor ofHeads(const at::Tensor& all) const { return all.unflatten(-1, {m_heads, m_size}); }
    std::int64_t held() const { return m_heads * m_size * m_size; }

    MaskedOutput m_masked;
    std::int64_t m_width, m_size, m_heads;
    bool m_givesValues;                                        // at the port v
    at::Tensor m_mixR, m_mixW, m_mixK, m_mixV, m_mixA, m_mixG; // [1, 1, in]
    LowRank m_w, m_a, m_g;
    LowRank m_v;                                       // of a later layer; else undefined
    at::Tensor m_keyScale, m_keyRate;                  // [1, 1, in]
    at::Tensor m_bonus;                                // [heads, n]
    at::Tensor m_receptance, m_key, m_value, m_output; // [in, in]
    at::Tensor m_gain, m_shift;                        // [in]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Rwkv7>(setup);
}

} // namespace unroll::nodes::rwkv7
