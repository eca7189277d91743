// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/sru_scan/sru_scan.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/product.h"
#include "nodes/shared/spec_parts.h"
#include "nodes/shared/sru_signals.h"
#include "nodes/shared/values.h"
#include "nodes/sru/form.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace unroll::nodes::sru {

namespace {

constexpr double kNormEpsilon = 1e-5;

/// Sizes and options that the parameters and the width of the input decide.
struct Form {
    explicit Form(const BlockSetup& setup)
        : in(setup.dimension("input_size")),
          units(setup.integer("units")),
          directions(directionsOf(setup)),
          projects(setup.boolean("projections")),
          projection(projects ? setup.integer("projection_size") : 0),
          skip(setup.boolean("has_skip_term")),
          tanh(setup.text("activation") == "tanh"),
          v1(setup.boolean("v1")),
          normBefore(setup.boolean("layer_norm") && !setup.boolean("normalize_after")),
          normAfter(setup.boolean("layer_norm") && setup.boolean("normalize_after")),
          dropout(setup.real("dropout")),
          inputDropout(projects ? setup.real("rnn_dropout") : 0),
          highwayBias(setup.real("highway_bias"))
    {
        out = widthOfDirections(setup);
        matrices = partsOf(setup, in, out);
        if (setup.boolean("rescale") && skip)
            rescale = std::sqrt(1 + 2 * std::exp(highwayBias));
    }

    std::int64_t in, units, directions;
    bool projects; // else x is U
    std::int64_t projection;
    std::int64_t out = 0;      // both directions
    std::int64_t matrices = 3; // k: parts of U for each unit
    bool skip, tanh, v1, normBefore, normAfter;
    double dropout, inputDropout, highwayBias;
    double rescale = 1;
};

/// sru 2.6's initial weight, [directions, k, units, fan in]: drawn whole and then scaled part by part, as the package
/// does it and as the spec says it; the same draws scaled first would differ in their last bits.
at::Tensor initialWeight(const BlockSetup& setup, const Form& form)
{
    const std::int64_t fanIn = form.projection > 0 ? form.projection : form.in;
    const double bound = std::sqrt(3.0 / static_cast<double>(fanIn));
    at::Tensor weight = at::empty({form.directions, form.matrices, form.units, fanIn}, setup.dtype);
    weight.uniform_(-bound, bound, setup.init);
    weight.select(1, 0).mul_(std::sqrt(1 - form.dropout));
    weight.mul_(std::sqrt(1 - form.inputDropout));
    if (form.normBefore || form.normAfter)
        weight.mul_(0.1);
    if (form.matrices == 4)
        weight.select(1, 3).mul_(form.rescale);
    if (!form.v1)
        weight.narrow(1, 1, 2).mul_(std::sqrt(0.5));
    return weight.view({-1, fanIn});
}

class Sru final : public Block {
public:
    explicit Sru(const BlockSetup& setup) : Block(setup), m_masked(setup), m_form(setup)
    {
        const Form& form = m_form;
        if (form.projects)
            m_weight = addWeight("weight", initialWeight(setup, form));
        if (form.projection > 0)
            m_projection = addWeight(setup, "weight_proj");
        m_weightC = addWeight(setup, "weight_c");
        m_bias = addWeight(setup, "bias");
        if (form.normBefore || form.normAfter) {
            m_normGain = addWeight(setup, "layer_norm.weight");
            m_normBias = addWeight(setup, "layer_norm.bias");
        }
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), initial = only(inputs[1]), mask = only(inputs[2]);
        const at::Tensor gemmInput = thinned(m_form.normBefore ? normed(x) : x, context);
        const at::Tensor dropout = context.training && m_form.dropout > 0
                                       ? dropoutMask(context, {x.size(1), m_form.out}, x, m_form.dropout)
                                       : at::Tensor();
        const at::Tensor u = products(context, gemmInput);
        if (editsAny(context, {"c", "f", "r"}, x, mask)) {
            const auto step = editedSruStep(context, {u, {}, initial, m_weightC, m_bias}, skipOf(x, u), m_form.tanh);
            return {{output(step.h, mask)}, {step.c.select(0, 0)}};
        }
        const std::vector<at::Tensor> parts = byDirection(u, 2);
        const auto weightC = gateParts(m_weightC), bias = gateParts(m_bias);
        std::vector<at::Tensor> h, c, last;
        for (std::int64_t direction = 0; direction < m_form.directions; ++direction) {
            const auto i = static_cast<std::size_t>(direction);
            kernels::SruScanArguments all = arguments(direction, x, initial, mask, dropout);
            all.u = parts[i];
            all.weightC = weightC[i];
            all.bias = bias[i];
            auto result = kernels::sruScan(all);
            h.push_back(result.h);
            c.push_back(result.c);
            last.push_back(result.last);
        }
        showSruSignals(context, {u, side(c), initial, m_weightC, m_bias});
        at::Tensor shown = side(h);
        if (mask.defined() && m_masked.reads())
            shown = at::where(mask.unsqueeze(-1), shown, readOf(side(c), u, skipOf(x, u), dropout));
        return {{output(shown, mask)}, {side(last)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_form.out}, m_bias.options().requires_grad(false))};
    }

