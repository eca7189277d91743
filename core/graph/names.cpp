// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/names.h"

#include "core/graph/edit.h"

#include <algorithm>
#include <set>

namespace unroll {

namespace {

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
bool isNamePart(char c)
{
    return isLetter(c) || isDigit(c) || c == '_';
}

/// "lstm_12" -> "lstm"; a name that is all number stays whole.
std::string withoutCount(const std::string& name)
{
    const std::size_t last = name.find_last_not_of("0123456789");
    const bool counted = last != std::string::npos && last > 0 && last + 1 < name.size() && name[last] == '_';
    return counted ? name.substr(0, last) : name;
}

} // namespace

std::string freeNameAmong(const std::string& wish, const std::function<bool(const std::string&)>& taken)
{
    if (!taken(wish))
        return wish;
    const std::string stem = withoutCount(wish);
    for (std::size_t count = 2;; ++count)
        if (std::string name = stem + "_" + std::to_string(count); !taken(name))
            return name;
}

std::string validNameFrom(const std::string& text, const std::string& otherwise)
{
    std::string name;
    for (const char c : text)
        name += isNamePart(c) ? c : '_';
    const auto first = std::find_if(name.begin(), name.end(), isLetter);
    name.erase(name.begin(), first);
    while (!name.empty() && name.back() == '_')
        name.pop_back();
    if (!name.empty())
        return name;
    return isValidName(otherwise) ? otherwise : "node";
}

bool isValidName(const std::string& name)
{
    return !name.empty() && isLetter(name.front()) && std::all_of(name.begin(), name.end(), isNamePart);
}

std::string freeName(const Graph& graph, const std::string& wish)
{
    std::set<std::string> names;
    for (const auto& [id, node] : graph.nodes)
        names.insert(node->name);
    return freeNameAmong(wish, [&](const std::string& name) { return names.contains(name); });
}

const PromotedPort* findPort(const std::vector<PromotedPort>& ports, const std::string& name)
{
    auto found = std::find_if(ports.begin(), ports.end(), [&](const PromotedPort& port) { return port.name == name; });
    return found == ports.end() ? nullptr : &*found;
}

std::size_t groupDepth(const Graph& graph)
{
    std::size_t depth = 0;
    for (const auto& [id, node] : graph.nodes)
        if (node->group && node->group->graph)
            depth = std::max(depth, 1 + groupDepth(*node->group->graph));
    return depth;
}

} // namespace unroll
