// SPDX-License-Identifier: GPL-3.0-or-later
// The schema, the CPU and Meta ops and the autograd of a scan, from its Spec (scan_op.h). Included by a scan's .cpp
// only, which ends with UNROLL_REGISTER_SCAN(Spec). Second derivatives are refused.
#pragma once

#include "core/kernels/op/on_cpu.h"
#include "core/kernels/op/scan_op.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace unroll::kernels {

/// "name(Tensor a, Tensor? mask=None, *, bool reverse=False) -> (Tensor h, Tensor last)"
template <class Spec>
std::string scanSchema()
{
    using Op = ScanOp<Spec>;
    const typename Spec::Arguments defaults;
    std::string text = std::string(Spec::name) + "(" + declaredFields(defaults, Op::inputs, true) + ", *, " +
                       declaredFields(defaults, Op::options, true) + ") -> (";
    for (const char* name : Spec::sequences)
        text += std::string("Tensor ") + name + ", ";
    return text + "Tensor last)";
}

template <class Spec>
std::string scanBackwardSchema()
{
    using Op = ScanOp<Spec>;
    const typename Spec::Arguments defaults;
    std::string text = std::string(Op::backwardName()) + "(" + declaredFields(defaults, Op::kept, false) + ", Tensor " +
                       Op::statesName();
    for (const char* name : Spec::sequences)
        text += std::string(", Tensor? grad_") + name;
    text += ", Tensor? grad_last, *, " + declaredFields(defaults, Op::options, false) + ") -> (";
    const typename Op::Gradients gradients;
    std::size_t i = 0;
    std::apply(
        [&](const auto&... field) {
            std::apply(
                [&](const auto&... gradient) {
                    ((text += (i++ == 0 ? "" : ", ") + declared(gradient, std::string("grad_") + field.name, false)),
                     ...);
                },
                gradients);
        },
        Op::learned);
    return text + ")";
}

// Shapes only, and those may be symbols: what tracing asks for.

inline at::Tensor metaGradient(const at::Tensor&, const at::Tensor& input)
{
    return emptySymbolicLike(input);
}
inline at::Tensor metaGradient(const at::Tensor& states, const MaybeTensor& input)
{
    return input ? emptySymbolicLike(*input) : at::empty_symint({0}, states.options());
}
inline std::vector<at::Tensor> metaGradient(const at::Tensor&, const std::vector<at::Tensor>& inputs)
{
    std::vector<at::Tensor> all;
    for (const at::Tensor& input : inputs)
        all.push_back(emptySymbolicLike(input));
    return all;
}

/// The last state, or the gradient of the initial one. `sequence` has a step's sizes behind its first dimension.
template <class Spec>
at::Tensor metaState(const typename Spec::Arguments& in, const at::Tensor& like, c10::SymIntArrayRef sequence)
{
    if constexpr (requires { Spec::symbolicState(in); })
        return emptySymbolicState(like, Spec::symbolicState(in));
    else if constexpr (requires { Spec::symbolicState(in, like); })
        return emptySymbolicState(like, Spec::symbolicState(in, like));
    else
        return emptySymbolicState(like, sequence.slice(1));
}

/// Where tracing runs: ScanOn's twin for shapes.
template <class Spec, class Parameters = typename ScanOp<Spec>::Parameters,
          class BackwardParameters = typename ScanOp<Spec>::BackwardParameters>
struct ScanMeta;

template <class Spec, class... Ps, class... Qs>
struct ScanMeta<Spec, Types<Ps...>, Types<Qs...>> {
    static ScanOutputs<Spec> forward(Ps... parameters)
    {
        const auto in = ScanOp<Spec>::arguments(parameters...);
        const auto output = [&](std::size_t index, bool isState) {
            const SymbolicSequence sequence = symbolicOutput(in, index);
            const c10::SymIntArrayRef sizes(sequence.sizes);
            return isState ? metaState<Spec>(in, sequence.like, sizes)
                           : at::empty_symint(sizes, sequence.like.options());
        };
        return [&]<std::size_t... i>(std::index_sequence<i...>)
        {
            return ScanOutputs<Spec>(output(i, i + 1 == sizeof...(i))...);
        }
        (typename ScanOp<Spec>::OutputIndices{});
    }

