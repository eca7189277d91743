// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/optimizer.h"

#include "core/base/number_text.h"
#include "core/train/regularisation.h"
#include "core/train/update_rule.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace unroll {

namespace {

/// A rate of the settings for another peak than theirs.
double scaledRate(const TrainSettings& settings, double rate, double peak)
{
    return settings.learningRate > 0 ? rate * peak / settings.learningRate : 0.0;
}

double finalRate(const TrainSettings& settings, double peak)
{
    return scaledRate(settings, settings.finalLearningRate, peak);
}

/// Of update `at` of the warm-up. From a rate of its own it begins with that, as mru-lm's (c45d36d); else with the
/// first rise, as an update by a rate of 0 would be none.
double risingRate(const TrainSettings& settings, double top, std::int64_t at)
{
    const auto warmup = static_cast<double>(settings.warmup);
    const double start = scaledRate(settings, settings.startLearningRate, top);
    if (start > 0)
        return start + (top - start) * static_cast<double>(at) / warmup;
    return top * static_cast<double>(at + 1) / warmup;
}

} // namespace

SchedulePlan planned(const TrainSettings& settings, std::int64_t begin)
{
    return {begin, settings.decaySteps > 0 ? begin + settings.warmup + settings.decaySteps : settings.steps};
}

double scheduledRate(const TrainSettings& settings, const SchedulePlan& plan, double peak, std::int64_t step)
{
    const std::int64_t warmup = plan.warms ? settings.warmup : 0, length = plan.end - plan.begin,
                       at = step - plan.begin;
    const double top = plan.share * peak;
    if (at < warmup)
        return risingRate(settings, top, at);
    if (settings.schedule == ScheduleKind::Constant)
        return peak;
    if (length <= warmup)
        return plan.warms ? top : finalRate(settings, peak);
    const double done = static_cast<double>(at - warmup) / static_cast<double>(length - warmup);
    const double last = finalRate(settings, peak);
    return last + 0.5 * (top - last) * (1 + std::cos(std::numbers::pi * std::min(done, 1.0)));
}

SchedulePlan continued(const TrainSettings& settings, const SchedulePlan& plan, double peak, std::int64_t step,
                       Continuation how)
{
    const bool rises = plan.warms && step < plan.begin + settings.warmup; // the peak is still to come
    switch (how) {
    case Continuation::Keep: return plan;
    case Continuation::Restart: return planned(settings, step);
    case Continuation::Stretch: break;
    }
    if (rises)
        return {plan.begin, settings.steps, plan.share, true};
    return {step, settings.steps, peak > 0 ? scheduledRate(settings, plan, peak, step) / peak : 1, false};
}

std::string scheduleText(const TrainSettings& settings, const SchedulePlan& plan, double peak, std::int64_t step)
{
    const std::string now = fmt::format("{:.4g}", scheduledRate(settings, plan, peak, step));
    const std::string last = fmt::format("{:.4g}", scheduledRate(settings, plan, peak, settings.steps - 1));
    if (settings.schedule == ScheduleKind::Constant || now == last)
        return fmt::format("the learning rate stays at {}", last);
    const std::int64_t summit = plan.begin + (plan.warms ? settings.warmup : 0);
    if (step < summit && summit < settings.steps)
        return fmt::format("the learning rate rises from {} to {:.4g} at step {} and is {} at the last step, {}", now,
                           plan.share * peak, grouped(summit), last, grouped(settings.steps));
    const std::int64_t settled = std::max(plan.end, summit); // a warm-up may go on beyond the planned end
    const std::string end = settled < settings.steps ? fmt::format("at step {} and stays there to step {}",
                                                                   grouped(settled), grouped(settings.steps))
                                                     : fmt::format("at the last step, {}", grouped(settings.steps));
    return fmt::format("the learning rate continues from {} to {} {}", now, last, end);
}

Optimizer::Optimizer(const TrainSettings& settings, const std::vector<Weight>& weights)
    : m_settings(settings), m_spec(*findOptimizer(settings.optimizer))
{
    std::copy_if(weights.begin(), weights.end(), std::back_inserter(m_weights),
                 [](const Weight& weight) { return weight.trained; });
    if (m_spec.counts && !m_weights.empty()) {
        const auto options = m_weights[0].tensor.options().dtype(at::kFloat);
        m_counts = at::zeros({static_cast<std::int64_t>(m_weights.size())}, options);
    }
    for (const Weight& weight : m_weights) {
        const at::Tensor values = weight.tensor.detach();
        Slots slots;
        for (std::size_t slot = 0; slot < m_spec.slots.size(); ++slot)
            slots.kept.push_back(at::zeros_like(values));
        if (m_spec.counts)
            slots.count = m_counts[static_cast<std::int64_t>(m_slots.size())];
        m_slots.push_back(slots);
    }
    makeGroups(m_weights);
}

void Optimizer::makeGroups(const std::vector<Weight>& weights)
{
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const WeightRule& rule = weights[i].rule;
        const bool decays = rule.decay.value_or(weights[i].tensor.dim() >= 2);
        const double decay = decays ? optimizerSetting(m_settings, "weight_decay") : 0.0;
        auto same = std::find_if(m_groups.begin(), m_groups.end(), [&](const Group& group) {
            return group.weightDecay == decay && group.learningRateScale == rule.learningRateScale;
        });
        if (same == m_groups.end())
            same = m_groups.insert(m_groups.end(), Group{decay, rule.learningRateScale, {}});
        same->members.push_back(i);
        m_clipGroups[{rule.clipGroup, rule.clipScale}].push_back(i);
    }
}

std::vector<std::size_t> Optimizer::withGradient(const std::vector<std::size_t>& members) const
{
    std::vector<std::size_t> found;
    std::copy_if(members.begin(), members.end(), std::back_inserter(found),
                 [this](std::size_t i) { return m_weights[i].tensor.grad().defined(); });
    return found;
}

