// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace unroll {

enum class TextEncoding { Utf8, Utf16Le, Utf16Be, Windows1252 };

/// As a user names it: "utf-8", "utf-16le", "utf-16be", "windows-1252".
const char* encodingName(TextEncoding encoding);
/// Also by other names of the same: "utf8", "latin-1". Nothing known by that name: an error that lists them.
Result<TextEncoding> encodingByName(std::string_view name);

/// From all bytes: a byte order mark, else zero bytes in every second place (UTF-16), else UTF-8 where most of what is
/// not ASCII is well formed, else Windows-1252, which has Latin-1 in it.
TextEncoding findEncoding(std::string_view bytes);

/// As UTF-8, without a byte order mark.
std::string decodedText(std::string bytes, TextEncoding encoding);

/// What noTextButWhat() says of a page, which a language model may be meant to read.
inline constexpr std::string_view kWebPage = "is a web page (HTML): the download returned a page instead of the file";

/// What a file is that is not text, by how it begins, and by the names in a zip archive: "is a workbook (Excel,
/// LibreOffice): save the sheet as CSV". Empty: nothing of the kind.
std::string noTextButWhat(std::string_view bytes);

} // namespace unroll
