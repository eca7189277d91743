// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/matrix_scan/matrix_scan.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

namespace unroll::nodes::mru {

/// H_t = H_{t-1} M_t over all steps of m [T, B, heads, n, n] by a scan of this name. Products of matrices may be
/// bracketed at will, so every scan gives these states, for any T, and differs in rounding alone:
///
/// sequential     the kernel, one step after the other.
/// chunked        the kernel twice: the products of chunks side by side, then every chunk from the state that it begins
///                with.
/// auto           sequential; chunked where chunkedOnGpu(). The kernel itself takes steps one after the other or, on a
///                GPU, in chunks.
/// hillis_steele  log2 T rounds of batched products: each state times the one 1, 2, 4, ... before it.
/// brent_kung     pairs are multiplied, their products scanned likewise, the others filled in: 2 log2 T rounds, 2 T
///                products.
/// sklansky       log2 T rounds: the last state of each half goes into all of the next half.
///
/// initial [B, heads, n, n], or absent: the identity. mask [T, B], true = a real step, or absent.
kernels::MatrixScanResult scanMatrices(const std::string& scan, const at::Tensor& m,
                                       const std::optional<at::Tensor>& initial, const std::optional<at::Tensor>& mask);

/// Whether "auto" takes "chunked" on a GPU for m of these sizes: a thread there walks one row of one matrix, and few
/// rows of many steps leave it idle. Smaller matrices the kernel cuts into chunks itself, in one launch.
bool chunkedOnGpu(at::IntArrayRef sizes);

} // namespace unroll::nodes::mru
