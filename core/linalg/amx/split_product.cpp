// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/linalg/amx/split_product.h"

#include "core/linalg/amx/amx.h"
#include "core/linalg/amx/split_tiles.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>
#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <atomic>

namespace unroll::linalg {

#if defined(__x86_64__)

namespace {

constexpr std::int64_t kBlockPanels = 8; ///< of rows, packed at a time: they fill half of a core's second cache

std::int64_t dividedUp(std::int64_t count, std::int64_t by)
{
    return (count + by - 1) / by;
}

std::int64_t panelsOf(std::int64_t count)
{
    return dividedUp(count, kSplitPanel);
}

bool hasAUnitStride(const at::Tensor& matrix)
{
    return matrix.stride(0) == 1 || matrix.stride(1) == 1;
}

SplitFactor factor(const at::Tensor& matrix)
{
    return {matrix.const_data_ptr<float>(), matrix.stride(0), matrix.stride(1)};
}

/// Room for what all threads read, and then for each of them. It is kept from call to call, as MKL keeps its own: pages
/// in use are faster than fresh ones.
class Packed {
public:
    Packed(std::int64_t sharedBytes, std::int64_t threadBytes)
        : m_sharedBytes(sharedBytes),
          m_threadBytes(threadBytes),
          m_bytes(kept(sharedBytes + at::get_num_threads() * threadBytes))
    {}

    std::uint8_t* shared() const { return m_bytes; }
    std::uint8_t* ofThisThread() const { return m_bytes + m_sharedBytes + at::get_thread_num() * m_threadBytes; }

private:
    static std::uint8_t* kept(std::int64_t bytes)
    {
        thread_local hwy::AlignedFreeUniquePtr<std::uint8_t[]> room;
        thread_local std::int64_t size = 0;
        if (bytes > size) {
            room = hwy::AllocateAligned<std::uint8_t>(static_cast<std::size_t>(bytes));
            size = bytes;
        }
        return room.get();
    }

    std::int64_t m_sharedBytes, m_threadBytes;
    std::uint8_t* m_bytes;
};

/// Panels of a block: the blocks are of one size, and as many for every thread.
std::int64_t blockPanels(std::int64_t rows)
{
    const std::int64_t threads = at::get_num_threads(),
                       each = std::max<std::int64_t>(1, dividedUp(panelsOf(rows), threads));
    return dividedUp(each, dividedUp(each, kBlockPanels));
}

/// False where a number has no parts: then out is of no use.
bool multiplyDepth(const SplitProduct& p, Range depth, const Packed& packed)
{
    std::atomic<bool> whole = true;
    at::parallel_for(0, panelsOf(p.columns), 1, [&](std::int64_t begin, std::int64_t end) {
        if (!packColumns(p, depth, {begin, end}, packed.shared()))
            whole = false;
    });
    const std::int64_t panels = panelsOf(p.rows), together = blockPanels(p.rows);
    at::parallel_for(0, dividedUp(panels, together), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t first = i * together, last = std::min(first + together, panels);
            if (!packRows(p, depth, {first, last}, packed.ofThisThread()))
                whole = false;
            multiplyPacked(p, depth, {first * kSplitPanel, std::min(last * kSplitPanel, p.rows)}, packed.ofThisThread(),
                           packed.shared());
        }
    });
    return whole;
}

/// As the library multiplies, with Inf and NaN as IEEE 754 has them.
at::Tensor byLibrary(const at::Tensor& left, const at::Tensor& right, const SplitForm& form)
{
    if (form.leftSums != nullptr)
        *form.leftSums = left.sum(1);
    const at::Tensor product = (form.scale.defined() ? left * form.scale : left).mm(right);
    return form.bias.defined() ? product + form.bias : product;
}

} // namespace

bool hasSplitProducts()
{
    return hasAmx();
}

at::Tensor splitProduct(const at::Tensor& left, const at::Tensor& right, const SplitForm& form)
{
    const at::Tensor l = hasAUnitStride(left) ? left : left.contiguous();
    const at::Tensor r = hasAUnitStride(right) ? right : right.contiguous();
    const std::int64_t rows = l.size(0), depth = l.size(1), columns = r.size(1), panels = panelsOf(columns);
    at::Tensor out = at::empty({rows, columns}, l.options());
    const at::Tensor bias = form.bias.defined() ? at::constant_pad_nd(form.bias, {0, panels * kSplitPanel - columns})
                                                : at::zeros({panels * kSplitPanel}, l.options());
    const at::Tensor scale = form.scale.defined() ? form.scale.contiguous() : at::Tensor();
    at::Tensor sums = form.leftSums != nullptr ? at::zeros({rows}, at::kDouble) : at::Tensor();
    const int rightParts = form.rightIsBf16 ? 1 : kSplitParts;
    const SplitProduct p{.left = factor(l),
                         .right = factor(r),
                         .rightParts = rightParts,
                         .rows = rows,
                         .depth = depth,
                         .columns = columns,
                         .scale = scale.defined() ? scale.const_data_ptr<float>() : nullptr,
                         .bias = bias.const_data_ptr<float>(),
                         .out = out.mutable_data_ptr<float>(),
                         .leftSums = sums.defined() ? sums.mutable_data_ptr<double>() : nullptr};
    const Packed packed(packedPanelBytes(panels, rightParts, depth),
                        packedPanelBytes(blockPanels(rows), kSplitParts, depth));
    for (std::int64_t begin = 0; begin < std::max<std::int64_t>(depth, 1); begin += kSplitDepth)
        if (!multiplyDepth(p, {begin, std::min(begin + kSplitDepth, depth)}, packed))
            return byLibrary(left, right, form);
    if (sums.defined())
        *form.leftSums = sums.to(at::kFloat);
    return out;
}

#else

bool hasSplitProducts()
{
    return false;
}

at::Tensor splitProduct(const at::Tensor&, const at::Tensor&, const SplitForm&)
{
    TORCH_CHECK(false, "split products are for x86-64 with AMX");
}

#endif

} // namespace unroll::linalg
