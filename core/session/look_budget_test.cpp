// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/look_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace unroll {
namespace {

/// Training by updates of 7 ms with snapshots between them, as RunLooks has it.
struct Simulated {
    LookBudget budget;
    std::map<std::string, double> costs; ///< of each snapshot but the shared one
    double sharedCost = 0;               ///< 0: there is none
    double drawing = 0;                  ///< of every snapshot, told later
    double now = 0, spent = 0;
    std::map<std::string, int> taken = {};

    void run(double seconds)
    {
        std::vector<std::string> names;
        for (const auto& [name, cost] : costs)
            names.push_back(name);
        for (const double end = now + seconds; now < end;) {
            now += 0.007;
            const double began = now;
            if (sharedCost > 0 && budget.isSharedDue(now, !names.empty())) {
                pass(sharedCost);
                ++taken["shared"];
                budget.tookShared(began, sharedCost);
            } else if (const auto place = budget.due(now, names)) {
                pass(costs[names[*place]]);
                ++taken[names[*place]];
                budget.took(names[*place], began, costs[names[*place]]);
            } else
                continue;
            if (drawing > 0) {
                pass(drawing);
                budget.alsoTook(drawing);
            }
        }
    }
    void pass(double cost)
    {
        now += cost;
        spent += cost;
    }
};

TEST(LookBudget, TakesItsShareHoweverManyLook)
{
    for (const double share : {0.01, 0.05})
        for (const double drawing : {0.0, 0.03}) {
            Simulated run{LookBudget(share), {{"attention", 0.004}, {"gates", 0.02}, {"tracks", 0.8}, {"touch", 0.15}}};
            run.sharedCost = 0.006;
            run.drawing = drawing;
            run.run(2000);
            EXPECT_LE(run.spent, share * run.now + 1) << share << " " << drawing;
            EXPECT_GE(run.spent, 0.8 * share * run.now) << share << " " << drawing;
            for (const auto& [who, cost] : run.costs)
                EXPECT_GE(run.taken[who] * (cost + drawing), 0.05 * share * run.now) << who;
        }
}

TEST(LookBudget, WhatOthersLeaveGoesToTheCostliest)
{
    Simulated alone{LookBudget(0.05), {{"tracks", 0.5}}}, beside{LookBudget(0.05), {{"tracks", 0.5}, {"gates", 0.001}}};
    alone.run(1000);
    beside.run(1000);
    EXPECT_NEAR(alone.taken["tracks"], 100, 5);
    EXPECT_GE(beside.taken["tracks"], 30) << "half of the rest, nearly; its own part alone would give 25";
    EXPECT_GE(beside.taken["gates"], 1000);
}

TEST(LookBudget, TheUnknownComeOneAfterTheOther)
{
    LookBudget budget(0.05);
    const std::vector<std::string> names{"a", "b"};
    ASSERT_EQ(budget.due(1, names), 0u);
    budget.took("a", 1, 1);
    EXPECT_FALSE(budget.due(10, names)) << "a is not paid for";
    EXPECT_EQ(budget.due(30, names), 1u);
}

TEST(LookBudget, AQuestionMayHaveALittleCredit)
{
    LookBudget budget(0.05);
    EXPECT_FALSE(budget.mayHurry(1, "touch")) << "nobody knows what it costs";
    budget.took("touch", 1, 0.1);
    EXPECT_TRUE(budget.mayHurry(1.1, "touch"));
    budget.took("touch", 1.1, 0.1);
    EXPECT_FALSE(budget.mayHurry(1.2, "touch")) << "one after the other would be no budget";
    EXPECT_TRUE(budget.mayHurry(6, "touch"));
    LookBudget none(0);
    none.took("touch", 1, 0.1);
    EXPECT_FALSE(none.mayHurry(100, "touch"));
    EXPECT_FALSE(none.due(100, {"touch"}));
}

TEST(LookBudget, AnHourWithoutALookDoesNotPayForMany)
{
    LookBudget budget(0.05);
    budget.took("a", 0, 1);
    ASSERT_TRUE(budget.due(3600, {"a"}));
    budget.took("a", 3600, 1);
    EXPECT_FALSE(budget.due(3610, {"a"}));
}

} // namespace
} // namespace unroll
