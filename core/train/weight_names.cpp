// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/weight_names.h"

#include "core/base/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace unroll {
namespace {

constexpr std::string_view kRenamed = "name ";

/// Names of modules that wrap a model: data parallel, torch.compile, Lightning and their kind, and of the sharded and
/// checkpointing wrappers that may stand anywhere in a name.
constexpr std::array<std::string_view, 3> kOuter = {"module", "model", "_orig_mod"};
constexpr std::array<std::string_view, 4> kInner = {"module", "_orig_mod", "_fsdp_wrapped_module",
                                                    "_checkpoint_wrapped_module"};

template <std::size_t N>
bool isOneOf(const std::array<std::string_view, N>& words, std::string_view word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// The name without what wrappers put into it, and that by itself: "module.model.".
std::pair<std::string, std::string> unwrapped(const std::string& name)
{
    std::string left, dropped;
    bool outer = true;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t dot = std::min(name.find('.', at), name.size());
        const std::string_view part = std::string_view(name).substr(at, dot - at);
        const bool last = dot == name.size();
        if (!last && (isOneOf(kInner, part) || (outer && isOneOf(kOuter, part))))
            dropped += std::string(part) + ".";
        else {
            outer = false;
            left += (left.empty() ? "" : ".") + std::string(part);
        }
        at = dot + 1;
    }
    return {left, dropped};
}

class Names {
public:
    Names(const TensorFile& file, const std::vector<WantedTensor>& wanted, const MatchRules& rules)
        : m_wanted(wanted), m_rules(rules)
    {
        for (const auto& [name, tensor] : file.tensors)
            m_there.push_back(name);
        for (const auto& [name, type] : file.unread)
            m_there.push_back(name);
    }

    FoundNames find(const std::map<std::string, std::string>& metadata)
    {
        findThemselves(metadata);
        if (!m_rules.foreign || m_found.names.size() == m_wanted.size())
            return std::move(m_found);
        const auto prefixes = m_found.names.empty() ? bestPrefixes() : std::vector<std::string>{};
        if (prefixes.size() == 1 && behind(prefixes.front()) == m_wanted.size()) {
            takeBehind(prefixes.front());
            return std::move(m_found);
        }
        findUnwrapped();
        if (m_found.names.empty() && prefixes.size() == 1)
            takeBehind(prefixes.front());
        else if (m_found.names.empty() && !prefixes.empty())
            note(
                fmt::format("the names of the model occur with several prefixes in the {} ({}): none is used; keep one",
                            m_rules.there, listed(prefixes, kWordsListed)));
        return std::move(m_found);
    }

private:
    void note(std::string sentence) { m_found.notes.push_back(std::move(sentence)); }

    void findThemselves(const std::map<std::string, std::string>& metadata)
    {
        const std::set<std::string> known(m_there.begin(), m_there.end());
        std::set<std::string> here;
        for (const WantedTensor& each : m_wanted) {
            here.insert(each.name);
            if (known.contains(each.name))
                m_found.names[each.name] = each.name;
        }
        for (const auto& [key, name] : metadata) // what an export calls otherwise, because Python keeps the name
            if (key.starts_with(kRenamed) && known.contains(key.substr(kRenamed.size())) && here.contains(name))
                m_found.names.try_emplace(name, key.substr(kRenamed.size()));
    }

    /// Names that are the same once what wrappers put into them is left out. Two of one name stand for nothing.
    void findUnwrapped()
    {
        std::set<std::string> used, dropped;
        for (const auto& [here, there] : m_found.names)
            used.insert(there);
        std::map<std::string, std::vector<std::string>> inside, wanted; // by the name that is left
        for (const std::string& name : m_there)
            if (!used.contains(name))
                inside[unwrapped(name).first].push_back(name);
        for (const WantedTensor& each : m_wanted)
            if (!m_found.names.contains(each.name))
                wanted[unwrapped(each.name).first].push_back(each.name);
        for (const auto& [left, here] : wanted) {
            const auto there = inside.find(left);
            if (there == inside.end())
                continue;
            if (here.size() > 1 || there->second.size() > 1) {
                note(fmt::format("{} might be any of {}: none is used", listed(here, kWordsListed),
                                 listed(there->second, kWordsListed)));
                continue;
            }
            m_found.names[here.front()] = there->second.front();
            dropped.insert(unwrapped(there->second.front()).second);
        }
        for (const std::string& prefix : dropped)
            if (!prefix.empty())
                note(fmt::format("names in the {} are read without the wrapper's \"{}\"", m_rules.there, prefix));
    }

    /// How many of the wanted names stand behind a prefix.
    std::size_t behind(const std::string& prefix) const
    {
        const std::set<std::string> known(m_there.begin(), m_there.end());
        return static_cast<std::size_t>(std::count_if(m_wanted.begin(), m_wanted.end(), [&](const WantedTensor& each) {
            return known.contains(prefix + each.name);
        }));
    }

    /// What most of the wanted names stand behind; several where it cannot be told.
    std::vector<std::string> bestPrefixes() const
    {
        std::map<std::string, std::size_t> counts;
        std::size_t most = 1;
        for (const WantedTensor& each : m_wanted)
            for (const std::string& name : m_there)
                if (name.ends_with("." + each.name))
                    most = std::max(most, ++counts[name.substr(0, name.size() - each.name.size())]);
        std::vector<std::string> best;
        for (const auto& [prefix, count] : counts)
            if (count == most)
                best.push_back(prefix);
        return best;
    }

    void takeBehind(const std::string& prefix)
    {
        const std::set<std::string> known(m_there.begin(), m_there.end());
        for (const WantedTensor& each : m_wanted)
            if (known.contains(prefix + each.name))
                m_found.names[each.name] = prefix + each.name;
        const bool wrapper = unwrapped(prefix + "x").first == "x";
        note(fmt::format("names in the {} are read without the {} \"{}\"", m_rules.there,
                         wrapper ? "wrapper's" : "prefix", prefix));
    }

    const std::vector<WantedTensor>& m_wanted;
    const MatchRules& m_rules;
    std::vector<std::string> m_there;
    FoundNames m_found;
};

} // namespace

std::string nameKey(const std::string& there)
{
    return std::string(kRenamed) + there;
}

std::string formKey(const std::string& weight)
{
    return "form " + weight;
}

FoundNames findNames(const TensorFile& file, const std::vector<WantedTensor>& wanted, const MatchRules& rules)
{
    return Names(file, wanted, rules).find(file.metadata);
}

} // namespace unroll
