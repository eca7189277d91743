// SPDX-License-Identifier: GPL-3.0-or-later
// From the scalar type of a call to the C++ types that the halves of a kernel are compiled for.
#pragma once

#include "core/kernels/scan/complex_pair.h"

#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

namespace unroll::kernels {

/// The element types that a kernel takes.
template <typename... Ts>
struct Elements {};

using RealElements = Elements<float, double>;
using RealOrComplexElements = Elements<float, double, ComplexPair<float>, ComplexPair<double>>;

template <typename T>
struct ElementType {
    static constexpr at::ScalarType scalar = c10::CppTypeToScalarType<T>::value;
    using State = T; ///< of states and of the arithmetic
};

template <typename T>
struct ElementType<ComplexPair<T>> {
    static constexpr at::ScalarType scalar = c10::CppTypeToScalarType<c10::complex<T>>::value;
    using State = ComplexPair<T>;
};

/// Names the types of a call: of what is (T,B,d), and of states.
template <typename Io, typename State>
struct CallTypes {};

/// Calls run(CallTypes<Io, State>{}) with the types that stand for `type`, one of Ts.
template <typename... Ts, class Run>
void withTypes(Elements<Ts...>, at::ScalarType type, const Run& run)
{
    const auto ranAs = [&]<typename T>(Elements<T>) {
        if (type != ElementType<T>::scalar)
            return false;
        run(CallTypes<T, typename ElementType<T>::State>{});
        return true;
    };
    const bool ran = (ranAs(Elements<Ts>{}) || ...);
    TORCH_INTERNAL_ASSERT(ran, "a call of ", type, " was checked and has no code");
}

} // namespace unroll::kernels
