// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/corpus_script.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace unroll {

namespace {

// Whether word and suffix together begin with `start`.
bool begins(std::string_view word, std::string_view suffix, std::string_view start)
{
    const size_t shared = std::min(word.size(), start.size());
    return word.substr(0, shared) == start.substr(0, shared) && suffix.starts_with(start.substr(shared));
}

} // namespace

Menu& Menu::add(const Group& group)
{
    assert(m_count < kMaxGroups);
    m_groups[m_count++] = group;
    m_total += group.weight * group.options();
    return *this;
}

Menu& Menu::each(std::span<const std::string_view> words, uint64_t weight, std::string_view suffix, size_t except)
{
    assert(!words.empty());
    return add({words, {}, suffix, weight, except});
}

Menu& Menu::one(std::string_view text, uint64_t weight, std::string_view suffix)
{
    return add({{}, text, suffix, weight, kNone});
}

double Menu::entropy() const
{
    double sum = 0;
    for (const Group& group : groups())
        if (group.weight > 0)
            sum += static_cast<double>(group.options() * group.weight) * std::log(static_cast<double>(group.weight));
    const auto total = static_cast<double>(m_total);
    return std::log(total) - sum / total;
}

Script::~Script() = default;

Choice Script::pick(const Menu& menu)
{
    const Choice choice = take(menu);
    const uint64_t weight = menu.groups()[choice.group].weight;
    m_information += std::log(static_cast<double>(menu.total()) / static_cast<double>(weight));
    m_expected += menu.entropy();
    return choice;
}

Choice ScriptWriter::take(const Menu& menu)
{
    uint64_t draw = m_random.below(menu.total());
    Choice choice;
    const Menu::Group* group = menu.groups().data();
    for (; draw >= group->weight * group->options(); ++group, ++choice.group)
        draw -= group->weight * group->options();
    choice.item = draw / group->weight;
    choice.item += choice.item >= group->except;
    m_text += group->word(choice.item);
    m_text += group->suffix;
    return choice;
}

void ScriptReader::say(std::string_view words)
{
    m_failed = m_failed || !m_text.substr(m_at).starts_with(words);
    if (m_failed)
        return;
    m_at += words.size();
    m_record.nats.insert(m_record.nats.end(), words.size(), 0.0);
}

// Of the weight that fits the characters so far, the part that fits one more as well is the probability of that one.
void ScriptReader::spread(const Menu& menu, std::string_view taken)
{
    uint64_t before = menu.total();
    for (size_t length = 1; length <= taken.size(); ++length) {
        uint64_t fitting = 0;
        for (const Menu::Group& group : menu.groups())
            for (size_t item = 0; item < group.size(); ++item)
                if (item != group.except && begins(group.word(item), group.suffix, taken.substr(0, length)))
                    fitting += group.weight;
        m_record.nats.push_back(std::log(static_cast<double>(before) / static_cast<double>(fitting)));
        before = fitting;
    }
}

bool ScriptReader::fits(const Menu::Group& group, size_t item) const
{
    const std::string_view rest = m_text.substr(m_at), word = group.word(item);
    return item != group.except && rest.starts_with(word) && rest.substr(word.size()).starts_with(group.suffix);
}

Choice ScriptReader::take(const Menu& menu)
{
    size_t length = 0;
    int found = 0;
    Choice choice;
    for (size_t g = 0; g < menu.groups().size() && !m_failed; ++g) {
        const Menu::Group& group = menu.groups()[g];
        for (size_t item = 0; item < group.size() && group.weight > 0; ++item)
            if (fits(group, item)) {
                ++found;
                choice = {g, item};
                length = group.word(item).size() + group.suffix.size();
            }
    }
    m_failed = m_failed || found == 0;
    m_ambiguous = m_ambiguous || found > 1;
    if (m_failed)
        return {};
    spread(menu, m_text.substr(m_at, length));
    m_record.choices.push_back(choice);
    m_at += length;
    return choice;
}

} // namespace unroll
