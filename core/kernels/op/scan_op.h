// SPDX-License-Identifier: GPL-3.0-or-later
// Both ops of a scan, unroll::<name> and unroll::<name>_backward, from one description of it. A Spec has
//
// name: "diag_scan".
//
// Arguments, fields: a struct of the forward op's arguments, and its fields in the order of the schema (in
// op_arguments.h).
//
// sequences: names of the outputs (T,B,...); the last of them is kept for the backward op, as a rule the states. One
// more output is "last", the state (B,...).
//
// Elements: element types on the CPU (elements.h); CUDA takes bf16 besides.
//
// Forward, Backward: templates, the raw views of both passes (<stem>_params.h).
//
// symbolicSequence(Arguments), or (Arguments, index of the output): sizes of a sequence, which may be symbols, and a
// tensor of its type: what tracing asks for. symbolicState(Arguments), or (Arguments, a sequence): sizes of a state,
// where these are not those of a sequence's step; such a Call has emptySequence() of its own.
// symbolicForwardInput(Arguments, states): sizes of an input that is not kept, where these are not those of the states.
//
// Call : ScanCall, made of (op, Arguments, states): the arguments of either pass, checked. `states` are those that the
// forward pass gave; on the way forward undefined. It fills in the views: fill(Forward<Io, State>&, ScanOutputs) and
// fill(Backward<Io, State>&, ScanBackwardTensors). Where a gradient is summed over the batch, it gives what the pass
// writes first, and sums it: emptySums(), sum(device, sums, gradients); or, where a pass writes more than that, which
// may depend on the device, Scratch emptyScratch(device), finish(device, ScanBackwardTensors).
//
// The backward op is given the inputs that are kept, the states, the gradients of all outputs, each optional, and the
// options; it gives the gradients of the inputs that have one. Registration: register_scan.h.
#pragma once

#include "core/kernels/op/op_arguments.h"
#include "core/kernels/op/scan_call.h"

#include <ATen/ops/empty.h>

#include <array>

namespace unroll::kernels {

/// Sizes [steps, batch, ...] of a sequence, and a tensor that has its type.
struct SymbolicSequence {
    at::Tensor like;
    std::vector<c10::SymInt> sizes;
};

template <class T>
struct GradientOf {
    using Type = at::Tensor;
};
template <>
struct GradientOf<std::vector<at::Tensor>> {
    using Type = std::vector<at::Tensor>;
};

template <std::size_t>
using TensorAt = at::Tensor;
template <std::size_t>
using MaybeTensorAt = const MaybeTensor&;

template <std::size_t... i>
std::tuple<TensorAt<i>...> tensorTuple(std::index_sequence<i...>);
template <std::size_t... i>
Types<MaybeTensorAt<i>...> maybeTensors(std::index_sequence<i...>);
template <class... Fields>
std::tuple<typename GradientOf<typename Fields::Type>::Type...> gradientTuple(const std::tuple<Fields...>&);

/// What follows from a Spec.
template <class Spec>
struct ScanOp {
    using Arguments = typename Spec::Arguments;

    static constexpr auto inputs = fieldsWhere<FieldIsTensor>(Spec::fields);
    static constexpr auto kept = fieldsWhere<FieldIsKept>(Spec::fields);
    static constexpr auto learned = fieldsWhere<FieldHasGradient>(Spec::fields);
    static constexpr auto options = fieldsWhere<FieldIsOption>(Spec::fields);
    static constexpr std::size_t keptCount = std::tuple_size_v<decltype(kept)>;
    static constexpr std::size_t outputCount = std::size(Spec::sequences) + 1;
    using OutputIndices = std::make_index_sequence<outputCount>;

    using Outputs = decltype(tensorTuple(OutputIndices{}));
    using Gradients = decltype(gradientTuple(learned)); ///< of the inputs that have one, in their order
    using Parameters = decltype(parametersOf(inputs) + parametersOf(options));
    using BackwardParameters = decltype(parametersOf(kept) + Types<const at::Tensor&>{} +
                                        maybeTensors(OutputIndices{}) + parametersOf(options));

