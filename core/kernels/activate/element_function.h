// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace unroll::kernels {

enum class ElementFunction { Sigmoid, Tanh, Silu, Gelu };

} // namespace unroll::kernels
