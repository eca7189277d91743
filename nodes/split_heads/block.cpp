// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/core/Tensor.h>

namespace unroll::nodes::split_heads {

namespace {

class SplitHeads final : public Block {
public:
    explicit SplitHeads(const BlockSetup& setup)
        : Block(setup),
          m_width(setup.dimension("input_size") / setup.integer("num_heads")),
          m_start((setup.integer("head") - 1) * m_width)
    {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        return onlyOutput(context, only(inputs[0]).narrow(-1, m_start, m_width).clone(at::MemoryFormat::Contiguous));
    }

private:
    std::int64_t m_width; // of a head
    std::int64_t m_start;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<SplitHeads>(setup);
}

} // namespace unroll::nodes::split_heads
