// SPDX-License-Identifier: GPL-3.0-or-later
// A case of a scan that a Spec describes (scan_op.h): it says how its numbers are laid out in the arguments, and is
// called through the dispatcher, or run by the ops of any device.
#pragma once

#include "core/kernels/op/scan_op.h"
#include "core/kernels/testing/scan_case.h"

#include <ATen/ops/view_as_real.h>

#include <functional>

namespace unroll::kernels::test {

template <class Spec>
class ScanOpCase : public ScanCase {
public:
    virtual typename Spec::Arguments arguments(const ScanNumbers& in) const = 0;

    std::vector<std::string> outputs() const override
    {
        std::vector<std::string> names(std::begin(Spec::sequences), std::end(Spec::sequences));
        names.emplace_back("last");
        return names;
    }

    Tensors call(const ScanNumbers& in) const override
    {
        return std::apply([](const auto&... output) { return Tensors{output...}; }, ScanOp<Spec>::call(arguments(in)));
    }
};

inline void addNamed(std::vector<Named>& all, const std::string& name, const at::Tensor& tensor)
{
    all.push_back({name, tensor.is_complex() ? at::view_as_real(tensor.resolve_conj()) : tensor});
}
inline void addNamed(std::vector<Named>& all, const std::string& name, const Tensors& tensors)
{
    for (const at::Tensor& tensor : tensors)
        addNamed(all, name, tensor);
}

/// The gradients that arrive at the outputs: of type `real`, or complex with that; kBFloat16 is for sequences alone.
inline at::Tensor arriving(const at::Tensor& weight, at::ScalarType real, bool isState)
{
    const at::ScalarType type = real == at::kBFloat16 && isState ? at::kFloat : real;
    return weight.to(weight.is_complex() ? at::toComplexType(type) : type);
}

/// Outputs and gradients of a trial by the ops where Device is; `keep` is what becomes of the sequence that the
/// backward pass is given.
template <class Spec, class Device, class Keep = std::identity>
std::vector<Named> byOps(const ScanOpCase<Spec>& scan, const Trial& trial, at::ScalarType real, const Keep& keep = {})
{
    using Op = ScanOp<Spec>;
    const at::NoGradGuard noGradients;
    typename Op::BackwardArguments back;
    back.arguments = scan.arguments(arguments(scan, trial.numbers, real));
    const auto outputs = scanForward<Spec, Device>(back.arguments);
    back.states = keep(std::get<Op::outputCount - 2>(outputs));
    for (std::size_t i = 0; i < Op::outputCount; ++i)
        if (trial.weights[i].defined())
            back.arriving[i] = arriving(trial.weights[i], real, i + 1 == Op::outputCount);
    const auto gradients = scanBackward<Spec, Device>(back);
    std::vector<Named> all;
    std::size_t i = 0;
    const std::vector<std::string> names = scan.outputs();
    std::apply([&](const auto&... output) { (addNamed(all, names[i++], output), ...); }, outputs);
    std::apply([&](const auto&... gradient) { (addNamed(all, "gradient " + std::to_string(i++), gradient), ...); },
               gradients);
    return all;
}

} // namespace unroll::kernels::test
