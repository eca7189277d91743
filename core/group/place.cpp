// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/group/place.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <limits>

namespace unroll {

namespace {

constexpr double kMostSeconds = 1e6;

struct Starter {
    const char *rank, *size, *localRank, *localSize;
};

/// In this order: torchrun may itself be started by one of the others.
constexpr Starter kStarters[] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_TASKS_PER_NODE"},
};

/// A whole number from `least` on that the variable `name` has as `text`.
Result<std::int64_t> wholeOf(const char* name, const std::string& text, std::int64_t least, std::int64_t most)
{
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size() || value < least || value > most)
        return fail(fmt::format("the environment variable {} must be a whole number from {} to {}, and is \"{}\"", name,
                                least, most, text));
    return value;
}

Result<std::int64_t> wholeIn(const ReadVariable& read, const char* name, std::int64_t least, std::int64_t most)
{
    return wholeOf(name, read(name).value_or(""), least, most);
}

/// Of Slurm's "2(x3),1", two on each of three machines and one on the fourth: what is on the machine of this number.
std::string tasksOn(std::string_view list, std::int64_t machine)
{
    while (true) {
        const std::string_view entry = list.substr(0, list.find(','));
        const std::size_t times = entry.find("(x");
        std::int64_t machines = 1;
        if (times != std::string_view::npos)
            std::from_chars(entry.data() + times + 2, entry.data() + entry.size(), machines);
        if (machine < machines || entry.size() == list.size())
            return std::string(entry.substr(0, times));
        machine -= machines;
        list.remove_prefix(entry.size() + 1);
    }
}

bool isHere(const std::string& address)
{
    return address == "localhost" || address == "::1" || address.starts_with("127.");
}

/// The first machine of Slurm's list: "node01" of "node[01-04],other".
std::string firstHost(const std::string& list)
{
    const std::size_t end = list.find_first_of(",[");
    std::string host = list.substr(0, end);
    if (end != std::string::npos && list[end] == '[')
        host += list.substr(end + 1, list.find_first_of(",-]", end) - end - 1);
    return host;
}

/// srun --mpi=pmi2 sets PMI_RANK and PMI_SIZE to its own numbers, and leaves out what is on one machine.
bool isPmiOfSlurm(const ReadVariable& read)
{
    return read("SLURM_STEP_ID") && !read("MPI_LOCALRANKID") && read("SLURM_PROCID") == read("PMI_RANK") &&
           read("SLURM_STEP_NUM_TASKS") == read("PMI_SIZE");
}

/// A script of sbatch has the variables of a rank without being one: ranks there are steps of srun.
bool isStarted(const ReadVariable& read, const Starter& starter)
{
    const std::string_view rank = starter.rank;
    return read(starter.rank) && read(starter.size) && !(rank == "PMI_RANK" && isPmiOfSlurm(read)) &&
           !(rank == "SLURM_PROCID" && read("SLURM_JOB_ID") && !read("SLURM_STEP_ID"));
}

/// Jobs that share a machine, and steps of one job, need ports of their own. Jobs of one time have near numbers.
Result<std::uint16_t> slurmPort(const ReadVariable& read)
{
    constexpr std::int64_t kFirst = 15000, kPorts = 10000, kStep = 617,
                           kMost = std::numeric_limits<std::int64_t>::max();
    const auto job = wholeIn(read, "SLURM_JOB_ID", 0, kMost);
    if (!job)
        return tl::unexpected(job.error());
    const auto step = wholeOf("SLURM_STEP_ID", read("SLURM_STEP_ID").value_or("0"), 0, kMost);
    if (!step)
        return tl::unexpected(step.error());
    return static_cast<std::uint16_t>(kFirst + (*job % kPorts + kStep * (*step % kPorts)) % kPorts);
}

