// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/input_file.h"

#include <optional>
#include <string>

namespace unroll::format {

/// What a file is that was taken for weights and is none, told by its first bytes (and, within an archive, by its first
/// entry), with what to do: "is a Git LFS pointer ...: run `git lfs pull`". Several lines where Python converts it.
/// Nothing: it cannot be told.
std::optional<std::string> foreignFile(const InputFile& file);

} // namespace unroll::format
