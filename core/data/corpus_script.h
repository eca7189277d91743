// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/random.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

/// Which option of a menu: the group in the order of adding, and the place in that group.
struct Choice {
    size_t group = 0;
    size_t item = 0;

    bool operator==(const Choice&) const = default;
};

/// The options of one choice: groups of words, each word of a group with the same suffix and the same weight. The
/// probability of an option is its weight over the sum of all weights. No option may begin with another one: then the
/// text tells which was taken, and the text of a whole grammar tells all its choices. Words must outlive the menu.
class Menu {
public:
    static constexpr size_t kNone = static_cast<size_t>(-1);

    /// A group; `except` leaves one of its words out. A weight of 0 makes a group that is never taken.
    Menu& each(std::span<const std::string_view> words, uint64_t weight, std::string_view suffix = "",
               size_t except = kNone);
    Menu& one(std::string_view text, uint64_t weight = 1, std::string_view suffix = "");

    struct Group {
        std::span<const std::string_view> words; // empty: the single word
        std::string_view single, suffix;
        uint64_t weight = 0;
        size_t except = kNone;

        size_t size() const { return words.empty() ? 1 : words.size(); }
        uint64_t options() const { return weight == 0 ? 0 : size() - (except < size()); }
        std::string_view word(size_t item) const { return words.empty() ? single : words[item]; }
    };
    std::span<const Group> groups() const { return std::span(m_groups).first(m_count); }
    uint64_t total() const { return m_total; } // sum of the weights
    double entropy() const;                    // nats

private:
    Menu& add(const Group& group);

    static constexpr size_t kMaxGroups = 12;
    std::array<Group, kMaxGroups> m_groups;
    size_t m_count = 0;
    uint64_t m_total = 0;
};

/// A grammar is a program that says fixed words and picks from menus. Run on a writer it draws, run on a reader it
/// recovers the choices from a text. Both add up what the choices tell, in nats.
class Script {
public:
    Script() = default;
    Script(const Script&) = delete;
    Script& operator=(const Script&) = delete;
    virtual ~Script();

    virtual void say(std::string_view words) = 0;
    Choice pick(const Menu& menu);

    double information() const { return m_information; } // sum of -ln p of the choices made
    double expected() const { return m_expected; }       // sum of the entropies of the menus met

private:
    virtual Choice take(const Menu& menu) = 0;

    double m_information = 0, m_expected = 0;
};

/// Appends to a text what the generator draws.
class ScriptWriter final : public Script {
public:
    explicit ScriptWriter(Random random) : m_random(random) {}
    void say(std::string_view words) override { m_text += words; }
    const std::string& text() const { return m_text; }

private:
    Choice take(const Menu& menu) override;

    Random m_random;
    std::string m_text;
};

/// What a reader recovers from a text.
struct ScriptRecord {
    std::vector<Choice> choices;
    std::vector<double> nats; // -ln p of every character given all before it: what the best possible model loses there
};

/// Walks along a text, which must outlive it. Where the text is none of the grammar's, it stops at that place and takes
/// the first option from there on, so every loop of a grammar needs a bound.
class ScriptReader final : public Script {
public:
    /// Begins at byte `at`; appends to `record` what it finds.
    ScriptReader(std::string_view text, size_t at, ScriptRecord& record) : m_text(text), m_at(at), m_record(record) {}
    void say(std::string_view words) override;
    size_t at() const { return m_at; }
    bool failed() const { return m_failed; }
    bool ambiguous() const { return m_ambiguous; } // some menu had two options that fit

private:
    bool fits(const Menu::Group& group, size_t item) const;
    Choice take(const Menu& menu) override;
    void spread(const Menu& menu, std::string_view taken);

    std::string_view m_text;
    size_t m_at;
    ScriptRecord& m_record;
    bool m_failed = false, m_ambiguous = false;
};

} // namespace unroll