    static typename ScanOp<Spec>::Gradients backward(Qs... parameters)
    {
        const auto in = ScanOp<Spec>::backwardArguments(parameters...);
        const auto ofField = [&]<class F>(const F& field) {
            if constexpr (F::use == FieldUse::Initial)
                return metaState<Spec>(in.arguments, in.states, in.states.sym_sizes());
            else if constexpr (F::use != FieldUse::ForwardInput)
                return metaGradient(in.states, in.arguments.*field.member);
            else if constexpr (requires { Spec::symbolicForwardInput(in.arguments, in.states); })
                return at::empty_symint(Spec::symbolicForwardInput(in.arguments, in.states), in.states.options());
            else
                return emptySymbolicLike(in.states);
        };
        return std::apply([&](const auto&... field) { return std::make_tuple(ofField(field)...); },
                          ScanOp<Spec>::learned);
    }

private:
    static SymbolicSequence symbolicOutput(const typename Spec::Arguments& in, std::size_t index)
    {
        if constexpr (requires { Spec::symbolicSequence(in, index); })
            return Spec::symbolicSequence(in, index);
        else
            return Spec::symbolicSequence(in);
    }
};

// Keeping tensors for the backward pass: written one behind the other, and read in the same order.

using torch::autograd::variable_list;

inline void keep(variable_list& kept, const at::Tensor& tensor)
{
    kept.push_back(tensor);
}
inline void keep(variable_list& kept, const MaybeTensor& tensor)
{
    kept.push_back(orUndefined(tensor));
}
inline void keep(variable_list& kept, const std::vector<at::Tensor>& tensors)
{
    kept.insert(kept.end(), tensors.begin(), tensors.end());
}

/// Takes back what keep() kept; of a list all but the `others` that were kept besides.
inline void takeBack(const variable_list& kept, std::size_t& next, std::size_t, at::Tensor& tensor)
{
    tensor = kept[next++];
}
inline void takeBack(const variable_list& kept, std::size_t& next, std::size_t, MaybeTensor& tensor)
{
    tensor = ifDefined(kept[next++]);
}
inline void takeBack(const variable_list& kept, std::size_t& next, std::size_t others, std::vector<at::Tensor>& tensors)
{
    for (std::size_t count = kept.size() - others; count > 0; --count)
        tensors.push_back(kept[next++]);
}

inline void takeBack(const c10::IValue& value, bool& option)
{
    option = value.toBool();
}
inline void takeBack(const c10::IValue& value, double& option)
{
    option = value.toDouble();
}
inline void takeBack(const c10::IValue& value, std::string& option)
{
    option = value.toStringRef();
}

/// What autograd is given for one argument: of an absent one, nothing.
inline void giveGradient(variable_list& all, const at::Tensor&, const at::Tensor& gradient)
{
    all.push_back(gradient);
}
inline void giveGradient(variable_list& all, const MaybeTensor& input, const at::Tensor& gradient)
{
    all.push_back(input ? gradient : at::Tensor());
}
inline void giveGradient(variable_list& all, const std::vector<at::Tensor>&, const std::vector<at::Tensor>& gradients)
{
    all.insert(all.end(), gradients.begin(), gradients.end());
}

template <class Spec, class Parameters = typename ScanOp<Spec>::Parameters>
class ScanFunction;

