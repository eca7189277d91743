// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/sha256.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace unroll::format {

/// Files that this program writes to places a user names carry a mark: their kind and a hash of their contents. So the
/// program recognises its own files and replaces no others: "unroll:weights:sha256=<64 digits>". In texts, archives and
/// pictures the mark stands at the end, behind all that is hashed; in safetensors among the metadata, hashed with zeros
/// for its digits.
std::string ownMark(std::string_view kind, std::string_view hash);
/// With zeros for the digits.
std::string blankMark(std::string_view kind);

/// A text with its mark as the last line, behind what begins a comment: "# ", or nothing.
std::string markedText(std::string text, std::string_view kind, std::string_view comment);

/// Whether the file is one that this program wrote as this kind, whole, and not changed since. False for what cannot be
/// read.
bool isOwn(const std::filesystem::path& file, std::string_view kind);

} // namespace unroll::format
