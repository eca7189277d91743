// SPDX-License-Identifier: GPL-3.0-or-later
// The costs of some blocks, worked out by hand. A multiply-add is two operations, any other one is one.
#include "tests/contract/block_case.h"

#include <gtest/gtest.h>

namespace unroll::contract {

namespace {

struct ByHand {
    std::string block;
    std::int64_t in; ///< x; the block's own size is 16
    double forward, backward;
};

} // namespace

TEST(Costs, AreThoseWorkedOutByHand)
{
    const ByHand wanted[] = {
        {"linear", 8, 2 * 8 * 16 + 16, 4 * 8 * 16 + 16},
        // products 2 64 (8 + 16) = 3072, sums 3 64, elements 9 16; twice the products, biases 64, elements 23 16
        {"lstm", 8, 3072 + 192 + 144, 6144 + 64 + 368},
        // products 2 48 (8 + 16) = 2304, sums 3 48, elements 7 16; twice the products, biases 48, elements 18 16
        {"gru", 8, 2304 + 144 + 112, 4608 + 48 + 288},
        // k = 3: products 2 16 48 = 1536, elements 14 16; twice the products, elements 35 16
        {"sru", 16, 1536 + 224, 3072 + 560},
        // k = 4: products 2 8 64 = 1024
        {"sru", 8, 1024 + 224, 2048 + 560},
        // f and c 2 8 32 + 32 and 10 8 for norm and rounding, g 2 8 16 + 16, o 2 16 16 + 16, scan 9 16;
        // backward 4 8 32 + 32 and 9 8, 4 8 16 + 16, 4 16 16 + 16, 23 16
        {"grumml", 8, 544 + 80 + 272 + 528 + 144, 1056 + 72 + 528 + 1040 + 368},
        // products 2 8 32, elements 7 16; twice the products, elements 14 16
        {"mingru", 8, 512 + 112, 1024 + 224},
        // products 2 8 48, biases 48, elements 8 16; twice the products, biases 48, elements 20 16
        {"qrnn", 8, 768 + 48 + 128, 1536 + 48 + 320},
        // projections 2 16 64 + 64; T = 5: 3 steps seen on average, 4 16 3, softmax of 4 heads 6 4 3, RoPE 3 32;
        // backward 4 16 64 + 64, 8 16 3, 5 4 3, 3 32
        {"attention", 16, 2112 + 192 + 72 + 96, 4160 + 384 + 60 + 96},
        // up 2 8 128, read-out 2 128 16, two heads of 2 8³ for making M and 2 8³ for H M; backward all twice
        {"mru", 8, 2048 + 4096 + 4096, 4096 + 8192 + 8192},
    };
    for (const ByHand& row : wanted) {
        SCOPED_TRACE(row.block + " " + std::to_string(row.in));
        BlockCase made{registry().find(row.block), {}, {}};
        const char* size = made.spec->param("units") != nullptr ? "units" : "width";
        made.params = made.spec->withDefaults({{size, std::int64_t{16}}}); // a name that a block lacks is dropped
        made.inputs["x"] = {.type = PortType::Sequence, .width = row.in};
        EXPECT_EQ(costOf(made).forwardFlops, row.forward);
        EXPECT_EQ(costOf(made).backwardFlops, row.backward);
    }
}

} // namespace unroll::contract
