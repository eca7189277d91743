// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/block/diagnostic.h"
#include "core/export/place.h"

#include <cstdio>
#include <string>
#include <vector>

namespace unroll::cli {

/// Whether the stream is a terminal that understands cursor codes.
bool isTerminal(std::FILE* stream);
/// Columns of the terminal behind the stream; 80 where there is none.
int columnsOf(std::FILE* stream);

enum class Colour { Plain, Faint, Bold, Red, Yellow, Green };

// Colours are for a terminal alone, and not for one whose user has set NO_COLOR. What data holds of signs that steer a
// terminal is spelt out there (visibleText); messages, which quote data, never hold any. Data that is piped on stays
// what it is.
void say(const std::string& line, Colour colour = Colour::Plain); ///< data: a line on stdout
void sayJson(const Json& object);                                 ///< one object a line on stdout
void tell(const std::string& line);                               ///< a message on stderr
int tellError(const Error& error);                                ///< "error: place: message" on stderr; gives kFailed

/// The same for a place where files cannot be written, with what can be done about it.
int tellPlaceFaults(const PlaceFaults& faults, const std::string& place);

/// "lstm.units: units must be at least 1; it is 0", the place left out where the sentence begins with it.
std::string diagnosticText(const Diagnostic& diagnostic);
Json diagnosticJson(const Diagnostic& diagnostic);
/// "error: FILE: lstm.units: ..." on stderr, one line each.
void tellDiagnostics(const std::string& file, const std::vector<Diagnostic>& diagnostics);

/// Columns padded to equal width, the last one free. Where there are colours, one for the first column of each row.
void sayTable(const std::vector<std::vector<std::string>>& rows, const std::vector<Colour>& colours = {});

} // namespace unroll::cli
