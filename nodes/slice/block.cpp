// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/core/Tensor.h>

namespace unroll::nodes::slice {

namespace {

class Slice final : public Block {
public:
    explicit Slice(const BlockSetup& setup)
        : Block(setup), m_start(setup.integer("start")), m_width(setup.integer("width"))
    {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        return onlyOutput(context, only(inputs[0]).narrow(-1, m_start, m_width).clone(at::MemoryFormat::Contiguous));
    }

private:
    std::int64_t m_start, m_width;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Slice>(setup);
}

} // namespace unroll::nodes::slice
