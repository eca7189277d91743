// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/testing/scan_case.h"

#include "core/kernels/cpu/cpu_targets.h"
#include "core/kernels/testing/scoped_threads.h"

#include <ATen/ops/complex.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>

namespace unroll::kernels::test {
namespace {

at::Tensor asReal(const at::Tensor& tensor)
{
    const at::Tensor here = tensor.detach().cpu();
    return here.is_complex() ? at::view_as_real(here.resolve_conj()) : here;
}

at::ScalarType elementType(const ScanCase& scan, at::ScalarType real)
{
    if (scan.complex)
        return real == at::kDouble ? at::kComplexDouble : at::kComplexFloat;
    return real == at::kDouble ? at::kDouble : at::kFloat;
}

/// Outputs with their names, then the gradients of all inputs, the initial state's where the case has one.
std::vector<Named> withGradients(const ScanCase& scan, const Trial& trial, const Tensors& outputs,
                                 const ScanNumbers& in)
{
    Tensors leaves = in.sequences;
    leaves.insert(leaves.end(), in.constants.begin(), in.constants.end());
    std::vector<std::string> names = scan.inputs();
    if (in.initial.defined()) {
        leaves.push_back(in.initial);
        names.emplace_back("initial");
    }
    std::vector<Named> all;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        all.push_back({scan.outputs()[i], asReal(outputs[i])});
    const Tensors grads = gradients(outputs, trial.weights, leaves);
    for (std::size_t i = 0; i < grads.size(); ++i)
        all.push_back({"gradient of " + names[i], asReal(grads[i])});
    return all;
}

Tensors leavesOf(const Tensors& tensors, at::ScalarType type, at::Device device)
{
    Tensors all;
    for (const at::Tensor& tensor : tensors)
        all.push_back(leaf(tensor, type, device));
    return all;
}

/// The numbers of each step. Unbound rather than indexed, so that gradients cost as much as the values.
std::vector<Tensors> unbound(const Tensors& sequences, std::int64_t steps)
{
    std::vector<Tensors> at(static_cast<std::size_t>(steps));
    for (const at::Tensor& sequence : sequences) {
        const Tensors parts = sequence.unbind(0);
        for (std::size_t t = 0; t < at.size(); ++t)
            at[t].push_back(parts[t]);
    }
    return at;
}

/// The mask of one step beside tensors like `state`.
at::Tensor realAt(const at::Tensor& mask, std::int64_t t, const at::Tensor& state)
{
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(state.dim()), 1);
    if (!mask.defined())
        return at::full(sizes, true, at::kBool);
    sizes[0] = mask.size(1);
    return mask[t].view(sizes);
}

} // namespace

std::string ScanCase::describe() const
{
    return "T " + std::to_string(shape.steps) + " B " + std::to_string(shape.batch) + " d " +
           std::to_string(shape.width) + (complex ? " complex" : "") + (reverse ? " reverse" : "") +
           (masked ? " masked" : "") + (initial ? " initial" : "") + " layout " +
           std::to_string(static_cast<int>(layout)) + " gradients " + std::to_string(gradients) + " " +
           cpuTargets().front();
}

at::Tensor ScanCase::start(const at::Tensor& state) const
{
    return at::zeros_like(state);
}

void ScanCase::pick(const ScanShape& wanted, unsigned round)
{
    shape = wanted;
    reverse = round % 2 == 1;
    masked = round / 2 % 2 == 1;
    initial = round % 7 < 5;
    layout = static_cast<Layout>(round / 5 % static_cast<unsigned>(Layout::Count));
}

Trial drawTrial(const ScanCase& scan, std::uint64_t seed)
{
    Draw draws(seed);
    Trial trial{scan.draw(draws), {}};
    std::vector<std::int64_t> sizes = trial.numbers.initial.sizes().vec();
    const auto weight = [&] {
        const at::Tensor real = draws.normal(sizes);
        return scan.complex ? at::complex(real, draws.normal(sizes)) : real;
    };
    const std::size_t count = scan.outputs().size();
    const at::Tensor last = weight();
    sizes = scan.sizesOfAStep(sizes);
    sizes.insert(sizes.begin(), scan.shape.steps);
    for (std::size_t i = 0; i < count; ++i) {
        const at::Tensor drawn = i + 1 < count ? weight() : last;
        trial.weights.push_back(scan.gradients >> i & 1 ? drawn : at::Tensor());
    }
    return trial;
}

Trial heldByBf16(const ScanCase& scan, Trial trial)
{
    for (at::Tensor& sequence : trial.numbers.sequences)
        if (!scan.complex)
            sequence = sequence.to(at::kBFloat16).to(at::kFloat);
    return trial;
}

ScanNumbers arguments(const ScanCase& scan, const ScanNumbers& numbers, at::ScalarType real, at::Device device)
{
    const at::ScalarType type = elementType(scan, real), ofSequences = real == at::kBFloat16 ? real : type;
    ScanNumbers in{
        leavesOf(numbers.sequences, ofSequences, device), leavesOf(numbers.constants, type, device), {}, {}, {}};
    for (const at::Tensor& tensor : numbers.fixed)
        in.fixed.push_back(tensor.to(device, type));
    if (scan.initial)
        in.initial = leaf(numbers.initial, type, device);
    if (scan.masked)
        in.mask = numbers.mask.to(device);
    return in;
}

std::vector<Named> byKernel(const ScanCase& scan, const Trial& trial, at::ScalarType real, at::Device device)
{
    const ScanNumbers in = arguments(scan, trial.numbers, real, device);
    return withGradients(scan, trial, scan.call(in), in);
}

std::vector<Named> byPlainLoop(const ScanCase& scan, const Trial& trial, at::ScalarType real)
{
    const ScopedThreads alone(1); // products of a step are small: sharing one out takes longer than making it
    const ScanNumbers in = arguments(scan, trial.numbers, real);
    const std::int64_t steps = scan.shape.steps;
    const std::vector<Tensors> sequences = unbound(in.sequences, steps);
    at::Tensor state =
        in.initial.defined() ? in.initial : scan.start(trial.numbers.initial.to(elementType(scan, real)));
    std::vector<Tensors> outputs(scan.outputs().size() - 1, Tensors(static_cast<std::size_t>(steps)));
    for (std::int64_t position = 0; position < steps; ++position) {
        const auto t = static_cast<std::size_t>(scan.reverse ? steps - 1 - position : position);
        const PlainStep next = scan.step({sequences[t], in.constants, in.fixed, {}, {}}, state);
        const at::Tensor realStep = realAt(in.mask, static_cast<std::int64_t>(t), state);
        for (std::size_t i = 0; i < next.outputs.size(); ++i)
            outputs[i][t] = at::where(realAt(in.mask, static_cast<std::int64_t>(t), next.outputs[i]), next.outputs[i],
                                      at::zeros_like(next.outputs[i]));
        state = at::where(realStep, next.state, state);
        if (scan.givesStates())
            outputs.back()[t] = state;
    }
    Tensors results;
    for (const Tensors& output : outputs)
        results.push_back(at::stack(output));
    results.push_back(state.clone());
    return withGradients(scan, trial, results, in);
}

} // namespace unroll::kernels::test
