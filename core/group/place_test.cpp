// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/group/place.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace unroll {
namespace {

using Variables = std::map<std::string, std::string>;

Result<std::optional<RankPlace>> placeIn(const Variables& variables)
{
    return rankPlace([&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
    });
}

RankPlace found(const Variables& variables)
{
    const auto place = placeIn(variables);
    EXPECT_TRUE(place) << place.error().text();
    EXPECT_TRUE(place && *place);
    return place && *place ? **place : RankPlace{};
}

std::string refused(const Variables& variables)
{
    const auto place = placeIn(variables);
    EXPECT_FALSE(place);
    return place ? std::string() : place.error().text();
}

TEST(RankPlace, IsNoneOfAProcessAlone)
{
    for (const Variables& alone : {Variables{},
                                   {{"RANK", "0"}, {"WORLD_SIZE", "1"}},
                                   {{"WORLD_SIZE", "1"}},
                                   {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}}) {
        const auto place = placeIn(alone);
        ASSERT_TRUE(place) << place.error().text();
        EXPECT_FALSE(*place);
    }
}

TEST(RankPlace, IsWhatTorchrunSays)
{
    const RankPlace place = found({{"RANK", "5"},
                                   {"WORLD_SIZE", "8"},
                                   {"LOCAL_RANK", "1"},
                                   {"LOCAL_WORLD_SIZE", "4"},
                                   {"MASTER_ADDR", "gpu01"},
                                   {"MASTER_PORT", "12345"},
                                   {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                   {"TORCHELASTIC_RESTART_COUNT", "2"},
                                   {"UNROLL_RANK_TIMEOUT", "7.5"},
                                   {"SLURM_PROCID", "0"},
                                   {"SLURM_NTASKS", "2"}}); // which started torchrun
    EXPECT_EQ(place.rank, 5);
    EXPECT_EQ(place.size, 8);
    EXPECT_EQ(place.localRank, 1);
    EXPECT_EQ(place.localSize, 4);
    EXPECT_EQ(place.address, "gpu01");
    EXPECT_EQ(place.port, 12345);
    EXPECT_TRUE(place.storeIsServed);
    EXPECT_EQ(place.attempt, "2");
    EXPECT_EQ(place.timeout, 7.5);
}

TEST(RankPlace, NeedsNoMoreThanRankAndSizeOnOneMachine)
{
    const RankPlace place = found({{"RANK", "1"}, {"WORLD_SIZE", "2"}});
    EXPECT_EQ(place.localRank, 1);
    EXPECT_EQ(place.localSize, 2);
    EXPECT_EQ(place.address, "127.0.0.1");
    EXPECT_EQ(place.port, 29500);
    EXPECT_EQ(place.timeout, 60);
    EXPECT_FALSE(place.storeIsServed);
}

TEST(RankPlace, IsWhatMpirunSays)
{
    const RankPlace open = found({{"OMPI_COMM_WORLD_RANK", "1"},
                                  {"OMPI_COMM_WORLD_SIZE", "4"},
                                  {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                  {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                                  {"MASTER_ADDR", "node1"}});
    EXPECT_EQ(open.rank, 1);
    EXPECT_EQ(open.size, 4);
    EXPECT_EQ(open.localSize, 2);
    const RankPlace other =
        found({{"PMI_RANK", "2"}, {"PMI_SIZE", "3"}, {"MPI_LOCALRANKID", "2"}, {"MPI_LOCALNRANKS", "3"}});
    EXPECT_EQ(other.rank, 2);
    EXPECT_EQ(other.size, 3);
    EXPECT_EQ(other.localRank, 2);
}

TEST(RankPlace, IsWhatSlurmSays)
{
    const Variables step{{"SLURM_JOB_ID", "123456"},
                         {"SLURM_STEP_ID", "0"},
                         {"SLURM_PROCID", "3"},
                         {"SLURM_NTASKS", "9"}, // of the job
                         {"SLURM_STEP_NUM_TASKS", "4"},
                         {"SLURM_LOCALID", "1"},
                         {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
                         {"SLURM_STEP_NODELIST", "node[07-08],other"}};
    const RankPlace place = found(step);
    EXPECT_EQ(place.rank, 3);
    EXPECT_EQ(place.size, 4);
    EXPECT_EQ(place.localRank, 1);
    EXPECT_EQ(place.localSize, 2);
    EXPECT_EQ(place.address, "node07");
    EXPECT_EQ(place.port, 15000 + 3456);
    Variables second = step; // of the same job, at the same time
    second["SLURM_STEP_ID"] = "1";
    EXPECT_NE(found(second).port, place.port);
    EXPECT_EQ(found({{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}}).rank, 1);
    Variables script = step; // of sbatch: it starts the ranks, and is none
    script.erase("SLURM_STEP_ID");
    const auto none = placeIn(script);
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
}

/// As srun of Slurm 22.05 sets them for four tasks on a machine of one core and one of three.
TEST(RankPlace, IsWhatSlurmSaysWhereMachinesDiffer)
{
    Variables task{{"SLURM_JOB_ID", "2"},
                   {"SLURM_STEP_ID", "0"},
                   {"SLURM_PROCID", "3"},
                   {"SLURM_STEP_NUM_TASKS", "4"},
                   {"SLURM_LOCALID", "2"},
                   {"SLURM_NODEID", "1"},
                   {"SLURM_STEP_TASKS_PER_NODE", "1,3"},
                   {"SLURM_STEP_NODELIST", "node[1-2]"}};
    EXPECT_EQ(found(task).localRank, 2);
    EXPECT_EQ(found(task).localSize, 3);
    task["PMI_RANK"] = "3"; // by srun --mpi=pmi2
    task["PMI_SIZE"] = "4";
    EXPECT_EQ(found(task).localRank, 2);
    EXPECT_EQ(found(task).localSize, 3);
    task["SLURM_STEP_TASKS_PER_NODE"] = "1(x3),2(x2),4";
    task["SLURM_STEP_NUM_TASKS"] = task["PMI_SIZE"] = "11";
    for (const auto& [machine, tasks] : {std::pair("0", 1), std::pair("2", 1), std::pair("3", 2), std::pair("4", 2)}) {
        task["SLURM_NODEID"] = machine;
        task["SLURM_LOCALID"] = "0";
        EXPECT_EQ(found(task).localSize, tasks) << machine;
    }
    task["SLURM_NODEID"] = "5";
    task["SLURM_LOCALID"] = "3";
    EXPECT_EQ(found(task).localSize, 4);
    task["SLURM_STEP_TASKS_PER_NODE"] = "many";
    EXPECT_NE(refused(task).find("SLURM_STEP_TASKS_PER_NODE"), std::string::npos);
}

/// mpirun of MPICH starts one process on each machine by srun, and its ranks have the variables of those too.
TEST(RankPlace, IsWhatMpirunSaysThatSlurmStarted)
{
    const RankPlace place = found({{"SLURM_JOB_ID", "7"},
                                   {"SLURM_STEP_ID", "0"},
                                   {"SLURM_PROCID", "1"},
                                   {"SLURM_STEP_NUM_TASKS", "2"},
                                   {"SLURM_LOCALID", "0"},
                                   {"SLURM_STEP_NODELIST", "node[1-2]"},
                                   {"PMI_RANK", "1"},
                                   {"PMI_SIZE", "2"},
                                   {"MPI_LOCALRANKID", "1"},
                                   {"MPI_LOCALNRANKS", "2"}});
    EXPECT_EQ(place.localRank, 1);
    EXPECT_EQ(place.localSize, 2);
}

TEST(RankPlace, NamesTheVariableThatIsWrong)
{
    EXPECT_NE(refused({{"RANK", "two"}, {"WORLD_SIZE", "2"}}).find("RANK must be a whole number from 0 to 1"),
              std::string::npos);
    EXPECT_NE(refused({{"RANK", "2"}, {"WORLD_SIZE", "2"}}).find("and is \"2\""), std::string::npos);
    EXPECT_NE(refused({{"RANK", "1x"}, {"WORLD_SIZE", "2"}}).find("RANK"), std::string::npos);
    EXPECT_NE(refused({{"RANK", "0"}, {"WORLD_SIZE", "-1"}}).find("WORLD_SIZE"), std::string::npos);
    EXPECT_NE(refused({{"RANK", "0"}}).find("RANK without WORLD_SIZE"), std::string::npos);
    EXPECT_NE(refused({{"WORLD_SIZE", "2"}}).find("WORLD_SIZE without RANK"), std::string::npos);
    const Variables two{{"RANK", "0"}, {"WORLD_SIZE", "2"}};
    for (const auto& [name, value] : Variables{{"MASTER_PORT", "70000"},
                                               {"LOCAL_RANK", "2"},
                                               {"LOCAL_WORLD_SIZE", "0"},
                                               {"UNROLL_RANK_TIMEOUT", "soon"},
                                               {"UNROLL_RANK_TIMEOUT", "0"}}) {
        Variables wrong = two;
        wrong[name] = value;
        EXPECT_NE(refused(wrong).find(name), std::string::npos) << name;
    }
    EXPECT_NE(refused({{"RANK", "0"}, {"WORLD_SIZE", "4"}, {"LOCAL_WORLD_SIZE", "2"}}).find("MASTER_ADDR"),
              std::string::npos);
}

} // namespace
} // namespace unroll
