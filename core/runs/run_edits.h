// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <filesystem>
#include <map>
#include <string>

namespace unroll {

/// Edits that a user has named (core/lens/edits.h), of one run: `edits.json` in its folder, name and text.
using NamedEdits = std::map<std::string, std::string>;

Result<NamedEdits> namedEditsFromJson(const Json& json, const std::string& file);
Json namedEditsToJson(const NamedEdits& named);

/// None where there is no such file; an error where it is none of ours.
Result<NamedEdits> readNamedEdits(const std::filesystem::path& run);

/// An error where edits cannot have this name: it is empty, too long, or has anything but letters, digits, `-` and `_`.
Result<void> checkEditName(const std::string& name);

/// Keeps the text under the name, in place of what has it; an empty text takes the name away. Errors: those of
/// checkEditName(); the disk.
Result<void> nameEdit(const std::filesystem::path& run, const std::string& name, const std::string& text);

/// Each `@name` between the semicolons of the text as the edits that it stands for: "@quiet; lstm.h[3] = 0". Names
/// stand for plain edits, not for names. An error says which names there are.
Result<std::string> withNamedEdits(const std::string& text, const NamedEdits& named);

} // namespace unroll
