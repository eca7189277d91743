// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/ngram.h"

#include <algorithm>

namespace unroll {

namespace {

constexpr size_t kFirstPlaces = 1024;

/// Kneser and Ney's, from how many n-grams were counted once and twice.
double discountOf(int64_t once, int64_t twice)
{
    return once == 0 ? 0.5 : static_cast<double>(once) / static_cast<double>(once + 2 * twice);
}

} // namespace

NgramModel::Numbers::Numbers() : m_table(kFirstPlaces, kNone) {}

/// The place of the key, or the free one where it belongs.
size_t NgramModel::Numbers::placeOf(uint64_t key) const
{
    const size_t last = m_table.size() - 1;
    uint64_t mixed = key * 0x9e3779b97f4a7c15; // the golden ratio of 2^64: near keys lie far from each other
    mixed ^= mixed >> 32;
    size_t place = static_cast<size_t>(mixed) & last;
    while (m_table[place] != kNone && m_keys[m_table[place]] != key)
        place = (place + 1) & last;
    return place;
}

uint32_t NgramModel::Numbers::find(uint64_t key) const
{
    return m_table[placeOf(key)];
}

uint32_t NgramModel::Numbers::add(uint64_t key)
{
    size_t place = placeOf(key);
    if (m_table[place] != kNone)
        return m_table[place];
    if (2 * (m_keys.size() + 1) > m_table.size()) {
        m_table.assign(2 * m_table.size(), kNone);
        for (size_t i = 0; i < m_keys.size(); ++i)
            m_table[placeOf(m_keys[i])] = static_cast<uint32_t>(i);
        place = placeOf(key);
    }
    m_table[place] = static_cast<uint32_t>(m_keys.size());
    m_keys.push_back(key);
    return m_table[place];
}

NgramModel::NgramModel(std::span<const int32_t> text, int64_t classes, Limits limits) : m_classes(classes)
{
    m_levels.emplace_back();
    m_levels.back().grams.emplace_back();
    std::vector<uint32_t> ends(text.size(), 0); // for each token: the n-gram that ends there
    int64_t left = limits.grams;
    const int64_t most = std::min(limits.orders, static_cast<int64_t>(text.size()));
    while (orders() < most && count(text, ends, left))
        left -= static_cast<int64_t>(m_levels.back().grams.size());
    sumUp();
}

/// The n-grams of the next length; false where there would be more than `left`, and the level is not kept. A text
/// begins as if after a token that occurs nowhere else.
bool NgramModel::count(std::span<const int32_t> text, std::vector<uint32_t>& ends, int64_t left)
{
    const size_t length = m_levels.size();
    std::vector<Gram>& shorter = m_levels.back().grams;
    Level level;
    std::vector<uint32_t> longer(text.size(), Numbers::kNone);
    std::vector<uint32_t> befores(shorter.size(), 0);
    for (size_t t = length - 1; t < text.size(); ++t) {
        const uint32_t context = length == 1 ? 0 : ends[t - 1];
        const uint32_t number = level.numbers.add(keyOf(context, text[t]));
        if (number == level.grams.size()) {
            if (std::ssize(level.grams) >= left)
                return false;
            level.grams.emplace_back();
            ++befores[ends[t]];
        }
        ++level.grams[number].often;
        longer[t] = number;
    }
    if (length > 1)
        ++befores[ends[length - 2]];
    for (size_t i = 0; i < shorter.size(); ++i)
        shorter[i].befores = befores[i];
    m_levels.push_back(std::move(level));
    ends = std::move(longer);
    return true;
}

void NgramModel::sumUp()
{
    for (size_t length = 1; length < m_levels.size(); ++length) {
        Level& level = m_levels[length];
        int64_t once = 0, twice = 0, onceBelow = 0, twiceBelow = 0;
        for (size_t i = 0; i < level.grams.size(); ++i) {
            const Gram& gram = level.grams[i];
            Gram& context = m_levels[length - 1].grams[level.numbers.keys()[i] >> 32];
            context.oftenAfter += gram.often;
            context.beforesAfter += gram.befores;
            ++context.kindsAfter;
            once += gram.often == 1;
            twice += gram.often == 2;
            onceBelow += gram.befores == 1;
            twiceBelow += gram.befores == 2;
        }
        level.discount = discountOf(once, twice);
        level.discountBelow = discountOf(onceBelow, twiceBelow);
    }
}

NgramModel::Reader::Reader(const NgramModel& model)
    : m_model(model), m_contexts(model.m_levels.size(), Numbers::kNone), m_chances(model.m_levels.size())
{
    m_contexts[0] = 0;
}

const std::vector<double>& NgramModel::Reader::next(int32_t token)
{
    double below = 1 / static_cast<double>(m_model.m_classes); // of the order below, as a lower one
    m_chances[0] = below;
    uint32_t context = m_contexts[0];
    for (size_t length = 1; length < m_model.m_levels.size(); ++length) {
        const Level& level = m_model.m_levels[length];
        const uint32_t number = context == Numbers::kNone ? Numbers::kNone : level.numbers.find(keyOf(context, token));
        m_chances[length] = below;
        if (context != Numbers::kNone && m_model.m_levels[length - 1].grams[context].kindsAfter > 0) {
            const Gram& before = m_model.m_levels[length - 1].grams[context];
            const Gram gram = number == Numbers::kNone ? Gram{} : level.grams[number];
            const auto mixed = [&](uint32_t times, double discount, uint32_t all) {
                return (std::max(times - discount, 0.0) + discount * before.kindsAfter * below) / all;
            };
            m_chances[length] = mixed(gram.often, level.discount, before.oftenAfter);
            if (length + 1 < m_model.m_levels.size())
                below = mixed(gram.befores, level.discountBelow, before.beforesAfter);
        }
        context = m_contexts[length];
        m_contexts[length] = number;
    }
    return m_chances;
}

} // namespace unroll
