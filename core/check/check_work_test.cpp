// SPDX-License-Identifier: GPL-3.0-or-later
// The check runs on every edit, so its work must grow with the graph and no faster. Counted, not timed: `./dev bench
// check` has the times.
#include "core/check/check.h"

#include "core/check/test_large_graphs.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

namespace {
thread_local std::size_t allocations = 0;
} // namespace

// Of the whole test program: the standard library has no other way to count. The compiler wants new and delete of one
// make.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size)
{
    ++allocations;
    if (void* memory = std::malloc(size > 0 ? size : 1))
        return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept // std::stable_sort's
{
    ++allocations;
    return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace unroll {
namespace {

using namespace testing_specs;

struct Work {
    double allocated = 0; ///< pieces of memory
    double inferred = 0;  ///< times that a block was asked for its shapes
};

Work workOf(const Graph& graph)
{
    double inferred = 0;
    BlockRegistry blocks;
    const BlockRegistry specs = registry();
    for (const BlockSpec* spec : specs.all()) {
        BlockSpec counting = *spec;
        counting.infer = [&inferred, infer = spec->infer](InferScope& scope) {
            ++inferred;
            infer(scope);
        };
        blocks.add(std::move(counting));
    }
    const std::size_t before = allocations;
    const CheckedGraph result = check(graph, blocks, options());
    EXPECT_EQ(result.nodes.size(), graph.nodes.size());
    return {static_cast<double>(allocations - before), inferred};
}

void expectTenfold(const char* what, Graph (*make)(int), int count)
{
    SCOPED_TRACE(what);
    const Graph small = make(count), large = make(10 * count);
    const Work few = workOf(small), many = workOf(large);
    std::printf("check of %zu and %zu nodes (%s): %.1f and %.1f allocations a node, %.2f and %.2f inferences\n",
                small.nodes.size(), large.nodes.size(), what, few.allocated / static_cast<double>(small.nodes.size()),
                many.allocated / static_cast<double>(large.nodes.size()),
                few.inferred / static_cast<double>(small.nodes.size()),
                many.inferred / static_cast<double>(large.nodes.size()));
    EXPECT_GT(few.allocated, 0);
    EXPECT_LT(many.allocated, 10.5 * few.allocated);
    EXPECT_LE(many.inferred, 10 * few.inferred);
}

TEST(CheckWork, GrowsWithTheGraph)
{
    expectTenfold("layers", residualLayers, 300);
    expectTenfold("loose nodes", looseNodes, 300);
    expectTenfold("rings", rings, 300);
}

TEST(CheckWork, AsksEachBlockOnce)
{
    const Graph graph = residualLayers(50);
    EXPECT_EQ(workOf(graph).inferred, static_cast<double>(graph.nodes.size()));
}

} // namespace
} // namespace unroll
