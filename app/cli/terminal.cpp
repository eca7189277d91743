// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal.h"

#include "app/cli/verbs.h"

#include "core/base/visible.h"
#include "core/block/spec.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace unroll::cli {
namespace {

const char* severityWord(Severity severity)
{
    switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: break;
    }
    return "note";
}

Colour severityColour(Severity severity)
{
    return severity == Severity::Error ? Colour::Red : severity == Severity::Warning ? Colour::Yellow : Colour::Faint;
}

/// Columns that a text takes: UTF-8 continuation bytes take none. Close enough for names and sentences.
std::size_t widthOf(const std::string& text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// The text is safe for the stream.
std::string coloured(const std::string& text, Colour colour, std::FILE* stream)
{
    static const char* const codes[] = {"", "\x1b[2m", "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[32m"};
    const char* refused = std::getenv("NO_COLOR");
    if (colour == Colour::Plain || (refused != nullptr && *refused != '\0') || !isTerminal(stream))
        return text;
    return codes[static_cast<std::size_t>(colour)] + text + "\x1b[0m";
}

void write(const std::string& text, std::FILE* stream)
{
    std::fwrite(text.data(), 1, text.size(), stream);
}

/// A message behind a word of ours.
void tellMarked(const std::string& word, Colour colour, const std::string& line)
{
    write(coloured(word, colour, stderr) + " " + visibleText(line) + "\n", stderr);
}

} // namespace

bool isTerminal(std::FILE* stream)
{
    const char* kind = std::getenv("TERM");
    return isatty(fileno(stream)) != 0 && kind != nullptr && std::strcmp(kind, "dumb") != 0;
}

int columnsOf(std::FILE* stream)
{
    winsize size = {};
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void say(const std::string& line, Colour colour)
{
    write(coloured(isTerminal(stdout) ? visibleText(line) : line, colour, stdout) + "\n", stdout);
    std::fflush(stdout);
}

void sayJson(const Json& object)
{
    say(writeJson(object, 0));
}

void tell(const std::string& line)
{
    write(visibleText(line) + "\n", stderr);
}

int tellError(const Error& error)
{
    tellMarked("error:", Colour::Red, error.text());
    return kFailed;
}

int tellPlaceFaults(const PlaceFaults& faults, const std::string& place)
{
    return tellError({faults.text() + (faults.forbid(true) ? "" : " (--force overrides)"), place});
}

std::string diagnosticText(const Diagnostic& diagnostic)
{
    const std::string place = placeOf(diagnostic);
    return place.empty() || diagnostic.sentence.starts_with(place) ? diagnostic.sentence
                                                                   : place + ": " + diagnostic.sentence;
}

Json diagnosticJson(const Diagnostic& diagnostic)
{
    Json json{JsonObject{}};
    json.add("kind", "diagnostic");
    json.add("severity", severityWord(diagnostic.severity));
    json.add("node", nodePath(diagnostic));
    json.add("where", diagnostic.where);
    json.add("code", diagnostic.code);
    json.add("sentence", diagnostic.sentence);
    if (diagnostic.fix)
        json.add("fix", diagnostic.fix->title);
    return json;
}

std::string hintOf(const Fix& fix)
{
    return fix.setting ? fmt::format(" (--set training.{}={})", fix.setting->name, paramText(fix.setting->value))
                       : fmt::format(" (in the studio: {})", fix.title);
}

void tellDiagnostics(const std::string& file, const std::vector<Diagnostic>& diagnostics)
{
    for (const Diagnostic& diagnostic : diagnostics) {
        const std::string hint = diagnostic.fix ? hintOf(*diagnostic.fix) : std::string();
        tellMarked(fmt::format("{}:", severityWord(diagnostic.severity)), severityColour(diagnostic.severity),
                   fmt::format("{}: {}{}", file, diagnosticText(diagnostic), hint));
    }
}

void sayTable(const std::vector<std::vector<std::string>>& rows, const std::vector<Colour>& colours)
{
    const auto shown = [terminal = isTerminal(stdout)](const std::string& cell) {
        return terminal ? visibleText(cell) : cell;
    };
    std::vector<std::size_t> widths;
    for (const auto& row : rows)
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
            widths.resize(std::max(widths.size(), i + 1));
            widths[i] = std::max(widths[i], widthOf(shown(row[i])));
        }
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::string line;
        for (std::size_t i = 0; i < rows[r].size(); ++i) {
            const std::string cell = shown(rows[r][i]);
            line += coloured(cell, i == 0 && r < colours.size() ? colours[r] : Colour::Plain, stdout);
            if (i + 1 < rows[r].size())
                line += std::string(widths[i] - widthOf(cell) + 2, ' ');
        }
        write(line + "\n", stdout);
    }
    std::fflush(stdout);
}

} // namespace unroll::cli
