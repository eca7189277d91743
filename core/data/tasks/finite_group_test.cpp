// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/finite_group.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace unroll {
namespace {

TEST(FiniteGroup, HasTheAxiomsOfAGroup)
{
    for (const auto& [name, order] : std::map<std::string, int64_t>{{"z2", 2},
                                                                    {"z60", 60},
                                                                    {"s2", 2},
                                                                    {"s3", 6},
                                                                    {"s4", 24},
                                                                    {"s5", 120},
                                                                    {"a3", 3},
                                                                    {"a4", 12},
                                                                    {"a5", 60},
                                                                    {"a4xz5", 60}}) {
        const FiniteGroup group = FiniteGroup::named(name).value();
        ASSERT_EQ(group.order(), order) << name;
        for (int64_t a = 0; a < order; ++a) {
            EXPECT_EQ(group.product(0, a), a);
            EXPECT_EQ(group.product(a, 0), a);
            std::set<int64_t> row;
            for (int64_t b = 0; b < order; ++b) {
                row.insert(group.product(a, b));
                const int64_t c = (7 * a + 11 * b + 3) % order;
                EXPECT_EQ(group.product(group.product(a, b), c), group.product(a, group.product(b, c))) << name;
            }
            EXPECT_EQ(std::ssize(row), order); // every equation a x = b has one solution
        }
    }
    const FiniteGroup s3 = FiniteGroup::named("s3").value();
    EXPECT_NE(s3.product(1, 2), s3.product(2, 1)); // it is not abelian
    const FiniteGroup pairs = FiniteGroup::named("a4xz5").value();
    EXPECT_EQ(pairs.labels()[7], "13422");
    EXPECT_EQ(pairs.labels()[static_cast<size_t>(pairs.product(7, 9))], "14231"); // 1342 twice, 2 + 4 around the clock
    for (const char* name :
         {"", "z", "z1", "z121", "s6", "a2", "a6", "q8", "s3x", "xz5", "s5xz2", "a3xz2xz2", "s-3", "3"})
        EXPECT_FALSE(FiniteGroup::named(name)) << name;
}

} // namespace
} // namespace unroll
