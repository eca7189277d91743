// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace unroll {

class Meeting;

/// Where a process stands among those that train one model together, each a rank.
struct RankPlace {
    std::int64_t rank = 0;
    std::int64_t size = 1;      ///< ranks
    std::int64_t localRank = 0; ///< on this machine
    std::int64_t localSize = 1;
    std::string address = "127.0.0.1"; ///< where the ranks meet: a store that rank 0 or the starter serves
    std::uint16_t port = 29500;
    bool storeIsServed = false; ///< by the starter, as torchrun's agent does: rank 0 is a client too
    std::string attempt = "0";  ///< of a starter that starts all ranks again; keys of one are not another's
    double timeout = 60;        ///< seconds: a rank that does not answer for so long is lost
    std::shared_ptr<Meeting> meeting = nullptr; ///< of threads of one process, in the place of the address
};

/// The value of a variable; nothing where it is not set or empty.
using ReadVariable = std::function<std::optional<std::string>(const std::string& name)>;

/// What the starter of this process says of it: torchrun (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR,
/// MASTER_PORT), Open MPI (OMPI_COMM_WORLD_*), MPICH and Intel MPI (PMI_*), Slurm (SLURM_PROCID, SLURM_NTASKS).
/// Nothing: the process trains alone. Errors name the variable.
Result<std::optional<RankPlace>> rankPlace(const ReadVariable& read);
/// The same of this process's own environment.
Result<std::optional<RankPlace>> rankPlace();

/// "2 ranks on gpu01:29500"
std::string meetingText(const RankPlace& place);

/// A place in memory where threads of this process meet as ranks, for tests.
std::shared_ptr<Meeting> meetingInMemory();

/// What ranks talk by, as a sentence: "Gloo on CPUs; NCCL on GPUs is not built".
std::string groupBackends();

} // namespace unroll