Result<void> readMeeting(const ReadVariable& read, RankPlace& place)
{
    const auto host = read("MASTER_ADDR");
    if (host)
        place.address = *host;
    else if (const auto list = read("SLURM_STEP_NODELIST"))
        place.address = firstHost(*list);
    constexpr std::int64_t kMostPort = std::numeric_limits<std::uint16_t>::max();
    if (read("MASTER_PORT")) {
        const auto port = wholeIn(read, "MASTER_PORT", 1, kMostPort);
        if (!port)
            return tl::unexpected(port.error());
        place.port = static_cast<std::uint16_t>(*port);
    } else if (read("SLURM_JOB_ID")) {
        const auto port = slurmPort(read);
        if (!port)
            return tl::unexpected(port.error());
        place.port = *port;
    }
    place.storeIsServed = read("TORCHELASTIC_USE_AGENT_STORE") == "True";
    place.attempt = read("TORCHELASTIC_RESTART_COUNT").value_or("0");
    return {};
}

Result<void> readTimeout(const ReadVariable& read, RankPlace& place)
{
    const auto text = read("UNROLL_RANK_TIMEOUT");
    if (!text)
        return {};
    double seconds = 0;
    const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), seconds);
    if (fault != std::errc() || end != text->data() + text->size() || !(seconds > 0) || seconds > kMostSeconds)
        return fail(fmt::format("the environment variable UNROLL_RANK_TIMEOUT must be a number of seconds above 0, and "
                                "is \"{}\"",
                                *text));
    place.timeout = seconds;
    return {};
}

/// What is not said of this machine: all ranks are here where they meet here.
Result<void> readLocal(const ReadVariable& read, const Starter& starter, RankPlace& place)
{
    place.localSize = isHere(place.address) ? place.size : 1;
    if (auto text = read(starter.localSize)) {
        if (std::string_view(starter.localSize).ends_with("_PER_NODE")) {
            const auto machine = wholeOf("SLURM_NODEID", read("SLURM_NODEID").value_or("0"), 0, place.size - 1);
            if (!machine)
                return tl::unexpected(machine.error());
            text = tasksOn(*text, *machine);
        }
        const auto size = wholeOf(starter.localSize, *text, 1, place.size);
        if (!size)
            return tl::unexpected(size.error());
        place.localSize = *size;
    }
    place.localRank = place.localSize == place.size ? place.rank : 0;
    if (read(starter.localRank)) {
        const auto rank = wholeIn(read, starter.localRank, 0, place.localSize - 1);
        if (!rank)
            return tl::unexpected(rank.error());
        place.localRank = *rank;
    }
    if (isHere(place.address) && place.localSize < place.size)
        return fail(fmt::format("{} of {} ranks are on this machine, and MASTER_ADDR does not name a machine that the "
                                "others can reach: set it to the one where rank 0 runs",
                                place.localSize, place.size));
    return {};
}

/// One of the two says nothing without the other.
Result<void> demandBoth(const ReadVariable& read)
{
    for (const auto& [there, missing] : {std::pair("RANK", "WORLD_SIZE"), std::pair("WORLD_SIZE", "RANK")})
        if (read(there) && !read(missing) && !(there == std::string_view("WORLD_SIZE") && read(there) == "1"))
            return fail(fmt::format("the environment has {} without {}: ranks of one training need both (torchrun sets "
                                    "them); unset it to train alone",
                                    there, missing));
    return {};
}

} // namespace

Result<std::optional<RankPlace>> rankPlace(const ReadVariable& read)
{
    if (auto both = demandBoth(read); !both)
        return tl::unexpected(both.error());
    for (const Starter& starter : kStarters) {
        if (!isStarted(read, starter))
            continue;
        constexpr std::int64_t kMostRanks = 1 << 20;
        const auto size = wholeIn(read, starter.size, 1, kMostRanks);
        if (!size)
            return tl::unexpected(size.error());
        const auto rank = wholeIn(read, starter.rank, 0, *size - 1);
        if (!rank)
            return tl::unexpected(rank.error());
        if (*size == 1)
            return std::nullopt;
        RankPlace place{.rank = *rank, .size = *size};
        for (const auto& part : {readMeeting(read, place), readTimeout(read, place), readLocal(read, starter, place)})
            if (!part)
                return tl::unexpected(part.error());
        return place;
    }
    return std::nullopt;
}

Result<std::optional<RankPlace>> rankPlace()
{
    return rankPlace([](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
    });
}

std::string meetingText(const RankPlace& place)
{
    return place.meeting ? fmt::format("{} ranks in one process", place.size)
                         : fmt::format("{} ranks at {}:{}", place.size, place.address, place.port);
}

} // namespace unroll
