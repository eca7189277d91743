// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/ranks.h"

#include "core/data/batch_columns.h"
#include "core/data/random.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace unroll {

namespace {

constexpr std::uint64_t kRankDraws = 0x72616e6b00000000; ///< streams of their own, beside those of one process

/// In the order in which they are sent: how many ranks wish it, and the sum of the rates.
std::vector<double> numbersOf(const Wishes& wishes)
{
    return {wishes.stop ? 1.0 : 0.0, wishes.pause ? 1.0 : 0.0, wishes.checkpoint ? 1.0 : 0.0,
            wishes.learningRate ? 1.0 : 0.0, wishes.learningRate.value_or(0)};
}
constexpr std::size_t kWishNumbers = 5;

/// Where ranks wish different rates at one step, their mean.
Wishes wishesFrom(const double* numbers)
{
    Wishes wishes{numbers[0] > 0, numbers[1] > 0, numbers[2] > 0, {}};
    if (numbers[3] > 0)
        wishes.learningRate = numbers[4] / numbers[3];
    return wishes;
}

std::int64_t firstOf(std::int64_t sequences, const RankGroup& group, std::int64_t rank)
{
    return sequences * rank / group.size();
}

} // namespace

Batch Ranks::shareOf(const Batch& whole) const
{
    const std::int64_t from = firstOf(whole.sequences, *m_group, m_group->rank());
    return columnsOf(whole, from, firstOf(whole.sequences, *m_group, m_group->rank() + 1) - from);
}

States Ranks::shareOf(const States& whole) const
{
    States share;
    for (const auto& [node, parts] : whole)
        for (const at::Tensor& part : parts) {
            if (!part.defined()) {
                share[node].push_back(part);
                continue;
            }
            const std::int64_t from = firstOf(part.size(0), *m_group, m_group->rank());
            const std::int64_t end = firstOf(part.size(0), *m_group, m_group->rank() + 1);
            share[node].push_back(part.narrow(0, from, end - from).clone());
        }
    return share;
}

States Ranks::whole(const States& share)
{
    States whole;
    for (const auto& [node, parts] : share)
        for (const at::Tensor& part : parts)
            whole[node].push_back(part.defined() ? at::cat(m_group->gather(part)) : part);
    return whole;
}

void Ranks::seedDraws(at::Generator& generator, std::uint64_t seed, std::int64_t step) const
{
    Random random(seed, kRankDraws + static_cast<std::uint64_t>(m_group->rank()), static_cast<std::uint64_t>(step));
    generator.set_current_seed(random.next());
}

Ranks::Sums Ranks::addUp(const std::vector<Weight>& weights, const at::Tensor& loss, bool learns)
{
    const at::NoGradGuard guard;
    std::vector<double> said = numbersOf(std::exchange(m_wishes, {}));
    said.push_back(loss.defined() ? loss.item<double>() : 0.0);
    std::vector<at::Tensor> sums;
    for (const Weight& weight : weights) {
        if (!weight.trained || !learns)
            continue;
        at::Tensor& gradient = at::Tensor(weight.tensor).mutable_grad();
        said.push_back(gradient.defined() ? 1.0 : 0.0);
        if (!gradient.defined())
            gradient = at::zeros_like(weight.tensor.detach());
        sums.push_back(gradient);
    }
    const at::Tensor numbers = at::tensor(said, at::kDouble).to(m_device);
    sums.push_back(numbers);
    m_bytes = 0;
    for (const at::Tensor& sum : sums)
        m_bytes += static_cast<std::int64_t>(sum.nbytes());
    m_group->sum(std::move(sums));
    const at::Tensor heard = numbers.cpu();
    const double* at = heard.const_data_ptr<double>();
    Sums result{at[kWishNumbers], wishesFrom(at)};
    at += kWishNumbers + 1;
    for (const Weight& weight : weights)
        if (weight.trained && learns && *at++ == 0)
            at::Tensor(weight.tensor).mutable_grad().reset();
    return result;
}

void Ranks::addUp(Tally& tally)
{
    std::vector<double> mine{tally.loss, static_cast<double>(tally.targets), static_cast<double>(tally.right),
                             static_cast<double>(tally.counted)};
    for (std::int64_t count : tally.confusion)
        mine.push_back(static_cast<double>(count));
    const at::Tensor numbers = at::tensor(mine, at::kDouble).to(m_device);
    m_group->sum({numbers});
    const at::Tensor heard = numbers.cpu();
    const double* at = heard.const_data_ptr<double>();
    tally.loss = at[0];
    tally.targets = std::llround(at[1]);
    tally.right = std::llround(at[2]);
    tally.counted = std::llround(at[3]);
    for (std::int64_t& count : tally.confusion)
        count = std::llround(at[4 + (&count - tally.confusion.data())]);
    if (!std::isfinite(tally.loss))
        if (BadNode bad = first(tally.bad.value_or(BadNode{})); !bad.sentence.empty())
            tally.bad = std::move(bad);
}

void Ranks::greatest(std::vector<SignalPeak>& peaks)
{
    if (peaks.empty())
        return;
    std::vector<at::Tensor> most;
    for (const SignalPeak& peak : peaks)
        most.push_back(peak.most.to(at::kDouble).reshape({}));
    constexpr double kBeyond = std::numeric_limits<double>::infinity(); // what has overflowed is past any limit
    const at::Tensor numbers = at::nan_to_num(at::stack(most), kBeyond, kBeyond, -kBeyond);
    m_group->most(numbers);
    for (std::size_t i = 0; i < peaks.size(); ++i)
        peaks[i].most = numbers[static_cast<std::int64_t>(i)];
}

BadNode Ranks::first(const BadNode& found)
{
    constexpr char kBetween = '\x1f';
    const std::string mine =
        found.node.empty() ? std::string()
                           : fmt::format("{}{}{}{}", found.fromData ? 1 : 0, found.node, kBetween, found.sentence);
    const std::vector<std::string> all = m_group->texts(mine);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
        if (const std::size_t end = all[rank].find(kBetween); end != std::string::npos)
            return {all[rank].substr(1, end - 1), fmt::format("{} (rank {})", all[rank].substr(end + 1), rank),
                    all[rank][0] == '1', found.peaks};
    return found;
}

std::int64_t digestOf(const std::vector<at::Tensor>& tensors)
{
    std::uint64_t digest = 0;
    for (const at::Tensor& tensor : tensors) {
        const at::Tensor flat = tensor.detach().reshape({-1});
        const auto bits = flat.element_size() == 4 ? at::kInt : flat.element_size() == 8 ? at::kLong : at::kByte;
        const auto sum = flat.view(bits).sum(at::kLong).item<std::int64_t>();
        digest = digest * 1099511628211u + static_cast<std::uint64_t>(sum);
    }
    return static_cast<std::int64_t>(digest);
}

bool Ranks::align(const std::vector<at::Tensor>& tensors)
{
    if (unroll::agree(*m_group, {{"weights", std::to_string(digestOf(tensors))}}))
        return true;
    const at::NoGradGuard guard;
    for (const at::Tensor& tensor : tensors)
        m_group->broadcast(tensor.detach());
    return false;
}

bool Ranks::decide(bool ofRank0)
{
    const at::Tensor flag = at::tensor({ofRank0 ? std::int64_t{1} : std::int64_t{0}}, at::kLong).to(m_device);
    m_group->broadcast(flag);
    return flag.item<std::int64_t>() != 0;
}

} // namespace unroll
