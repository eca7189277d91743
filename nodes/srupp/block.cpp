// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/sru_scan/sru_scan.h"
#include "nodes/shared/causal_attention.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/product.h"
#include "nodes/shared/spec_parts.h"
#include "nodes/shared/sru_signals.h"
#include "nodes/shared/values.h"
#include "nodes/srupp/layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace unroll::nodes::srupp {

namespace {

constexpr double kNormEpsilon = 1e-5;

/// A layer norm; without weights it is left out.
struct Norm {
    at::Tensor gain, bias;

    at::Tensor of(const at::Tensor& x) const
    {
        return gain.defined() ? at::layer_norm(x, {x.size(-1)}, gain, bias, kNormEpsilon) : x;
    }
};

/// What looking back has made of a pass.
struct Transformed {
    at::Tensor z;      // [T, B, p]
    at::Tensor memory; // after the pass, [B, memoryWidth()]; undefined where nobody asks or nothing is kept
};

class SruPlusPlus final : public Block {
public:
    explicit SruPlusPlus(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_units(setup.integer("units")),
          m_directions(directionsOf(setup)),
          m_out(widthOfDirections(setup)),
          m_matrices(setup.dimension("input_size") == m_out ? 3 : 4),
          m_attends(setup.text("attention") != "none"),
          m_remembers(setup.text("attention") == "causal"),
          m_normAfter(setup.boolean("normalize_after")),
          m_attentionNormAfter(setup.boolean("attn_normalize_after") || !m_attends),
          m_attention({.heads = setup.integer("num_heads"),
                       .width = setup.integer("projection_size"),
                       .window = setup.integer("window"),
                       .dropout = setup.real("attn_dropout")}),
          m_heads(setup.integer("num_heads")),
          m_weightDropout(setup.real("attn_dropout")),
          m_dropout(setup.real("dropout")),
          m_transformDropout(setup.real("transform_dropout"))
    {
        if (setup.boolean("rescale") && m_matrices == 3)
            m_scaleX = std::sqrt(1 + 2 * std::exp(setup.real("highway_bias")));
        m_down = addWeight(setup, "linear1.weight");
        if (m_attends) {
            m_keysAndValues = addWeight(setup, "linear2.weight");
            m_alpha = addWeight(setup, "alpha");
        }
        m_up = addWeight(setup, "linear3.weight");
        m_weightC = addWeight(setup, "weight_c");
        m_bias = addWeight(setup, "bias");
        if (setup.boolean("attn_layer_norm"))
            m_attentionNorm = {addWeight(setup, "attn_layer_norm.weight"), addWeight(setup, "attn_layer_norm.bias")};
        if (setup.boolean("layer_norm"))
            m_norm = {addWeight(setup, "layer_norm.weight"), addWeight(setup, "layer_norm.bias")};
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), state = only(inputs[1]), mask = only(inputs[2]);
        const at::Tensor initial = state.defined() ? state.narrow(1, 0, m_out) : state;
        const Transformed transformed = transform(context, m_normAfter ? x : m_norm.of(x), state, mask);
        const at::Tensor u =
            product(context, transformed.z, m_up).view({x.size(0), x.size(1), m_directions, m_matrices, m_units});
        const auto scan = editsAny(context, {"c", "f", "r"}, x, mask) ? edited(context, x, u, initial)
                                                                      : scanned(context, x, u, initial, mask);
        showSruSignals(context, {u, scan.c, initial, m_weightC, m_bias});
        if (!context.keepsState)
            return {{output(scan.h, mask)}, {}};
        return {{output(scan.h, mask)},
                {transformed.memory.defined() ? at::cat({scan.last, transformed.memory}, 1) : scan.last}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        const std::int64_t width = m_out + (m_remembers ? m_attention.memoryWidth() : 0);
        return {at::zeros({sequences, width}, m_bias.options().requires_grad(false))};
    }

private:
    /// What U is a product of: x in a narrow space and, where it attends, what its steps took from one another.
    Transformed transform(const PassContext& context, const at::Tensor& x, const at::Tensor& state,
                          const at::Tensor& mask)
    {
        Transformed made{product(context, x, m_down), {}};
        if (m_remembers)
            lookBack(context, made, state, mask);
        else if (m_attends)
            lookAround(context, made, mask);
        else if (context.wants("weights"))
            context.show("weights", eachItself(made.z));
        if (m_attentionNormAfter)
            made.z = m_attentionNorm.of(made.z);
        if (context.training && m_transformDropout > 0)
            made.z = made.z * dropoutMask(context, made.z.sizes(), made.z, m_transformDropout);
        return made;
    }

    void lookBack(const PassContext& context, Transformed& made, const at::Tensor& state, const at::Tensor& mask)
    {
        const at::Tensor real = mask.defined() ? mask.transpose(0, 1) : mask; // [B, T]
        const at::Tensor past =
            state.defined() ? m_attention.slotsOf(state.narrow(1, m_out, m_attention.memoryWidth())) : at::Tensor();
        const at::Tensor q = m_attentionNormAfter ? made.z : m_attentionNorm.of(made.z);
        const at::Tensor qkv = at::cat({q, product(context, q, m_keysAndValues)}, 2);
        made.z = at::addcmul(made.z, m_attention.gathered(context, qkv, past, real), m_alpha);
        if (context.keepsState) {
            const at::Tensor numbers = m_attention.numbersOf(past, real, qkv.size(0), qkv);
            made.memory = m_attention.remembered(past, qkv, numbers, real);
        }
    }

    /// Each step takes from all real steps; a masked one, of which nothing is read, from itself too, so that its
    /// softmax is of something.
    void lookAround(const PassContext& context, Transformed& made, const at::Tensor& mask) const
    {
        const at::Tensor q = m_attentionNormAfter ? made.z : m_attentionNorm.of(made.z);
        const auto keys = product(context, q, m_keysAndValues).chunk(2, -1);
        const auto heads = [&](const at::Tensor& part) { return splitHeads(part.transpose(0, 1), m_heads); };
        AttentionCall call{
            .q = heads(q), .k = heads(keys[0]), .v = heads(keys[1]), .causal = false, .dropout = m_weightDropout};
        if (mask.defined()) {
            const at::Tensor itself = at::eye(q.size(0), q.options().dtype(at::kBool).requires_grad(false));
            call.seen = mask.t().view({-1, 1, 1, q.size(0)}).logical_or(itself);
        }
        const at::Tensor taken = attend(context, call);
        made.z = at::addcmul(made.z, taken.permute({2, 0, 1, 3}).flatten(2), m_alpha);
    }

    /// The attention weights of steps that take all from themselves, [T, B, heads T].
    at::Tensor eachItself(const at::Tensor& z) const
    {
        const at::Tensor alone = at::eye(z.size(0), z.options().requires_grad(false)).unsqueeze(1);
        return alone.repeat({1, z.size(1), m_heads});
    }

    /// What belongs to a direction, of values [..., directions units].
    at::Tensor columns(const at::Tensor& all, std::int64_t direction) const
    {
        return m_directions == 1 || !all.defined() ? all : all.narrow(-1, direction * m_units, m_units);
    }

    /// The same of weight_c or bias, [2, units].
    at::Tensor gatesOf(const at::Tensor& both, std::int64_t direction) const
    {
        return m_directions == 1 ? both.view({2, m_units}) : both.view({2, m_directions, m_units}).select(1, direction);
    }

    /// A walk for each direction; u [T, B, directions, k, units].
    kernels::SruScanResult scanned(const PassContext& context, const at::Tensor& x, const at::Tensor& u,
                                   const at::Tensor& initial, const at::Tensor& mask) const
    {
        const bool drops = context.training && m_dropout > 0;
        const at::Tensor dropout = drops ? dropoutMask(context, {x.size(1), m_out}, x, m_dropout) : at::Tensor();
        std::vector<at::Tensor> h, c, last;
        for (std::int64_t direction = 0; direction < m_directions; ++direction) {
            kernels::SruScanArguments all{.x = m_matrices == 3 ? std::optional(columns(x, direction)) : std::nullopt,
                                          .initial = whereDefined(columns(initial, direction)),
                                          .mask = whereDefined(mask),
                                          .dropout = whereDefined(columns(dropout, direction)),
                                          .scaleX = m_scaleX,
                                          .reverse = direction == 1};
            all.u = m_directions == 1 ? u.squeeze(2) : u.select(2, direction);
            all.weightC = gatesOf(m_weightC, direction);
            all.bias = gatesOf(m_bias, direction);
            auto result = kernels::sruScan(all);
            h.push_back(result.h);
            c.push_back(result.c);
            last.push_back(result.last);
        }
        if (m_directions == 1)
            return {h.front(), c.front(), last.front()};
        return {at::cat(h, -1), at::cat(c, -1), at::cat(last, -1)};
    }

    /// One step by the formulas, with what an editor makes of its signals.
    kernels::SruScanResult edited(const PassContext& context, const at::Tensor& x, const at::Tensor& u,
                                  const at::Tensor& initial) const
    {
        const at::Tensor skip = m_matrices == 4 ? u.select(3, 3).flatten(2) : x * m_scaleX;
        const SruStep step = editedSruStep(context, {u, {}, initial, m_weightC, m_bias}, skip, false);
        return {step.h, step.c, step.c.select(0, 0)};
    }

    // The scan gives 0 at masked steps, where the norm's bias would show.
    at::Tensor output(const at::Tensor& h, const at::Tensor& mask) const
    {
        if (!m_normAfter || !m_norm.gain.defined())
            return m_masked.ofZeroed(h, mask, m_directions);
        return m_masked.of(m_norm.of(h), mask, m_directions);
    }

    MaskedOutput m_masked;
    std::int64_t m_units, m_directions;
    std::int64_t m_out;      // both directions side by side
    std::int64_t m_matrices; // k: parts of U for each unit
    bool m_attends, m_remembers, m_normAfter, m_attentionNormAfter;
    CausalAttention m_attention;
    std::int64_t m_heads;
    double m_weightDropout, m_dropout, m_transformDropout;
    double m_scaleX = 1;
    at::Tensor m_down;            // [p, in]
    at::Tensor m_keysAndValues;   // [2 p, p], or undefined
    at::Tensor m_alpha;           // [1], or undefined
    at::Tensor m_up;              // [directions k units, p], k slower than units
    at::Tensor m_weightC, m_bias; // [2 out], forget gate first
    Norm m_attentionNorm, m_norm; // over p; over x, or over y
};

/// Stands between a layer and those who watch and edit the block: units of the layers lie side by side.
class LayerDesk final : public Observer, public Editor {
public:
    LayerDesk(const PassContext& context, std::int64_t layer, std::int64_t width, std::int64_t layers)
        : m_context(context), m_first(layer * width), m_width(layers * width)
    {}