/// Which weights have a gradient hardly ever changes, so it is brought to the device only then.
at::Tensor Optimizer::withGradientCounted()
{
    std::vector<float> have;
    for (const Weight& weight : m_weights)
        have.push_back(weight.tensor.grad().defined() ? 1.0f : 0.0f);
    if (have != m_have) {
        m_counted = at::tensor(have).to(m_counts.device());
        m_have = std::move(have);
    }
    return m_counted;
}

namespace {

std::vector<at::Tensor> gradients(const std::vector<Weight>& weights, const std::vector<std::size_t>& members)
{
    std::vector<at::Tensor> found;
    for (std::size_t i : members)
        found.push_back(weights[i].tensor.grad());
    return found;
}

/// The norm of all gradients together. On the CPU row by row: torch's norm of a whole tensor is one thread's work, and
/// what that thread has read the others must fetch from it again.
at::Tensor normOf(const std::vector<at::Tensor>& grads)
{
    if (!grads.front().device().is_cpu())
        return at::stack(at::_foreach_norm(grads)).norm();
    std::vector<at::Tensor> norms;
    for (const at::Tensor& grad : grads)
        norms.push_back(grad.dim() > 1 ? at::linalg_vector_norm(grad, 2, {-1}).flatten() : grad.flatten());
    return at::cat(norms).norm();
}

/// Times min(1, clip / norm). The factor is NaN for a NaN norm; found_inf keeps it from the weights.
void scaleTo(double clip, const at::Tensor& norm, std::vector<at::Tensor>& grads)
{
    const at::Tensor factor = (clip / (norm + 1e-6)).clamp_max(1.0);
    if (!factor.device().is_cpu() || factor.item<float>() != 1)
        at::_foreach_mul_(grads, factor);
}

} // namespace

void Optimizer::clearGradients()
{
    for (Weight& weight : m_weights)
        weight.tensor.mutable_grad().reset();
}

at::Tensor Optimizer::clipGradients(double clip)
{
    const at::NoGradGuard guard;
    std::vector<at::Tensor> squares;
    for (const auto& [group, members] : m_clipGroups) {
        auto grads = gradients(m_weights, withGradient(members));
        if (grads.empty())
            continue;
        const at::Tensor norm = normOf(grads);
        squares.push_back(norm.square());
        if (clip > 0)
            scaleTo(clip * group.second, norm, grads);
    }
    return squares.empty() ? at::zeros({}) : at::stack(squares).sum().sqrt();
}

void Optimizer::update(double learningRate, const at::Tensor& notFinite)
{
    const at::NoGradGuard guard;
    const at::Tensor counted = m_counts.defined() ? withGradientCounted() : at::Tensor();
    if (counted.defined())
        m_counts.add_(counted);
    for (const Group& group : m_groups)
        updateGroup(group, learningRate * group.learningRateScale, notFinite);
    if (counted.defined())
        m_counts.sub_(counted * notFinite); // an update that was skipped does not count
    // The fused updates write without counting versions on, and what is kept of a weight (its ternary codes) goes by
    // its version.
    for (const Weight& weight : m_weights)
        weight.tensor.unsafeGetTensorImpl()->bump_version();
    holdConstraints(notFinite);
}

at::Tensor Optimizer::addPenalties()
{
    const at::NoGradGuard guard;
    at::Tensor total;
    for (Weight& weight : m_weights) {
        if (!weight.rule.isPenalised())
            continue;
        const Penalty penalty = penaltyOf(weight.tensor, weight.rule);
        at::Tensor& gradient = weight.tensor.mutable_grad();
        gradient = gradient.defined() ? gradient + penalty.gradient : penalty.gradient;
        total = total.defined() ? total + penalty.value : penalty.value;
    }
    return total;
}

/// An update that was skipped, and a frozen weight, stay as they are to the last bit.
void Optimizer::holdConstraints(const at::Tensor& notFinite)
{
    for (const Weight& weight : m_weights) {
        const bool held = weight.rule.constraint.kind != WeightConstraint::Kind::None;
        if (held && weight.rule.learningRateScale != 0)
            weight.tensor.copy_(
                at::where(notFinite.gt(0), weight.tensor, constrained(weight.tensor, weight.rule.constraint)));
    }
}

void Optimizer::updateGroup(const Group& group, double learningRate, const at::Tensor& notFinite)
{
    const auto members = withGradient(group.members);
    if (members.empty())
        return;
    UpdateGroup update;
    update.gradients = gradients(m_weights, members);
    update.slots.resize(m_spec.slots.size());
    update.learningRate = learningRate;
    update.weightDecay = group.weightDecay;
    for (std::size_t i : members) {
        update.weights.push_back(m_weights[i].tensor);
        for (std::size_t slot = 0; slot < m_spec.slots.size(); ++slot)
            update.slots[slot].push_back(m_slots[i].kept[slot]);
        if (m_spec.counts)
            update.counts.push_back(m_slots[i].count);
    }
    updateRule(m_spec.id)(m_settings, update, notFinite);
}

std::vector<std::pair<std::string, at::Tensor>> Optimizer::state() const
{
    std::vector<std::pair<std::string, at::Tensor>> named;
    for (std::size_t i = 0; i < m_weights.size(); ++i) {
        for (std::size_t slot = 0; slot < m_spec.slots.size(); ++slot)
            named.emplace_back(m_spec.slots[slot] + "." + m_weights[i].name, m_slots[i].kept[slot]);
        if (m_spec.counts)
            named.emplace_back("count." + m_weights[i].name, m_slots[i].count);
    }
    return named;
}

} // namespace unroll