template <class Spec, class... Ps>
class ScanFunction<Spec, Types<Ps...>> : public torch::autograd::Function<ScanFunction<Spec, Types<Ps...>>> {
    using Op = ScanOp<Spec>;
    using Context = torch::autograd::AutogradContext;

public:
    static variable_list forward(Context* context, Ps... parameters)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        const auto in = Op::arguments(parameters...);
        const ScanOutputs<Spec> out = Op::call(in);
        variable_list kept;
        eachField(Op::kept, [&](const auto& field) { keep(kept, in.*field.member); });
        kept.push_back(std::get<Op::outputCount - 2>(out));
        context->save_for_backward(std::move(kept));
        eachField(Op::options, [&](const auto& field) { context->saved_data[field.name] = in.*field.member; });
        context->set_materialize_grads(false);
        return std::apply([](const auto&... tensor) { return variable_list{tensor...}; }, out);
    }

    static variable_list backward(Context* context, const variable_list& arriving)
    {
        const variable_list kept = context->get_saved_variables();
        typename Op::BackwardArguments in;
        std::size_t next = 0;
        eachField(Op::kept,
                  [&](const auto& field) { takeBack(kept, next, Op::keptCount, in.arguments.*field.member); });
        in.states = kept[next];
        for (std::size_t i = 0; i < Op::outputCount; ++i)
            in.arriving[i] = ifDefined(arriving[i]);
        eachField(Op::options,
                  [&](const auto& field) { takeBack(context->saved_data[field.name], in.arguments.*field.member); });
        return asGiven(in.arguments, Op::callBackward(in));
    }

    static ScanOutputs<Spec> apply(Ps... parameters)
    {
        const variable_list out = torch::autograd::Function<ScanFunction>::apply(parameters...);
        return [&]<std::size_t... i>(std::index_sequence<i...>)
        {
            return ScanOutputs<Spec>(out[i]...);
        }
        (typename Op::OutputIndices{});
    }

private:
    /// One gradient an argument, undefined where it has none.
    static variable_list asGiven(const typename Spec::Arguments& in, const typename Op::Gradients& gradients)
    {
        variable_list all;
        giveFrom<0, 0>(all, in, gradients);
        return all;
    }

    template <std::size_t field, std::size_t gradient>
    static void giveFrom(variable_list& all, const typename Spec::Arguments& in,
                         const typename Op::Gradients& gradients)
    {
        if constexpr (field < sizeof...(Ps)) {
            constexpr auto each = std::get<field>(Spec::fields);
            if constexpr (each.hasGradient) {
                giveGradient(all, in.*each.member, std::get<gradient>(gradients));
                giveFrom<field + 1, gradient + 1>(all, in, gradients);
            } else {
                all.emplace_back();
                giveFrom<field + 1, gradient>(all, in, gradients);
            }
        }
    }
};

template <class Spec>
void defineScan(torch::Library& library)
{
    library.def(scanSchema<Spec>().c_str());
    library.def(scanBackwardSchema<Spec>().c_str());
}

template <class Spec>
void registerScanMeta(torch::Library& library)
{
    library.impl(Spec::name, &ScanMeta<Spec>::forward);
    library.impl(ScanOp<Spec>::backwardName(), &ScanMeta<Spec>::backward);
}

template <class Spec>
void registerScanAutograd(torch::Library& library)
{
    library.impl(Spec::name, &ScanFunction<Spec>::apply);
    library.impl(ScanOp<Spec>::backwardName(), torch::autograd::autogradNotImplementedFallback());
}

} // namespace unroll::kernels

/// Stands in namespace unroll::kernels, once a file.
#define UNROLL_REGISTER_SCAN(Spec)                                                                                     \
    TORCH_LIBRARY_FRAGMENT(unroll, m)                                                                                  \
    {                                                                                                                  \
        defineScan<Spec>(m);                                                                                           \
    }                                                                                                                  \
    TORCH_LIBRARY_IMPL(unroll, CPU, m)                                                                                 \
    {                                                                                                                  \
        registerScanOn<Spec, OnCpu>(m);                                                                                \
    }                                                                                                                  \
    TORCH_LIBRARY_IMPL(unroll, Meta, m)                                                                                \
    {                                                                                                                  \
        registerScanMeta<Spec>(m);                                                                                     \
    }                                                                                                                  \
    TORCH_LIBRARY_IMPL(unroll, Autograd, m)                                                                            \
    {                                                                                                                  \
        registerScanAutograd<Spec>(m);                                                                                 \
    }
