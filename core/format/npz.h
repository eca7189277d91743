// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/file_calls.h"
#include "core/format/tensor_view.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace unroll::format {

/// What became of the tensors on their way to numpy.
struct NpzNotes {
    /// One sentence for each tensor that numpy could not hold as it was: "'w': BF16, written as float32".
    std::vector<std::string> widened;
};

/// Writes tensors as an uncompressed .npz, in the order given, one `<name>.npy` each; the file appears whole or not at
/// all. numpy has no bf16: such tensors are widened to float32 (exact) and noted. F8, F6 and F4 are refused, as is what
/// writeSafetensors refuses of names and sizes. Where a kind is given, the archive is marked as that (see own_mark.h).
Result<NpzNotes> writeNpz(const std::filesystem::path& path, std::span<const TensorView> tensors,
                          FileCalls& calls = systemCalls(), std::string_view kind = {});

/// What stands before the data of a .npy file (numpy.lib.format, version 1.0) in C order, padded to 64 bytes. Not for
/// types that numpy does not have (BF16, F8, F6, F4).
std::string npyHeader(DType dtype, std::span<const std::int64_t> shape);

} // namespace unroll::format
