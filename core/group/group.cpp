// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/group/group.h"

#include "core/group/backend.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/util/Exception.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <mutex>

namespace unroll {

namespace {

constexpr std::int64_t kBucketBytes = 25 << 20;
constexpr const char* kGloo = "Gloo";
constexpr const char* kNccl = "NCCL";

std::chrono::milliseconds timeoutOf(const RankPlace& place)
{
    return std::chrono::milliseconds(static_cast<std::int64_t>(place.timeout * 1000));
}

/// What another rank said when it left; empty: none did.
std::string leavingText(const Survey& survey, const RankPlace& place)
{
    for (const auto& [rank, reason] : survey.reasons)
        if (rank != place.rank)
            return fmt::format("rank {} ended: {}", rank, reason);
    return {};
}

/// What was heard of the others when a call failed, as a sentence.
std::string lossText(const Survey& survey, const RankPlace& place, const std::string& words)
{
    if (std::string left = leavingText(survey, place); !left.empty())
        return left;
    if (!survey.answered) {
        const bool rankServes = !place.storeIsServed && place.rank != 0;
        return fmt::format("{} ({})",
                           rankServes ? "rank 0 is gone or does not answer"
                                      : fmt::format("nothing answers at {}:{}", place.address, place.port),
                           words);
    }
    if (survey.silent.empty())
        return fmt::format("the connection to another rank broke ({})", words);
    return fmt::format("rank{} {} of {} {} gone or {} not answer within {:g} s ({})",
                       survey.silent.size() == 1 ? "" : "s", fmt::join(survey.silent, ", "), place.size,
                       survey.silent.size() == 1 ? "is" : "are", survey.silent.size() == 1 ? "does" : "do",
                       place.timeout, words);
}

/// Tensors that travel as one, flat.
struct Bucket {
    std::vector<at::Tensor> parts;
    at::Tensor flat;
    c10::intrusive_ptr<c10d::Work> work = nullptr;

    std::int64_t bytes() const
    {
        std::int64_t sum = 0;
        for (const at::Tensor& part : parts)
            sum += static_cast<std::int64_t>(part.nbytes());
        return sum;
    }
    /// One that is in one piece needs no copy.
    bool isWhole() const { return parts.size() == 1 && parts[0].is_contiguous(); }
    void pack()
    {
        std::vector<at::Tensor> pieces;
        for (const at::Tensor& part : parts)
            pieces.push_back(part.reshape({-1}));
        flat = isWhole() ? parts[0] : at::cat(pieces);
    }
    void unpack()
    {
        if (isWhole())
            return;
        std::int64_t at = 0;
        for (at::Tensor& part : parts) {
            part.copy_(flat.narrow(0, at, part.numel()).view_as(part));
            at += part.numel();
        }
    }
};

std::vector<Bucket> bucketsOf(std::vector<at::Tensor>&& tensors)
{
    std::vector<Bucket> buckets;
    for (at::Tensor& tensor : tensors) {
        const bool fits = !buckets.empty() && buckets.back().parts[0].scalar_type() == tensor.scalar_type() &&
                          buckets.back().bytes() + static_cast<std::int64_t>(tensor.nbytes()) <= kBucketBytes;
        if (!fits)
            buckets.emplace_back();
        buckets.back().parts.push_back(std::move(tensor));
    }
    return buckets;
}

/// Held while a call of Gloo is begun, which only queues it. torch 2.11 records every call in one flight recorder for
/// the process, and enters a group that is new to it into a std::map before it takes the recorder's lock
/// (FlightRecorderDetail.hpp, pytorch/pytorch#179313): groups on several threads that begin their first calls at once
/// damage it. NCCL's first call meets the other ranks, so it is begun without.
std::mutex& beginning()
{
    static std::mutex one;
    return one;
}

class C10dGroup : public RankGroup {
public:
    C10dGroup(RankPlace place, StorePointer store, BackendPointer backend, std::string name)
        : m_place(std::move(place)), m_store(std::move(store)), m_backend(std::move(backend)), m_name(std::move(name))
    {}

    std::int64_t rank() const override { return m_place.rank; }
    std::int64_t size() const override { return m_place.size; }
    std::string backend() const override { return m_name; }

    void sum(std::vector<at::Tensor> tensors) override;
    void most(at::Tensor numbers) override;
    std::vector<at::Tensor> gather(const at::Tensor& mine) override;
    void broadcast(at::Tensor tensor) override;
    std::vector<std::string> texts(const std::string& mine) override;
    void leave(const std::string& reason) override { leaveReason(m_store, m_place, reason); }
    GroupTraffic traffic() const override { return m_traffic; }

private:
    template <class Work>
    void together(Work work);
    template <class Call>
    c10::intrusive_ptr<c10d::Work> begun(Call call) const;