    /// The backward op's.
    struct BackwardArguments {
        Arguments arguments;
        at::Tensor states;
        std::array<MaybeTensor, outputCount> arriving; ///< gradients of the outputs
    };

    static const char* backwardName()
    {
        static const std::string name = std::string(Spec::name) + "_backward";
        return name.c_str();
    }
    static const char* statesName() { return *(std::end(Spec::sequences) - 1); }

    template <class... Ps>
    static Arguments arguments(const Ps&... parameters)
    {
        Arguments all;
        const auto given = std::forward_as_tuple(parameters...);
        assignFields<0>(all, inputs, given);
        assignFields<std::tuple_size_v<decltype(inputs)>>(all, options, given);
        return all;
    }

    template <class... Ps>
    static BackwardArguments backwardArguments(const Ps&... parameters)
    {
        BackwardArguments all;
        const auto given = std::forward_as_tuple(parameters...);
        assignFields<0>(all.arguments, kept, given);
        all.states = std::get<keptCount>(given);
        [&]<std::size_t... i>(std::index_sequence<i...>)
        {
            ((all.arriving[i] = std::get<keptCount + 1 + i>(given)), ...);
        }
        (OutputIndices{});
        assignFields<keptCount + 1 + outputCount>(all.arguments, options, given);
        return all;
    }

    /// Through the dispatcher.
    static Outputs call(const Arguments& in)
    {
        static const auto op = opNamed<std::remove_pointer_t<decltype(functionOf<Outputs>(Parameters{}))>>(Spec::name);
        return std::apply([&](const auto&... field) { return op.call(in.*field.member...); },
                          std::tuple_cat(inputs, options));
    }

    static Gradients callBackward(const BackwardArguments& in)
    {
        static const auto op =
            opNamed<std::remove_pointer_t<decltype(functionOf<Gradients>(BackwardParameters{}))>>(backwardName());
        const auto fromFields = [&](const auto& fields) {
            return std::apply([&](const auto&... field) { return std::tie(in.arguments.*field.member...); }, fields);
        };
        return std::apply([](const auto&... all) { return op.call(all...); },
                          std::tuple_cat(fromFields(kept), std::tie(in.states), in.arriving, fromFields(options)));
    }
};

template <class Spec>
using ScanOutputs = typename ScanOp<Spec>::Outputs;

struct NoScratch {};
template <class Call>
struct ScratchOf {
    using Type = NoScratch;
};
template <class Call>
requires requires
{
    typename Call::Scratch;
}
struct ScratchOf<Call> {
    using Type = typename Call::Scratch;
};

/// What the backward pass reads and writes besides the arguments. All checked; what arrives may be undefined.
template <class Spec>
struct ScanBackwardTensors {
    at::Tensor states; ///< as the forward pass saved them
    std::array<at::Tensor, ScanOp<Spec>::outputCount> arriving;
    typename ScanOp<Spec>::Gradients gradients;
    at::Tensor sums; ///< what Call::emptySums() gave
    typename ScratchOf<typename Spec::Call>::Type scratch;
};

inline at::Tensor emptyGradient(const ScanCall&, const at::Tensor& input)
{
    return at::empty(input.sizes(), input.options());
}
/// No elements where the input is absent.
inline at::Tensor emptyGradient(const ScanCall& call, const MaybeTensor& input)
{
    if (input && input->defined())
        return emptyGradient(call, *input);
    return at::empty({0}, at::TensorOptions(call.kind.device).dtype(call.kind.io));
}
inline std::vector<at::Tensor> emptyGradient(const ScanCall& call, const std::vector<at::Tensor>& inputs)
{
    std::vector<at::Tensor> all;
    for (const at::Tensor& input : inputs)
        all.push_back(emptyGradient(call, input));
    return all;
}

template <class Spec>
typename ScanOp<Spec>::Gradients emptyGradients(const ScanCall& call, const typename Spec::Arguments& in)
{
    const auto ofField = [&]<class F>(const F& field) {
        if constexpr (F::use == FieldUse::Initial)
            return call.emptyState();
        else if constexpr (F::use == FieldUse::ForwardInput)
            return call.emptySequence();
        else
            return emptyGradient(call, in.*field.member);
    };
    return std::apply([&](const auto&... field) { return std::make_tuple(ofField(field)...); }, ScanOp<Spec>::learned);
}

/// The forward op where Device is: OnCpu, OnCuda.
template <class Spec, class Device>
ScanOutputs<Spec> scanForward(const typename Spec::Arguments& in)
{
    const typename Spec::Call call(Spec::name, in, at::Tensor());
    const Device device(call.kind);
    const auto out = [&]<std::size_t... i>(std::index_sequence<i...>)
    {
        return ScanOutputs<Spec>(i + 1 < sizeof...(i) ? call.emptySequence() : call.emptyState()...);
    }
    (typename ScanOp<Spec>::OutputIndices{});
    device.run(typename Spec::Elements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        typename Spec::template Forward<Io, State> pass;
        call.fill(pass, out);
        return pass;
    });
    return out;
}

