// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/diag_scan/diag_scan.h"
#include "core/kernels/gated_scan/gated_scan.h"
#include "nodes/grumml/layers.h"
#include "nodes/shared/activations.h"
#include "nodes/shared/dense_layer.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/rms_norm.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes::grumml {

namespace {

constexpr double kMmfreelmEpsilon = 1e-6; // of its norms

/// The pre-activations of a pass, [T, B, units] each.
struct Gates {
    at::Tensor f, c, g;
};

class GruMml final : public Block {
public:
    explicit GruMml(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_units(setup.integer("units")),
          m_layer(setup.integer("layer")),
          m_mmfreelm(setup.text("variant") == "mmfreelm"),
          m_sharesTable(m_mmfreelm && setup.boolean("share_table")),
          m_usualGates(setup.text("recurrent_activation") == "sigmoid"),
          m_activation(setup.text("activation")),
          m_candidate(elementFunction(m_activation)),
          m_gate(elementFunction(setup.text("recurrent_activation")))
    {
        const std::string& variant = setup.text("variant");
        const bool fully = setup.boolean("fully_mml");
        for (const GateLayer& form : gateLayers(variant, fully)) {
            m_gates.push_back(layer(setup, form.name, form.ternary));
            m_gates.back().form.scales = setup.text("scales") == "per_gate" ? form.gates : 1;
        }
        m_output = layer(setup, "o", ternaryOutput(variant, fully));
        if (m_mmfreelm)
            m_gateNorm = addWeight(setup, "gate_norm");
        if (m_mmfreelm && (m_layer > 0 || m_sharesTable) && !setup.inputs.contains("table"))
            m_ownTable = addWeight(setup, "lower_bound");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), initial = only(inputs[1]), mask = only(inputs[2]);
        const at::Tensor table = inputs[3].empty() ? m_ownTable : only(inputs[3]);
        const at::Tensor bound = boundFrom(table);
        std::vector<at::Tensor> made; // side by side: f, c, g
        for (const DenseLayer& gate : m_gates)
            made.push_back(applied(context, gate, x));
        const bool isEdited = editsAny(context, {"h", "f", "c", "g"}, x, mask);
        const kernels::GatedScanResult scan = isEdited ? editedStep(context, made, bound, initial)
                                              : !m_usualGates || bound.defined() ? general(made, bound, initial, mask)
                                                                                 : fused(made, initial, mask);
        showSignals(made, bound, scan.h, context);
        if (context.wants("q"))
            context.show("q", readCodes(m_gates.front(), x));
        const at::Tensor u =
            !m_mmfreelm ? scan.u
                        : rmsNorm(made.back(), m_gateNorm, kMmfreelmEpsilon) *
                              (isEdited ? scan.h * context.edited("g", at::sigmoid(scan.h)) : at::silu(scan.h));
        const at::Tensor y = applied(context, m_output, u);
        return {{m_masked.of(y, mask)}, {scan.last}, m_sharesTable ? Value{table} : Value{}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_units}, m_output.weight.options().requires_grad(false))};
    }