    RankPlace m_place;
    StorePointer m_store;
    BackendPointer m_backend;
    std::string m_name;
    GroupTraffic m_traffic;
    std::string m_lost; ///< why nothing works any more; empty: all is well
};

/// A call in which all take part.
template <class Work>
void C10dGroup::together(Work work)
{
    if (!m_lost.empty())
        throw LostPeer(m_lost);
    std::string words;
    try {
        return work();
    } catch (const c10::Error& error) {
        words = error.what_without_backtrace();
    } catch (const std::exception& error) {
        words = error.what();
    }
    m_lost = lossText(surveyRanks(m_store, m_place), m_place, plainText(words));
    throw LostPeer(m_lost);
}

template <class Call>
c10::intrusive_ptr<c10d::Work> C10dGroup::begun(Call call) const
{
    std::unique_lock lock(beginning(), std::defer_lock);
    if (m_name == kGloo)
        lock.lock();
    return call(*m_backend);
}

void C10dGroup::sum(std::vector<at::Tensor> tensors)
{
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Bucket> buckets = bucketsOf(std::move(tensors));
    together([&] {
        for (Bucket& bucket : buckets) {
            bucket.pack();
            std::vector<at::Tensor> flat{bucket.flat};
            bucket.work = begun([&](c10d::Backend& backend) { return backend.allreduce(flat); });
            m_traffic.bytes += bucket.bytes();
        }
        for (Bucket& bucket : buckets) {
            bucket.work->wait();
            bucket.unpack();
        }
    });
    ++m_traffic.sums;
    m_traffic.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void C10dGroup::most(at::Tensor numbers)
{
    together([&] {
        c10d::AllreduceOptions options;
        options.reduceOp = c10d::ReduceOp::MAX;
        std::vector<at::Tensor> all{numbers};
        begun([&](c10d::Backend& backend) { return backend.allreduce(all, options); })->wait();
    });
}

std::vector<at::Tensor> C10dGroup::gather(const at::Tensor& mine)
{
    std::vector<std::vector<at::Tensor>> all(1);
    together([&] {
        std::vector<at::Tensor> own{mine.contiguous()};
        for (std::int64_t rank = 0; rank < size(); ++rank)
            all[0].push_back(at::empty_like(own[0]));
        begun([&](c10d::Backend& backend) { return backend.allgather(all, own); })->wait();
    });
    return std::move(all[0]);
}

void C10dGroup::broadcast(at::Tensor tensor)
{
    together([&] {
        std::vector<at::Tensor> whole{tensor.contiguous()};
        begun([&](c10d::Backend& backend) { return backend.broadcast(whole); })->wait();
        if (!whole[0].is_same(tensor))
            tensor.copy_(whole[0]);
    });
}

std::vector<std::string> C10dGroup::texts(const std::string& mine)
{
    const auto device = at::Device(m_name == kNccl ? at::kCUDA : at::kCPU);
    const at::Tensor length = at::empty({1}, at::kLong);
    *length.mutable_data_ptr<std::int64_t>() = static_cast<std::int64_t>(mine.size());
    std::vector<std::int64_t> lengths;
    for (const at::Tensor& each : gather(length.to(device)))
        lengths.push_back(each.item<std::int64_t>());
    const std::int64_t longest = std::max<std::int64_t>(1, *std::max_element(lengths.begin(), lengths.end()));
    const at::Tensor bytes = at::empty({longest}, at::kByte);
    std::memcpy(bytes.mutable_data_ptr(), mine.data(), mine.size());
    std::vector<std::string> all;
    for (const at::Tensor& each : gather(bytes.to(device))) {
        const at::Tensor here = each.cpu();
        all.emplace_back(static_cast<const char*>(here.const_data_ptr()),
                         static_cast<std::size_t>(lengths[all.size()]));
    }
    return all;
}

MakeNcclBackend* ncclMaker()
{
    return reinterpret_cast<MakeNcclBackend*>(dlsym(RTLD_DEFAULT, kMakeNcclBackend));
}

/// Another rank may have left while this one was still connecting to it.
std::string refusalText(const StorePointer& store, const RankPlace& place, bool onGpu, const std::string& words)
{
    const std::string left = leavingText(surveyRanks(store, place), place);
    return !left.empty() ? left
                         : fmt::format("rank {} could not connect to the others ({}); {}_SOCKET_IFNAME names another "
                                       "network interface",
                                       place.rank, plainText(words), onGpu ? "NCCL" : "GLOO");
}

Result<BackendPointer> connected(const StorePointer& store, const RankPlace& place, bool onGpu)
{
    MakeNcclBackend* const make = onGpu ? ncclMaker() : nullptr;
    if (onGpu && make == nullptr)
        return fail(
            "ranks on GPUs need NCCL, and the CUDA backend of Unroll was built without it; choose --device cpu");
    try {
        if (!onGpu)
            return glooBackend(store, place, timeoutOf(place));
        return BackendPointer::reclaim(
            make(store, static_cast<int>(place.rank), static_cast<int>(place.size), timeoutOf(place).count()));
    } catch (const c10::Error& error) {
        return fail(refusalText(store, place, onGpu, error.what_without_backtrace()));
    } catch (const std::exception& error) {
        return fail(refusalText(store, place, onGpu, error.what()));
    }
}

} // namespace

Result<std::unique_ptr<RankGroup>> joinGroup(const RankPlace& place, const std::string& device)
{
    const bool onGpu = device != "cpu";
    auto store = openStore(place);
    if (!store)
        return tl::unexpected(store.error());
    auto backend = connected(*store, place, onGpu);
    if (!backend)
        return tl::unexpected(backend.error());
    return std::make_unique<C10dGroup>(place, *store, *backend, onGpu ? kNccl : kGloo);
}

std::string groupBackends()
{
    return fmt::format("Gloo on CPUs; NCCL on GPUs {}",
                       ncclMaker() != nullptr ? "is built, and was never run" : "is not built");
}

Result<void> agree(RankGroup& group, const NamedTexts& mine)
{
    std::vector<std::vector<std::string>> all; // [name][rank]
    for (const auto& [name, text] : mine)
        all.push_back(group.texts(text));
    for (std::size_t i = 0; i < mine.size(); ++i)
        for (std::size_t rank = 1; rank < all[i].size(); ++rank)
            if (all[i][rank] != all[i][0])
                return fail(fmt::format("rank {} has another {} than rank 0: {} instead of {}", rank, mine[i].first,
                                        all[i][rank], all[i][0]));
    return {};
}

} // namespace unroll
