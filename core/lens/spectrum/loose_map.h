// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/spectrum/sparse_map.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace unroll::lenses::spectrum {

/// Row vectors times a square matrix that is not at hand, [some, n] -> [some, n], in double on the CPU.
using RowProducts = std::function<at::Tensor(const at::Tensor& rows)>;

struct LooseLimits {
    std::int64_t largest; ///< rows that are left whole
    std::int64_t entries; ///< that are not 0
};

/// Why a matrix was not taken apart.
enum class LooseFailure {
    Shared,    ///< too many rows share columns: more of them, or more entries, than the limits
    NotFinite, ///< an entry is not
    Wrong,     ///< what was found does not give the products
    Cancelled,
};
struct LooseError {
    LooseFailure failure;
    std::string sentence;
};

/// The matrix of a state that falls into small parts, from few products: rows without a column in common are taken in
/// one. `widths`: how many numbers each part of the state has, n together. Where no circle leads back from one part to
/// another, its entries between them are left out: they are in no eigenvalue.
tl::expected<SparseMap, LooseError> looseMap(const RowProducts& products, const std::vector<std::int64_t>& widths,
                                             const LooseLimits& limits, const std::stop_token& end);

} // namespace unroll::lenses::spectrum
