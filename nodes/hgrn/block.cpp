// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/diag_scan/diag_scan.h"
#include "nodes/shared/lower_bound.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/product.h"
#include "nodes/shared/rms_norm.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes::hgrn {

namespace {

constexpr double kNormEpsilon = 1e-5; ///< of both forms
constexpr double kSlowest = 1e-8;     ///< radians a step, if there were a unit behind the last one

/// What a step reads of x: candidate and forget gate, with the share that enters.
struct Entering {
    at::Tensor i;     // [T, B, width]; of a complex one 2 j and 2 j + 1 are the parts of unit j
    at::Tensor f, in; // [T, B, units]
};

class Hgrn final : public Block {
public:
    explicit Hgrn(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_units(setup.integer("units")),
          m_layer(setup.integer("layer")),
          m_complex(setup.text("convention") == "hgru")
    {
        m_i = layer(setup, "i_proj");
        m_f = layer(setup, "f_proj");
        m_g = layer(setup, "g_proj");
        if (m_complex)
            m_theta = addWeight(
                "theta",
                at::pow(kSlowest, at::arange(m_units, at::kDouble) / static_cast<double>(m_units)).to(setup.dtype));
        m_norm = layer(setup, "g_norm");
        m_o = layer(setup, "o_proj");
        if (m_layer > 0)
            m_table = addWeight(setup, "lower_bounds");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), initial = only(inputs[1]), mask = only(inputs[2]);
        const bool isEdited = editsAny(context, {"h", "f", "i", "g"}, x, mask);
        const at::Tensor bias = m_complex ? at::cat({m_i.bias, m_f.bias, m_g.bias}) : at::Tensor();
        const auto parts = product(context, x, at::cat({m_i.weight, m_f.weight, m_g.weight}), bias)
                               .split_with_sizes({width(), m_units, width()}, -1);
        const Entering entering = enteringOf(context, parts[0], parts[1]);
        const at::Tensor g = shown(context, "g", at::silu(parts[2]));
        const auto [made, last] = isEdited ? oneStep(entering, initial) : scanned(entering, initial, mask);
        const at::Tensor pairs = shown(context, "h", made), h = m_complex ? halvesOf(pairs) : pairs;
        const at::Tensor y = product(context, normed(h) * g, m_o.weight, m_o.bias);
        return {{m_masked.of(y, mask)}, {isEdited ? h[0] : last}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, width()}, m_o.weight.options().requires_grad(false))};
    }

private:
    struct Layer {
        at::Tensor weight; // [out, in], or [out] of the norm
        at::Tensor bias;   // [out], or undefined
    };
    struct Walk {
        at::Tensor h;    // [T, B, width], laid out as i
        at::Tensor last; // [B, width], laid out as the state
    };

    Layer layer(const BlockSetup& setup, const std::string& name)
    {
        const at::Tensor weight = addWeight(setup, name + ".weight");
        return {weight, m_complex ? addWeight(setup, name + ".bias") : at::Tensor()};
    }

    std::int64_t width() const { return m_complex ? 2 * m_units : m_units; }

    Entering enteringOf(const PassContext& context, const at::Tensor& i, const at::Tensor& f) const
    {
        const BoundedGate gate(m_table, m_layer);
        Entering entering{.i = shown(context, "i", at::silu(i)), .f = shown(context, "f", gate.kept(f)), .in = {}};
        entering.in = context.edits("f") ? 1 - entering.f : gate.letIn(f);
        return entering;
    }

    /// Of parts in turn, as the rows of i_proj and the signals have them: all real ones, then all imaginary, as in the
    /// state and under the norm.
    static at::Tensor halvesOf(const at::Tensor& pairs)
    {
        return pairs.unflatten(-1, {-1, 2}).transpose(-1, -2).flatten(-2);
    }

    /// What enters of a complex unit, (1 - f) i, [T, B, units, 2].
    static at::Tensor enteringPairs(const Entering& e) { return e.in.unsqueeze(-1) * e.i.unflatten(-1, {-1, 2}); }

    at::Tensor complexState(const at::Tensor& halves) const
    {
        return at::complex(halves.narrow(-1, 0, m_units), halves.narrow(-1, m_units, m_units));
    }

    Walk scanned(const Entering& e, const at::Tensor& initial, const at::Tensor& mask) const
    {
        if (!m_complex) {
            const auto scan = kernels::diagScan(e.f, e.in * e.i, whereDefined(initial), whereDefined(mask));
            return {scan.h, scan.last};
        }
        const at::Tensor a = at::complex(e.f * at::cos(m_theta), e.f * at::sin(m_theta));
        const auto scan = kernels::diagScan(a, at::view_as_complex(enteringPairs(e).contiguous()),
                                            initial.defined() ? std::optional(complexState(initial)) : std::nullopt,
                                            whereDefined(mask));
        return {at::view_as_real(scan.h).flatten(-2), halvesOf(at::view_as_real(scan.last).flatten(-2))};
    }

    /// By the formulas.
    Walk oneStep(const Entering& e, const at::Tensor& initial) const
    {
        const at::Tensor before =
            initial.defined() ? initial.unsqueeze(0) : initialState(e.f.size(1)).front().unsqueeze(0);
        if (!m_complex)
            return {e.f * before + e.in * e.i, {}};
        const at::Tensor re = before.narrow(-1, 0, m_units), im = before.narrow(-1, m_units, m_units);
        const at::Tensor cos = e.f * at::cos(m_theta), sin = e.f * at::sin(m_theta);
        return {(at::stack({cos * re - sin * im, cos * im + sin * re}, -1) + enteringPairs(e)).flatten(-2), {}};
    }

    at::Tensor normed(const at::Tensor& h) const
    {
        return m_complex ? at::layer_norm(h, {width()}, m_norm.weight, m_norm.bias, kNormEpsilon)
                         : rmsNorm(h, m_norm.weight, kNormEpsilon);
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
    std::int64_t m_units, m_layer;
    bool m_complex;
    Layer m_i, m_f, m_g; // [width, in], [units, in], [width, in]
    at::Tensor m_theta;  // [units], radians a step, or undefined
    Layer m_norm;        // [width]
    Layer m_o;           // [units, width]
    at::Tensor m_table;  // [layers, units], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Hgrn>(setup);
}

} // namespace unroll::nodes::hgrn
