// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"
#include "core/check/ports.h"
#include "core/graph/names.h"

#include <fmt/format.h>

#include <unordered_map>

namespace unroll {

namespace {

void reportUnknownBlock(Level& level, Item& item)
{
    const BlockSpec* near = nearestBlock(level.registry, item.node->block);
    std::string sentence = fmt::format("there is no block \"{}\" in this version", item.node->block);
    if (near != nullptr)
        sentence += fmt::format("; did you mean {}?", near->id);
    Diagnostic& diagnostic = level.error(&item, "", "unknown-block", std::move(sentence));
    if (near != nullptr && near->id != "group")
        diagnostic.fix = level.fix("Make it " + near->title, edits::setBlock(item.node->id, near->id));
}

} // namespace

void indexNodes(Level& level)
{
    level.items.reserve(level.graph.nodes.size());
    for (const auto& [id, node] : level.graph.nodes) {
        Item item;
        item.node = node.get();
        item.spec = level.registry.find(node->block);
        item.checked.id = id;
        item.checked.spec = item.spec;
        if (node->group)
            item.ports = portsOf(*node, level.registry);
        level.items.push_back(std::move(item));
    }
    for (Item& item : level.items)
        if (const bool emptyGroup = item.node->block == "group" && !item.node->group; emptyGroup || !item.isKnown()) {
            item.mistaken = true;
            if (emptyGroup)
                level.error(&item, "", "group-fault", "the group is empty");
            else
                reportUnknownBlock(level, item);
        }
}

void checkNames(Level& level)
{
    std::unordered_map<std::string_view, const Item*> first;
    for (const Item& item : level.items)
        first.emplace(item.node->name, &item);
    const auto taken = [&](const std::string& name) { return first.contains(name); };
    for (Item& item : level.items) {
        const std::string& name = item.node->name;
        const bool valid = isValidName(name);
        if (valid && first.at(name) == &item)
            continue;
        const std::string better = freeNameAmong(validNameFrom(name, item.node->block), taken);
        std::string sentence =
            valid ? fmt::format("two nodes are named {}", name)
                  : fmt::format("\"{}\" cannot name a node: a letter, then letters, digits and _", name);
        level.error(&item, "", valid ? "name-taken" : "name-invalid", std::move(sentence)).fix =
            level.fix("Rename to " + better, edits::renameNode(item.node->id, better));
    }
}

} // namespace unroll