template <class Spec, class Device>
typename ScanOp<Spec>::Gradients scanBackward(const typename ScanOp<Spec>::BackwardArguments& in)
{
    using Op = ScanOp<Spec>;
    const typename Spec::Call call(Op::backwardName(), in.arguments, in.states);
    const Device device(call.kind);
    ScanBackwardTensors<Spec> tensors;
    tensors.states = call.sequence(Op::statesName(), in.states);
    for (std::size_t i = 0; i + 1 < Op::outputCount; ++i)
        tensors.arriving[i] = call.sequence((std::string("grad_") + Spec::sequences[i]).c_str(), in.arriving[i]);
    tensors.arriving.back() = call.state("grad_last", in.arriving.back());
    tensors.gradients = emptyGradients<Spec>(call, in.arguments);
    if constexpr (requires { call.emptySums(); })
        tensors.sums = call.emptySums();
    if constexpr (requires { call.emptyScratch(device); })
        tensors.scratch = call.emptyScratch(device);
    device.run(typename Spec::Elements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        typename Spec::template Backward<Io, State> pass;
        call.fill(pass, tensors);
        return pass;
    });
    if constexpr (requires { call.emptySums(); })
        call.sum(device, tensors.sums, tensors.gradients);
    if constexpr (requires { call.finish(device, tensors); })
        call.finish(device, tensors);
    return tensors.gradients;
}

/// Both ops as functions with the parameters that torch knows.
template <class Spec, class Device, class Parameters = typename ScanOp<Spec>::Parameters,
          class BackwardParameters = typename ScanOp<Spec>::BackwardParameters>
struct ScanOn;

template <class Spec, class Device, class... Ps, class... Qs>
struct ScanOn<Spec, Device, Types<Ps...>, Types<Qs...>> {
    static ScanOutputs<Spec> forward(Ps... parameters)
    {
        return scanForward<Spec, Device>(ScanOp<Spec>::arguments(parameters...));
    }
    static typename ScanOp<Spec>::Gradients backward(Qs... parameters)
    {
        return scanBackward<Spec, Device>(ScanOp<Spec>::backwardArguments(parameters...));
    }
};

/// Registers both where Device is. Library: a torch::Library.
template <class Spec, class Device, class Library>
void registerScanOn(Library& library)
{
    library.impl(Spec::name, &ScanOn<Spec, Device>::forward);
    library.impl(ScanOp<Spec>::backwardName(), &ScanOn<Spec, Device>::backward);
}

} // namespace unroll::kernels
