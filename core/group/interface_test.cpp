// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/group/interface.h"

#include "core/group/group.h"

#include <gtest/gtest.h>

namespace unroll {
namespace {

TEST(AddressForOthers, IsNoneWhereAllAreHere)
{
    EXPECT_EQ(addressForOthers({.rank = 1, .size = 2, .localRank = 1, .localSize = 2}), "");
    EXPECT_EQ(addressForOthers({.size = 2, .meeting = meetingInMemory()}), "");
    EXPECT_EQ(addressForOthers({.size = 2, .address = "no-such-machine.invalid"}), "");
}

/// Two machines with interfaces, names and a Debian's /etc/hosts of their own are in tests/python/cli/test_machines.py.
TEST(AddressForOthers, IsNotTheLoopbackOne)
{
    for (const char* name : {"127.0.0.1", "127.0.1.1", "::1"}) {
        const std::string address = addressForOthers({.size = 2, .address = name});
        EXPECT_FALSE(address.starts_with("127.")) << address;
        EXPECT_NE(address, "::1");
        if (!address.empty()) { // this machine has a network
            EXPECT_EQ(addressForOthers({.size = 2, .address = address}), address);
        }
    }
}

} // namespace
} // namespace unroll
