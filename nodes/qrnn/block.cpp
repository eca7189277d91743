// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gated_scan/gated_scan.h"
#include "nodes/shared/history.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace unroll::nodes::qrnn {

namespace {

/// What the gates of a step read, and what of it those of the next sequence will.
struct Window {
    at::Tensor seen; // [T, B, window in]: x_t, x_{t-1}, ...
    at::Tensor last; // [B, (window - 1) in], the oldest first; undefined where nothing is kept
};

class Qrnn final : public Block {
public:
    explicit Qrnn(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_in(setup.dimension("input_size")),
          m_units(setup.integer("units")),
          m_window(setup.integer("window")),
          m_outputGate(setup.text("pooling") == "fo"),
          m_writes(setup.text("convention") == "pytorch_qrnn"),
          m_zoneout(setup.real("zoneout"))
    {
        m_weight = addWeight(setup, "linear.weight");
        m_bias = addWeight(setup, "linear.bias");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        const at::Tensor state = inputs[1].empty() ? initialState(x.size(1)).front() : inputs[1].front();
        const Window window = windowOver(x, state, mask);
        const auto gates = zonedOut(context, product(context, window.seen, scanRows(m_weight), scanRows(m_bias)));
        if (isEdited(context, x, mask))
            return editedStep(context, at::cat(gates, 2), state, window);
        const auto scan = kernels::gatedScan(gates, state.narrow(1, 0, m_units), whereDefined(mask),
                                             {.candidate = kernels::Activation::Tanh, .outputGate = m_outputGate});
        showSignals(gates, scan.h, context);
        return {{shownOf(gates, scan, mask)},
                {window.last.defined() ? at::cat({scan.last, window.last}, 1) : scan.last}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        const std::int64_t width = m_units + (m_window - 1) * m_in;
        return {at::zeros({sequences, width}, m_weight.options().requires_grad(false))};
    }

private:
    /// The scan gives 0 at masked steps.
    at::Tensor shownOf(const std::vector<at::Tensor>& gates, const kernels::GatedScanResult& scan,
                       const at::Tensor& mask) const
    {
        if (!mask.defined() || !m_masked.reads())
            return m_masked.ofZeroed(scan.u, mask);
        const at::Tensor open = m_outputGate
                                    ? at::sigmoid(gates.back().narrow(2, gates.back().size(2) - m_units, m_units))
                                    : at::ones_like(scan.h);
        return at::where(mask.unsqueeze(-1), scan.u, open * scan.h);
    }

    Window windowOver(const at::Tensor& x, const at::Tensor& state, const at::Tensor& mask) const
    {
        const std::int64_t reach = m_window - 1;
        if (reach == 0)
            return {x, {}};
        const History history(x, state.narrow(1, m_units, reach * m_in).unflatten(1, {reach, m_in}), mask);
        std::vector<at::Tensor> seen = {x};
        for (std::int64_t back = 1; back < m_window; ++back)
            seen.push_back(history.before(back));
        return {at::cat(seen, 2), history.last().flatten(1)};
    }

    /// Rows z f o in the order of the scan, f z o, and with its sign: its f keeps.
    at::Tensor scanRows(const at::Tensor& rows) const
    {
        const at::Tensor z = rows.narrow(0, 0, m_units), f = rows.narrow(0, m_units, m_units);
        std::vector<at::Tensor> parts = {m_writes ? -f : f, z};
        if (m_outputGate)
            parts.push_back(rows.narrow(0, 2 * m_units, m_units));
        return at::cat(parts);
    }

    /// Zoneout drops what a step writes, 1 - f, with chance p; afterwards it writes the (1 - p)-th part, and
    ///     f' = p + (1 - p) σ(a)    is    σ(ln(p + e^a) - ln(1 - p)),
    /// so that the scan takes it as it is.
    std::vector<at::Tensor> zonedOut(const PassContext& context, const at::Tensor& gates) const
    {
        if (m_zoneout == 0)
            return {gates};
        constexpr double kOpen = 1e4; // σ is 1 there in any precision
        auto parts = gates.split_with_sizes({m_units, gates.size(2) - m_units}, 2);
        if (context.training) {
            const at::Tensor kept = dropoutMask(context, parts[0].sizes(), parts[0], m_zoneout);
            return {parts[0].masked_fill(kept == 0, kOpen), parts[1]};
        }
        const at::Tensor logZoneout = at::full({}, std::log(m_zoneout), gates.options());
        return {at::logaddexp(parts[0], logZoneout) - std::log1p(-m_zoneout), parts[1]};
    }

    bool isEdited(const PassContext& context, const at::Tensor& x, const at::Tensor& mask) const
    {
        return m_outputGate ? editsAny(context, {"c", "z", "f", "o"}, x, mask)
                            : editsAny(context, {"c", "z", "f"}, x, mask);
    }

    /// One step by the formulas, with what an editor makes of its signals.
    std::vector<Value> editedStep(const PassContext& context, const at::Tensor& gates, const at::Tensor& state,
                                  const Window& window) const
    {
        const auto parts = gates.split(m_units, 2);
        const at::Tensor z = context.edited("z", at::tanh(parts[1]));
        const at::Tensor f = context.edited("f", at::sigmoid(m_writes ? -parts[0] : parts[0]));
        const at::Tensor keeps = m_writes ? 1 - f : f;
        const at::Tensor c = context.edited("c", keeps * state.narrow(1, 0, m_units).unsqueeze(0) + (1 - keeps) * z);
        const at::Tensor y = m_outputGate ? context.edited("o", at::sigmoid(parts[2])) * c : c;
        const at::Tensor last = c.select(0, 0);
        return {{y}, {window.last.defined() ? at::cat({last, window.last}, 1) : last}};
    }

    void showSignals(const std::vector<at::Tensor>& gates, const at::Tensor& c, const PassContext& context) const
    {
        if (context.wants("c"))
            context.show("c", c.detach());
        if (!context.wants("z") && !context.wants("f") && !context.wants("o"))
            return;
        const auto parts = at::cat(gates, 2).detach().split(m_units, 2);
        if (context.wants("z"))
            context.show("z", at::tanh(parts[1]));
        if (context.wants("f"))
            context.show("f", at::sigmoid(m_writes ? -parts[0] : parts[0]));
        if (context.wants("o"))
            context.show("o", m_outputGate ? at::sigmoid(parts[2]) : at::ones_like(parts[0]));
    }

    MaskedOutput m_masked;
    std::int64_t m_in, m_units, m_window;
    bool m_outputGate;
    bool m_writes; // what an open f does, instead of keeping
    double m_zoneout;
    at::Tensor m_weight; // [gates units, window in], rows z f o
    at::Tensor m_bias;   // [gates units]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Qrnn>(setup);
}

} // namespace unroll::nodes::qrnn
