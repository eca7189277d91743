// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal.h"

#include "app/cli/verbs.h"

#include "core/base/utf8.h"

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

std::string coloured(const std::string& text, Colour colour, std::FILE* stream)
{
    static const char* const codes[] = {"", "\x1b[2m", "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[32m"};
    const char* refused = std::getenv("NO_COLOR");
    if (colour == Colour::Plain || (refused != nullptr && *refused != '\0') || !isTerminal(stream))
        return text;
    return codes[static_cast<std::size_t>(colour)] + text + "\x1b[0m";
}

void say(const std::string& line)
{
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
}

void sayJson(const Json& object)
{
    say(writeJson(object, 0));
}

void tell(const std::string& line)
{
    const std::string text = repairedUtf8(line); // it may quote what stands in a file
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fputc('\n', stderr);
}

int tellError(const Error& error)
{
    tell(fmt::format("{} {}", coloured("error:", Colour::Red, stderr), error.text()));
    return kFailed;
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

void tellDiagnostics(const std::string& file, const std::vector<Diagnostic>& diagnostics)
{
    for (const Diagnostic& diagnostic : diagnostics) {
        const std::string word = coloured(fmt::format("{}:", severityWord(diagnostic.severity)),
                                          severityColour(diagnostic.severity), stderr);
        const std::string hint =
            diagnostic.fix ? fmt::format(" (in the studio: {})", diagnostic.fix->title) : std::string();
        tell(fmt::format("{} {}: {}{}", word, file, diagnosticText(diagnostic), hint));
    }
}

void sayTable(const std::vector<std::vector<std::string>>& rows)
{
    std::vector<std::size_t> widths;
    for (const auto& row : rows)
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
            widths.resize(std::max(widths.size(), i + 1));
            widths[i] = std::max(widths[i], widthOf(row[i]));
        }
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += row[i] + (i + 1 < row.size() ? std::string(widths[i] - widthOf(row[i]) + 2, ' ') : std::string());
        say(line);
    }
}

} // namespace unroll::cli
