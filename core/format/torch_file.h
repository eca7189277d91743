// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/file_calls.h"
#include "core/format/tensor_view.h"

#include <filesystem>
#include <span>
#include <string_view>

namespace unroll::format {

/// Writes tensors as the dict that torch.load(path, weights_only=True) reads, in the order given: a zip of `data.pkl`
/// (pickle protocol 2, torch._utils._rebuild_tensor_v2 alone), `version`, `byteorder` and one entry a tensor. It is
/// written only: reading a pickle may run what is in it. Refused: what writeSafetensors refuses of names and sizes, and
/// types of elements that torch has no storage for. Where a kind is given, the archive's comment marks the file as that
/// (own_mark.h).
Result<void> writeTorchFile(const std::filesystem::path& path, std::span<const TensorView> tensors,
                            FileCalls& calls = systemCalls(), std::string_view kind = {});

} // namespace unroll::format
