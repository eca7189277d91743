// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/tensor_view.h"

#include <filesystem>
#include <vector>

namespace unroll::format {

/// All tensors of a file, in its order; File is SafetensorsFile or NpzFile, and errors are its open's and read's.
template <class File>
Result<std::vector<OwnedTensor>> readEvery(const std::filesystem::path& path)
{
    const auto file = File::open(path);
    if (!file)
        return tl::unexpected(file.error());
    std::vector<OwnedTensor> tensors;
    tensors.reserve(file->size());
    for (std::size_t i = 0; i < file->size(); ++i) {
        auto tensor = file->read(i);
        if (!tensor)
            return tl::unexpected(tensor.error());
        tensors.push_back(std::move(*tensor));
    }
    return tensors;
}

} // namespace unroll::format