    bool wants(const std::string& node, const std::string& signal) const override
    {
        return m_context.observer->wants(node, signal);
    }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        m_shown[signal] = value;
    }
    bool edits(const std::string& node, const std::string& signal) override
    {
        return m_context.editor->edits(node, signal);
    }
    at::Tensor edited(const std::string& node, const std::string& signal, const at::Tensor& value,
                      const EditPlace& place) override
    {
        return m_context.editor->edited(node, signal, value, {place.step, m_first + place.unit, m_width});
    }
    void leaving(const std::string&, const PortSpec&, Value&, std::int64_t) override {}

    /// The layer's signal; undefined where it was not wanted.
    at::Tensor shown(const std::string& signal) const
    {
        const auto found = m_shown.find(signal);
        return found == m_shown.end() ? at::Tensor() : found->second;
    }

private:
    const PassContext& m_context;
    std::int64_t m_first, m_width;
    std::map<std::string, at::Tensor> m_shown;
};

/// Layers over one another, each with its part of the state: c, then what it remembers.
class SruPlusPlusLayers final : public Block {
public:
    explicit SruPlusPlusLayers(const BlockSetup& setup) : Block(setup), m_width(widthOfDirections(setup))
    {
        for (std::int64_t layer = 0; layer < setup.integer("num_layers"); ++layer) {
            const Params own = layerParams(setup.params, layer);
            const auto inputs = layerInputs(setup.inputs, m_width, layer);
            m_layers.push_back(
                std::make_unique<SruPlusPlus>(BlockSetup{setup.spec, own, inputs, setup.init, setup.dtype}));
            m_attends.push_back(std::get<std::string>(own.at("attention")) != "none");
            for (const Weight& weight : m_layers.back()->weights())
                addWeight(layerPrefix(layer) + weight.name, weight.tensor);
        }
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        std::vector<LayerDesk> desks;
        for (std::size_t layer = 0; layer < m_layers.size(); ++layer)
            desks.emplace_back(context, static_cast<std::int64_t>(layer), m_width, std::ssize(m_layers));
        at::Tensor x = only(inputs[0]);
        const at::Tensor state = only(inputs[1]);
        std::vector<at::Tensor> ends;
        std::int64_t from = 0;
        for (std::size_t layer = 0; layer < m_layers.size(); ++layer) {
            PassContext own = context;
            own.observer = context.observer != nullptr ? &desks[layer] : nullptr;
            own.editor = context.editor != nullptr ? &desks[layer] : nullptr;
            const std::int64_t width = stateWidth(layer);
            const Value before = state.defined() ? Value{state.narrow(1, from, width)} : Value{};
            from += width;
            const std::vector<Value> made = m_layers[layer]->forward({{x}, before, inputs[2]}, own);
            x = only(made[0]);
            if (context.keepsState)
                ends.push_back(only(made[1]));
        }
        showAll(context, desks);
        return {{x}, context.keepsState ? Value{at::cat(ends, 1)} : Value{}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        std::vector<at::Tensor> parts;
        for (const auto& layer : m_layers)
            parts.push_back(layer->initialState(sequences).front());
        return {at::cat(parts, 1)};
    }

private:
    std::int64_t stateWidth(std::size_t layer) const { return m_layers[layer]->initialState(1).front().size(1); }

    /// Side by side; attention weights of the layers that attend, whose keys are as many, or else of the first.
    void showAll(const PassContext& context, const std::vector<LayerDesk>& desks) const
    {
        for (const char* signal : {"c", "f", "r", "weights"}) {
            const bool ofKeys = std::string(signal) == "weights";
            const bool none = std::none_of(m_attends.begin(), m_attends.end(), [](bool each) { return each; });
            std::vector<at::Tensor> parts;
            for (std::size_t layer = 0; layer < desks.size(); ++layer)
                if (const at::Tensor part = desks[layer].shown(signal);
                    part.defined() && (!ofKeys || m_attends[layer] || (none && layer == 0)))
                    parts.push_back(part);
            if (!parts.empty())
                context.show(signal, at::cat(parts, -1));
        }
    }

    std::int64_t m_width; // of a layer's y
    std::vector<std::unique_ptr<SruPlusPlus>> m_layers;
    std::vector<bool> m_attends;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    if (setup.integer("num_layers") > 1)
        return std::make_unique<SruPlusPlusLayers>(setup);
    return std::make_unique<SruPlusPlus>(setup);
}

} // namespace unroll::nodes::srupp