private:
    at::Tensor normed(const at::Tensor& x) const
    {
        return at::layer_norm(x, {x.size(-1)}, m_normGain, m_normBias, kNormEpsilon);
    }

    at::Tensor thinned(const at::Tensor& x, const PassContext& context) const
    {
        if (!context.training || m_form.inputDropout == 0)
            return x;
        return x * dropoutMask(context, {x.size(1), x.size(2)}, x, m_form.inputDropout);
    }

    /// U, [T, B, directions, k, units].
    at::Tensor products(const PassContext& context, at::Tensor x) const
    {
        if (m_projection.defined())
            x = product(context, x, m_projection);
        const at::Tensor u = m_form.projects ? product(context, x, m_weight) : x;
        return u.view({x.size(0), x.size(1), m_form.directions, m_form.matrices, m_form.units});
    }

    /// x' of all directions; undefined where there is none.
    at::Tensor skipOf(const at::Tensor& x, const at::Tensor& u) const
    {
        if (!m_form.skip)
            return {};
        return m_form.matrices == 4 ? u.select(3, 3).flatten(2) : x * m_form.rescale;
    }

    /// What belongs to each direction. One alone is a view, whose gradient needs no copy.
    static std::vector<at::Tensor> byDirection(const at::Tensor& all, std::int64_t dim)
    {
        return all.size(dim) == 1 ? std::vector{all.squeeze(dim)} : all.unbind(dim);
    }

    /// The same of weight_c or bias: [2, units].
    std::vector<at::Tensor> gateParts(const at::Tensor& both) const
    {
        return byDirection(both.view({2, m_form.directions, m_form.units}), 1);
    }

    std::optional<at::Tensor> columns(const at::Tensor& tensor, std::int64_t direction) const
    {
        if (!tensor.defined())
            return std::nullopt;
        return m_form.directions == 1 ? tensor : tensor.narrow(-1, direction * m_form.units, m_form.units);
    }

    /// But for u, weight_c and bias.
    kernels::SruScanArguments arguments(std::int64_t direction, const at::Tensor& x, const at::Tensor& initial,
                                        const at::Tensor& mask, const at::Tensor& dropout) const
    {
        const bool skipsInput = m_form.skip && m_form.matrices == 3;
        return {.x = skipsInput ? columns(x, direction) : std::nullopt,
                .initial = columns(initial, direction),
                .mask = whereDefined(mask),
                .dropout = columns(dropout, direction),
                .scaleX = skipsInput ? m_form.rescale : 1,
                .activation = m_form.tanh ? kernels::Activation::Tanh : kernels::Activation::Identity,
                .reverse = direction == 1};
    }

    static at::Tensor side(const std::vector<at::Tensor>& parts)
    {
        return parts.size() == 1 ? parts.front() : at::cat(parts, -1);
    }

    /// What the reset gate lets through of a held state c [T, B, out], at steps without one of their own.
    at::Tensor readOf(const at::Tensor& c, const at::Tensor& u, const at::Tensor& skip, const at::Tensor& dropout) const
    {
        const at::Tensor v = m_weightC.view({2, -1})[1], b = m_bias.view({2, -1})[1];
        const at::Tensor r = at::sigmoid(at::addcmul(u.select(3, 2).flatten(2) + b, v, c));
        const at::Tensor open = dropout.defined() ? r * dropout : r, active = m_form.tanh ? at::tanh(c) : c;
        return skip.defined() ? (active - skip) * open + skip : active * open;
    }

    // The scan gives 0 at masked steps, where the norm's bias would show.
    at::Tensor output(const at::Tensor& h, const at::Tensor& mask) const
    {
        if (!m_form.normAfter)
            return m_masked.ofZeroed(h, mask, m_form.directions);
        return m_masked.of(normed(h), mask, m_form.directions);
    }

    MaskedOutput m_masked;
    Form m_form;
    at::Tensor m_weight;               // [directions * k * units, in or projection], or undefined
    at::Tensor m_projection;           // [projection, in], or undefined
    at::Tensor m_weightC, m_bias;      // [2 * out], forget gate first
    at::Tensor m_normGain, m_normBias; // [in or out], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Sru>(setup);
}

} // namespace unroll::nodes::sru
