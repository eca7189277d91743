// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/group/store.h"

#include "core/base/reason.h"
#include "core/group/group.h"

#include <c10/util/Exception.h>
#include <c10/util/Logging.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <mutex>
#include <thread>

namespace unroll {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kSurvey(2);
constexpr std::chrono::milliseconds kLook(20);

std::chrono::milliseconds milliseconds(double seconds)
{
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

std::string key(const char* what, std::int64_t rank)
{
    return fmt::format("{}/{}", what, rank);
}

bool has(const StorePointer& store, const std::string& name)
{
    return store->check({name});
}

std::vector<std::int64_t> missing(const StorePointer& store, const RankPlace& place, const char* what)
{
    std::vector<std::int64_t> ranks;
    for (std::int64_t rank = 0; rank < place.size; ++rank)
        if (!has(store, key(what, rank)))
            ranks.push_back(rank);
    return ranks;
}

std::string ranksText(const std::vector<std::int64_t>& ranks)
{
    constexpr std::size_t kNamed = 8;
    const std::vector<std::int64_t> named(ranks.begin(),
                                          ranks.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, ranks.size())));
    return fmt::format("rank{} {}{}", ranks.size() == 1 ? "" : "s", fmt::join(named, ", "),
                       ranks.size() > kNamed ? " ..." : "");
}

StorePointer tcpStore(const RankPlace& place)
{
    c10d::TCPStoreOptions options;
    options.port = place.port;
    options.isServer = place.rank == 0 && !place.storeIsServed;
    options.numWorkers = static_cast<std::size_t>(place.size);
    options.waitWorkers = false;
    options.timeout = milliseconds(place.timeout);
    return c10::make_intrusive<c10d::TCPStore>(place.address, options);
}

/// What c10d logs while it waits or fails, with frames of its stack, is told by us where it matters. A level that the
/// user has set stands. Not by a variable set here: that may move the environment while another thread reads it.
void silenceC10d()
{
    static std::once_flag once; // ranks may be threads of one process
    std::call_once(once, [] {
        if (std::getenv("TORCH_CPP_LOG_LEVEL") != nullptr)
            c10::initLogging(); // reads the variable, which in a program without Python nobody else does
        else
            FLAGS_caffe2_log_level = c10::GLOG_FATAL;
    });
}

/// Until all have come.
Result<void> awaitAll(const StorePointer& store, const RankPlace& place)
{
    store->set(key("here", place.rank), std::string("1"));
    const auto end = Clock::now() + milliseconds(place.timeout);
    for (auto absent = missing(store, place, "here"); !absent.empty(); absent = missing(store, place, "here")) {
        if (Clock::now() > end)
            return fail(
                fmt::format("{} of {} did not come within {:g} s; each must be started with the same MASTER_ADDR "
                            "and MASTER_PORT, or all by torchrun",
                            ranksText(absent), place.size, place.timeout));
        std::this_thread::sleep_for(kLook);
    }
    return {};
}

void look(const StorePointer& store, const RankPlace& place, Survey& found)
{
    store->setTimeout(kSurvey);
    store->set(key("alive", place.rank), std::string("1"));
    const auto end = Clock::now() + kSurvey;
    std::vector<std::int64_t> silent;
    do {
        silent = missing(store, place, "alive");
        std::erase_if(silent, [&](std::int64_t rank) { return has(store, key("left", rank)); });
        if (silent.empty())
            break;
        std::this_thread::sleep_for(kLook);
    } while (Clock::now() < end);
    found.silent = silent;
    for (std::int64_t rank = 0; rank < place.size; ++rank)
        if (has(store, key("left", rank)))
            found.reasons.emplace_back(rank, store->get_to_str(key("left", rank)));
    found.answered = true;
}

void say(const StorePointer& store, const RankPlace& place, const std::string& reason)
{
    store->setTimeout(kSurvey);
    store->set(key("left", place.rank), reason);
    const bool serves = place.rank == 0 && !place.storeIsServed && !place.meeting;
    const auto isRead = [&] {
        auto others = missing(store, place, "alive");
        std::erase_if(others, [&](std::int64_t rank) { return has(store, key("left", rank)); });
        return others.empty();
    };
    for (const auto end = Clock::now() + kSurvey; serves && Clock::now() < end && !isRead();)
        std::this_thread::sleep_for(kLook);
}

/// The store's server may hang with its process, and a client then waits for it without end: not this thread.
template <class Found, class Work>
Found bounded(Work work)
{
    auto promise = std::make_shared<std::promise<Found>>();
    auto future = promise->get_future();
    std::thread([promise, work] {
        Found found{};
        try {
            work(found);
        } catch (const std::exception&) { // what is found so far is what there is to tell
        }
        promise->set_value(std::move(found));
    }).detach();
    return future.wait_for(2 * kSurvey) == std::future_status::ready ? future.get() : Found{};
}

} // namespace

std::string plainText(const std::string& words)
{
    std::string line = firstLine(words);
    if (line.starts_with('[')) // "[/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed ..."
        if (const std::size_t end = line.find("] "); end != std::string::npos)
            line.erase(0, end + 2);
    return line;
}

Result<StorePointer> openStore(const RankPlace& place)
{
    silenceC10d();
    try {
        const StorePointer whole = place.meeting ? place.meeting->store() : tcpStore(place);
        StorePointer store = c10::make_intrusive<c10d::PrefixStore>("unroll/" + place.attempt, whole);
        if (auto all = awaitAll(store, place); !all)
            return tl::unexpected(all.error());
        return store;
    } catch (const c10::Error& error) {
        const std::string words = plainText(error.what_without_backtrace());
        const bool serves = place.rank == 0 && !place.storeIsServed;
        if (serves && words.find("in use") != std::string::npos)
            return fail(
                fmt::format("rank 0 cannot wait for the others at {}:{}: the port is in use; set MASTER_PORT to "
                            "a free one",
                            place.address, place.port));
        return fail(fmt::format("rank {} of {} could not meet the others at {}:{} within {:g} s ({})", place.rank,
                                place.size, place.address, place.port, place.timeout, words));
    }
}

Survey surveyRanks(const StorePointer& store, const RankPlace& place)
{
    return bounded<Survey>([store, place](Survey& found) { look(store, place, found); });
}

void leaveReason(const StorePointer& store, const RankPlace& place, const std::string& reason)
{
    (void)bounded<Survey>([store, place, reason](Survey&) { say(store, place, reason); });
}

std::shared_ptr<Meeting> meetingInMemory()
{
    return std::make_shared<Meeting>(c10::make_intrusive<c10d::HashStore>());
}

} // namespace unroll
