// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/class_bands.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/where.h>

namespace unroll::nodes::adaptive_embedding {

namespace {

class AdaptiveEmbedding final : public Block {
public:
    explicit AdaptiveEmbedding(const BlockSetup& setup)
        : Block(setup),
          m_bands(bandsOf(setup.text("cutoffs"), setup.dimension("classes"))),
          m_rows(addWeight(setup, "head.weight"))
    {
        for (std::size_t tail = 0; tail < m_bands.tails(); ++tail)
            m_tails.push_back({addWeight(setup, tailWeight(tail, 0)), addWeight(setup, tailWeight(tail, 1))});
    }

    /// Every band at every step, so that the work does not depend on the tokens; `where` takes each one's own.
    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor tokens = only(inputs[0]);
        at::Tensor y = at::embedding(m_rows, tokens.clamp_max(m_bands.shortlist() - 1));
        for (std::size_t tail = 0; tail < m_tails.size(); ++tail) {
            const std::int64_t first = m_bands.first(tail), last = m_bands.size(tail) - 1;
            const at::Tensor rows = at::embedding(m_tails[tail].rows, (tokens - first).clamp(0, last));
            // A later tail's tokens are taken by that one.
            y = at::where(tokens.ge(first).unsqueeze(-1), product(context, rows, m_tails[tail].up), y);
        }
        return onlyOutput(context, std::move(y));
    }

private:
    struct Tail {
        at::Tensor rows; // [classes of the tail, w]
        at::Tensor up;   // [width, w]
    };

    ClassBands m_bands;
    at::Tensor m_rows; // [shortlist, width]
    std::vector<Tail> m_tails;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<AdaptiveEmbedding>(setup);
}

} // namespace unroll::nodes::adaptive_embedding