private:
    DenseLayer layer(const BlockSetup& setup, const std::string& name, bool ternary)
    {
        DenseLayer made;
        made.form.gradient = ternaryGradient(setup);
        if (m_mmfreelm)
            made.form.epsilon = kMmfreelmEpsilon;
        if (ternary)
            made.gain = addWeight(setup, "gain_" + name);
        made.weight = addWeight(setup, "weight_" + name);
        if (setup.boolean("use_bias"))
            made.bias = addWeight(setup, "bias_" + name);
        return made;
    }

    Gates split(const std::vector<at::Tensor>& made) const
    {
        std::vector<at::Tensor> parts;
        for (const at::Tensor& outputs : made)
            for (const at::Tensor& part : outputs.split(m_units, -1))
                parts.push_back(part);
        return {parts[0], parts[1], parts[2]};
    }

    /// The kernel reads the layers' outputs as they lie; only an activation that it lacks is applied before.
    kernels::GatedScanResult fused(std::vector<at::Tensor> gates, const at::Tensor& initial,
                                   const at::Tensor& mask) const
    {
        using kernels::Activation;
        const bool known = m_activation == "silu" || m_activation == "tanh" || m_activation == "identity";
        const Activation activation = m_activation == "silu"   ? Activation::Silu
                                      : m_activation == "tanh" ? Activation::Tanh
                                                               : Activation::Identity;
        if (!known) {
            const Gates parts = split(gates);
            gates = {parts.f, m_candidate(parts.c), parts.g};
        }
        if (m_mmfreelm)
            gates.pop_back(); // its output gate is none that the kernel has
        auto scan = kernels::gatedScan(gates, whereDefined(initial), whereDefined(mask),
                                       {.candidate = activation, .outputGate = !m_mmfreelm});
        if (mask.defined() && m_masked.reads() && !m_mmfreelm) // the kernel gives 0 there
            scan.u = at::where(mask.unsqueeze(-1), scan.u, gate(split(gates).g) * scan.h);
        return scan;
    }

    /// Gates that the fused kernel lacks are made before; what is left is linear in h.
    kernels::GatedScanResult general(const std::vector<at::Tensor>& made, const at::Tensor& bound,
                                     const at::Tensor& initial, const at::Tensor& mask) const
    {
        const Gates gates = split(made);
        const at::Tensor f = forgetGate(gates.f, bound);
        const auto scan =
            kernels::diagScan(f, (1 - f) * m_candidate(gates.c), whereDefined(initial), whereDefined(mask));
        return {m_mmfreelm ? scan.h : gate(gates.g) * scan.h, scan.h, scan.last};
    }

    /// One step by the formulas, with what an editor makes of its signals.
    kernels::GatedScanResult editedStep(const PassContext& context, const std::vector<at::Tensor>& made,
                                        const at::Tensor& bound, const at::Tensor& initial) const
    {
        const Gates gates = split(made);
        const at::Tensor f = context.edited("f", forgetGate(gates.f, bound));
        const at::Tensor c = context.edited("c", m_candidate(gates.c));
        const at::Tensor written = (1 - f) * c;
        const at::Tensor h = context.edited("h", initial.defined() ? f * initial.unsqueeze(0) + written : written);
        return {m_mmfreelm ? h : context.edited("g", gate(gates.g)) * h, h, h.select(0, 0)};
    }

    at::Tensor gate(const at::Tensor& a) const { return m_gate(a); }

    /// The lower bound l of this layer, [units]: its own share and those of the layers before it, the first one's
    /// apart. Undefined where it is 0.
    at::Tensor boundFrom(const at::Tensor& table) const
    {
        return m_layer > 0 && table.defined() ? at::softmax(table, 0).narrow(0, 1, m_layer).sum(0) : at::Tensor();
    }

    /// l + (1 - l) σ(a).
    at::Tensor forgetGate(const at::Tensor& a, const at::Tensor& bound) const
    {
        return bound.defined() ? bound + (1 - bound) * gate(a) : gate(a);
    }

    void showSignals(const std::vector<at::Tensor>& made, const at::Tensor& bound, const at::Tensor& h,
                     const PassContext& context) const
    {
        if (context.wants("h"))
            context.show("h", h.detach());
        if (!context.wants("f") && !context.wants("c") && !context.wants("g"))
            return;
        const Gates gates = split(made);
        if (context.wants("f"))
            context.show("f", forgetGate(gates.f.detach(), bound).detach());
        if (context.wants("c"))
            context.show("c", m_candidate(gates.c.detach()));
        if (context.wants("g"))
            context.show("g", m_mmfreelm ? at::sigmoid(h.detach()) : gate(gates.g.detach()));
    }

    MaskedOutput m_masked;
    std::int64_t m_units, m_layer;
    bool m_mmfreelm, m_sharesTable, m_usualGates;
    std::string m_activation;
    ElementFunction m_candidate, m_gate;
    std::vector<DenseLayer> m_gates;
    DenseLayer m_output;
    at::Tensor m_gateNorm; // [units], of mmfreelm
    at::Tensor m_ownTable; // [layers, units], of mmfreelm: of lower bounds, where no wire brings it
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<GruMml>(setup);
}

} // namespace unroll::nodes::grumml
