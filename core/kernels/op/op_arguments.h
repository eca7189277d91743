// SPDX-License-Identifier: GPL-3.0-or-later
// How an op says what its arguments are: a plain struct, and a tuple of its fields with their names in the schema. From
// these follow the C++ types of an op's parameters and the text of its schema. A field's type is one of
//     at::Tensor, MaybeTensor, std::vector<at::Tensor>, bool, double, std::string
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace unroll::kernels {

using MaybeTensor = std::optional<at::Tensor>;

enum class FieldUse {
    Input,        ///< has a gradient, and the backward pass is given it
    ForwardInput, ///< has a gradient; the backward pass does without
    Constant,     ///< has none; the backward pass is given it
    Initial,      ///< the state before the first step
    Option,       ///< no tensor: stands behind the * of the schema
};

template <FieldUse fieldUse, class Arguments, class T>
struct Field {
    using Type = T;
    static constexpr FieldUse use = fieldUse;
    static constexpr bool isTensor = use != FieldUse::Option;
    static constexpr bool isKept = isTensor && use != FieldUse::ForwardInput;
    static constexpr bool hasGradient = isTensor && use != FieldUse::Constant;

    const char* name;
    T Arguments::*member;
};

namespace field {

template <class A, class T>
constexpr Field<FieldUse::Input, A, T> input(const char* name, T A::*member)
{
    return {name, member};
}
template <class A, class T>
constexpr Field<FieldUse::ForwardInput, A, T> forwardInput(const char* name, T A::*member)
{
    return {name, member};
}
template <class A, class T>
constexpr Field<FieldUse::Constant, A, T> constant(const char* name, T A::*member)
{
    return {name, member};
}
template <class A>
constexpr Field<FieldUse::Initial, A, MaybeTensor> initial(MaybeTensor A::*member)
{
    return {"initial", member};
}
template <class A>
constexpr Field<FieldUse::Constant, A, MaybeTensor> mask(MaybeTensor A::*member)
{
    return {"mask", member};
}
template <class A, class T>
constexpr Field<FieldUse::Option, A, T> option(const char* name, T A::*member)
{
    return {name, member};
}

} // namespace field

/// Those of a tuple of fields for which Keep<Field>::value.
template <template <class> class Keep, class... Fields>
constexpr auto fieldsWhere(const std::tuple<Fields...>& fields)
{
    const auto one = []<class F>(const F& field) {
        if constexpr (Keep<F>::value)
            return std::tuple<F>(field);
        else
            return std::tuple<>();
    };
    return std::apply([&](const auto&... each) { return std::tuple_cat(one(each)...); }, fields);
}

template <class F>
using FieldIsTensor = std::bool_constant<F::isTensor>;
template <class F>
using FieldIsKept = std::bool_constant<F::isKept>;
template <class F>
using FieldHasGradient = std::bool_constant<F::hasGradient>;
template <class F>
using FieldIsOption = std::bool_constant<!F::isTensor>;

/// Calls visit(field) on each.
template <class Fields, class Visit>
void eachField(const Fields& fields, const Visit& visit)
{
    std::apply([&](const auto&... field) { (visit(field), ...); }, fields);
}

// Types of an op's parameters.

template <class... Ts>
struct Types {};

template <class... As, class... Bs>
Types<As..., Bs...> operator+(Types<As...>, Types<Bs...>);

template <class T>
struct ParameterOf {
    using Type = T;
};
template <>
struct ParameterOf<at::Tensor> {
    using Type = const at::Tensor&;
};
template <>
struct ParameterOf<MaybeTensor> {
    using Type = const MaybeTensor&;
};
template <>
struct ParameterOf<std::vector<at::Tensor>> {
    using Type = at::TensorList;
};
template <>
struct ParameterOf<std::string> {
    using Type = std::string_view;
};

template <class... Fields>
Types<typename ParameterOf<typename Fields::Type>::Type...> parametersOf(const std::tuple<Fields...>&);

/// The type of a function with these parameters.
template <class Result, class... Ts>
Result (*functionOf(Types<Ts...>))(Ts...);

inline void assign(at::Tensor& to, const at::Tensor& from)
{
    to = from;
}
inline void assign(MaybeTensor& to, const MaybeTensor& from)
{
    to = from;
}
inline void assign(std::vector<at::Tensor>& to, at::TensorList from)
{
    to = from.vec();
}
inline void assign(std::string& to, std::string_view from)
{
    to = from;
}
template <class T>
void assign(T& to, T from)
{
    to = from;
}

/// Sets `fields` of `arguments` to the parameters from number `first` on.
template <std::size_t first, class Arguments, class... Fields, class Parameters>
void assignFields(Arguments& arguments, const std::tuple<Fields...>& fields, const Parameters& parameters)
{
    [&]<std::size_t... i>(std::index_sequence<i...>)
    {
        (assign(arguments.*std::get<i>(fields).member, std::get<first + i>(parameters)), ...);
    }
    (std::index_sequence_for<Fields...>{});
}

// The text of a schema.

inline std::string declared(const at::Tensor&, const std::string& name, bool)
{
    return "Tensor " + name;
}
inline std::string declared(const MaybeTensor&, const std::string& name, bool mayBeLeftOut)
{
    return "Tensor? " + name + (mayBeLeftOut ? "=None" : "");
}
inline std::string declared(const std::vector<at::Tensor>&, const std::string& name, bool)
{
    return "Tensor[] " + name;
}
inline std::string declared(bool value, const std::string& name, bool)
{
    return "bool " + name + (value ? "=True" : "=False");
}
inline std::string declared(double value, const std::string& name, bool)
{
    return "float " + name + "=" + std::to_string(value);
}
inline std::string declared(const std::string& value, const std::string& name, bool)
{
    return "str " + name + "=\"" + value + "\"";
}

/// "Tensor a, Tensor? mask=None": fields with their values in `defaults`; tensors may be left out in the forward op
/// alone.
template <class Arguments, class Fields>
std::string declaredFields(const Arguments& defaults, const Fields& fields, bool mayBeLeftOut)
{
    std::string all;
    eachField(fields, [&](const auto& field) {
        all += (all.empty() ? "" : ", ") + declared(defaults.*field.member, field.name, mayBeLeftOut);
    });
    return all;
}

} // namespace unroll::kernels
