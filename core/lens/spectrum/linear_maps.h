// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/spec.h"
#include "core/lens/spectrum/sparse_map.h"
#include "core/lens/spectrum/spectrum.h"

#include <ATen/core/Tensor.h>

#include <complex>
#include <cstdint>
#include <vector>

namespace unroll::lenses::spectrum {

/// The gate that says what is kept, or replaced. nullptr: the block has none.
const SignalSpec* keepingGate(const BlockSpec& spec);
/// Where c_t exp(m_t) is what is remembered, the share of that which a gate of c keeps: gate [T, ...] times exp(m_t -
/// m_{t-1}), `scale` m. Of the first step there is no m before. `scale` undefined: the gate.
at::Tensor unscaled(const at::Tensor& gate, const at::Tensor& scale);

/// `circles` are the map's: parts that depend on each other.
Spectrum spectrumOf(std::string id, std::string title, const SparseMap& map,
                    const std::vector<std::vector<std::int64_t>>& circles);
/// Of a finite matrix [n, n], real or complex, in double on the CPU. A diagonal matrix has its diagonal, in its
/// order; a block triangular one the eigenvalues of its blocks (SparseMap).
std::vector<std::complex<double>> eigenvaluesOf(const at::Tensor& matrix);
/// Of a finite matrix [n, n], the largest first.
std::vector<double> singularValuesOf(const at::Tensor& matrix);
/// Of values [T, matrices, n, n], which are square; of so many steps only that the time is bounded.
MatrixTrack trackOf(const std::string& signal, const at::Tensor& values);
/// Of gates [T, units]; NaN and infinite values are left out and counted.
HalfLives halfLivesOf(const std::string& signal, bool inverted, const at::Tensor& gates, std::int64_t& missing);
/// Whether the gate [units] is the share of the state that is replaced: told by the derivative of each part of the
/// state with respect to itself, `diagonal`, of parts of these widths.
bool isInverted(const at::Tensor& gate, const at::Tensor& diagonal, const std::vector<std::int64_t>& widths);

/// Plain copies.
std::vector<double> numbersOf(const at::Tensor& values);

} // namespace unroll::lenses::spectrum
