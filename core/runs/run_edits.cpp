// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_edits.h"

#include "core/base/input_file.h"
#include "core/base/nearest.h"
#include "core/format/atomic_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <vector>

namespace unroll {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLongestFile = 1 << 20;
constexpr std::size_t kLongestEditName = 64;

fs::path editsFile(const fs::path& run)
{
    return run / "edits.json";
}

bool isNameSign(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

std::string_view trimmed(std::string_view text)
{
    constexpr const char* kSpaces = " \t\r\n";
    const std::size_t from = text.find_first_not_of(kSpaces);
    return from == std::string_view::npos ? std::string_view()
                                          : text.substr(from, text.find_last_not_of(kSpaces) + 1 - from);
}

/// Between the semicolons, those in quotation marks apart.
std::vector<std::string_view> piecesOf(std::string_view text)
{
    std::vector<std::string_view> pieces;
    std::size_t from = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quoted && text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (text[i] == ';' && !quoted) {
            pieces.push_back(text.substr(from, i - from));
            from = i + 1;
        }
    }
    pieces.push_back(text.substr(std::min(from, text.size())));
    return pieces;
}

} // namespace

Result<NamedEdits> namedEditsFromJson(const Json& json, const std::string& file)
{
    const JsonObject* members = json.asObject();
    if (members == nullptr)
        return fail(fmt::format("named edits are an object; it is {}", json.kind()), file);
    NamedEdits named;
    for (const JsonMember& member : *members) {
        const std::string* words = member.value.asString();
        if (words == nullptr)
            return fail(fmt::format("the edit {} is a text; it is {}", member.key, member.value.kind()), file);
        named[member.key] = *words;
    }
    return named;
}

Json namedEditsToJson(const NamedEdits& named)
{
    Json json{JsonObject{}};
    for (const auto& [key, words] : named)
        json.add(key, words);
    return json;
}

Result<NamedEdits> readNamedEdits(const fs::path& run)
{
    std::error_code error;
    if (!fs::exists(editsFile(run), error))
        return NamedEdits();
    const auto text = readWholeFile(editsFile(run), kLongestFile);
    if (!text)
        return tl::unexpected(text.error());
    const auto json = readJson(*text, editsFile(run).string());
    if (!json)
        return tl::unexpected(json.error());
    return namedEditsFromJson(*json, editsFile(run).string());
}

Result<void> checkEditName(const std::string& name)
{
    if (name.empty() || name.size() > kLongestEditName || !std::all_of(name.begin(), name.end(), isNameSign))
        return fail(fmt::format("a name of edits has letters, digits, - and _, at most {}", kLongestEditName), name);
    return {};
}

Result<void> nameEdit(const fs::path& run, const std::string& name, const std::string& text)
{
    if (const auto fits = checkEditName(name); !fits)
        return fits;
    auto named = readNamedEdits(run);
    if (!named)
        return tl::unexpected(named.error());
    if (trimmed(text).empty())
        named->erase(name);
    else
        (*named)[name] = text;
    return format::writeFileAtomically(editsFile(run), writeJson(namedEditsToJson(*named)) + "\n");
}

Result<std::string> withNamedEdits(const std::string& text, const NamedEdits& named)
{
    std::string whole;
    for (const std::string_view piece : piecesOf(text)) {
        const std::string_view words = trimmed(piece);
        if (!whole.empty())
            whole += ';';
        if (!words.starts_with('@')) {
            whole += piece;
            continue;
        }
        const std::string name(words.substr(1));
        const auto known = named.find(name);
        if (known == named.end()) {
            std::vector<std::string> names;
            for (const auto& [each, unused] : named)
                names.push_back(each);
            return fail(names.empty() ? fmt::format("this run has no edits named {}: it has none with a name", name)
                                      : fmt::format("this run has no edits named {}{}", name, suggestion(name, names)));
        }
        whole += known->second;
    }
    return whole;
}

} // namespace unroll
