// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/mru/matrices.h"
#include "nodes/mru/scans.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace unroll::nodes::mru {

namespace {

constexpr double kLeastNorm = 1e-38; ///< whose logarithm is a number in fp32

class Mru final : public Block {
public:
    explicit Mru(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_heads(setup.integer("num_heads")),
          m_size(setup.integer("matrix_size")),
          m_maker(setup.text("maker")),
          m_scan(setup.text("scan")),
          m_dropout(setup.real("dropout"))
    {
        m_up = addWeight(setup, "state_matrices_up");
        m_down = addWeight(setup, "state_matrices_down");
        m_out = addWeight(setup, "mru_out");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), state = only(inputs[1]), mask = only(inputs[2]);
        const bool isEdited = editsAny(context, {"M", "H"}, x, mask);
        const at::Tensor m = context.edited("M", matrices(context, x));
        auto result = scanMatrices(m_scan, m, before(state), whereDefined(mask));
        if (isEdited) {
            result.h = context.edited("H", result.h);
            result.last = result.h.select(0, 0);
        }
        showSignals(context, m.detach(), result.h.detach());
        const at::Tensor y = product(context, result.h.flatten(2), readOut());
        return {{m_masked.of(y, mask)}, {(result.last - identity()).flatten(1)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_heads * m_size * m_size}, m_out.options().requires_grad(false))};
    }

private:
    bool isOld() const { return m_maker == "old"; }
    at::Tensor identity() const { return at::eye(m_size, m_out.options().requires_grad(false)); }

    /// H before the first step. The state that is handed on is H - I, so that zeros stand for the beginning.
    std::optional<at::Tensor> before(const at::Tensor& state) const
    {
        if (!state.defined())
            return std::nullopt;
        return state.unflatten(-1, {m_heads, m_size, m_size}) + identity();
    }

    bool drops(const PassContext& context) const { return context.training && m_dropout > 0; }

    /// M of every step, [T, B, heads, n, n].
    at::Tensor matrices(const PassContext& context, const at::Tensor& x) const
    {
        if (m_maker != "identity" || drops(context))
            return makeMatrices(m_maker, numbers(context, x), m_size);
        // The product adds I on its way.
        const at::Tensor ones = identity().flatten().repeat({m_heads});
        return product(context, x, m_up, ones).unflatten(-1, {m_heads, m_size, m_size});
    }

    /// What the maker takes, [T, B, heads, count].
    at::Tensor numbers(const PassContext& context, const at::Tensor& x) const
    {
        at::Tensor made = isOld() ? oldNumbers(x) : product(context, x, m_up);
        if (drops(context))
            made = made * dropoutMask(context, made.sizes(), made, m_dropout);
        if (isOld())
            return made.flatten(-2) * (0.08 * static_cast<double>(m_heads));
        return made.unflatten(-1, {m_heads, -1});
    }

    /// Each row of each head is made of its own piece of x, [T, B, heads, n, n]. Zeros fill up the last one.
    at::Tensor oldNumbers(const at::Tensor& x) const
    {
        const std::int64_t columns = m_up.size(1), whole = m_heads * m_size * columns;
        const at::Tensor filled = x.size(-1) == whole ? x : at::constant_pad_nd(x, {0, whole - x.size(-1)});
        return at::matmul(filled.unflatten(-1, {m_heads, m_size, columns}), m_up);
    }

    /// W_down and W_out are one matrix, [units, heads n n]: out[u, (h,i,c)] down[h, k, c] summed over c.
    at::Tensor readOut() const
    {
        const std::int64_t units = m_out.size(0), columns = m_down.size(2);
        at::Tensor down = m_down;
        if (isOld())
            down = down * static_cast<double>(m_heads * columns);
        const at::Tensor out = m_out.view({units, m_heads, m_size, columns}).transpose(0, 1).flatten(1, 2);
        return at::bmm(out, down.transpose(1, 2)).unflatten(1, {units, m_size}).transpose(0, 1).flatten(1);
    }

    void showSignals(const PassContext& context, const at::Tensor& m, const at::Tensor& h) const
    {
        if (context.wants("H"))
            context.show("H", h);
        if (context.wants("M"))
            context.show("M", m);
        if (context.wants("log_norm")) {
            const at::Tensor flat = h.flatten(-2), most = flat.abs().amax({-1}, true).clamp_min(kLeastNorm);
            const at::Tensor norm =
                (flat / most).norm(2, {-1}) / std::sqrt(static_cast<double>(m_size)); // no square overflows
            context.show("log_norm", norm.clamp_min(kLeastNorm).log10() + most.squeeze(-1).log10());
        }
    }

    MaskedOutput m_masked;
    std::int64_t m_heads, m_size;
    std::string m_maker, m_scan;
    double m_dropout;
    at::Tensor m_up;   // [heads count, in]; old: [heads, columns, n]
    at::Tensor m_down; // [heads, n, columns]
    at::Tensor m_out;  // [units, heads n columns]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Mru>(setup);
}

} // namespace unroll::nodes::mru
