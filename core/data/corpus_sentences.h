// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/corpus_script.h"
#include "core/data/corpus_words.h"

#include <array>

namespace unroll {

/// One of the two animals of a fable, by places in the word lists.
struct Character {
    size_t name = Menu::kNone, creature = Menu::kNone;

    std::string_view called() const { return words::kNames[name]; }
    std::string_view kind() const { return words::kCreatures[creature]; }
    std::string_view pronoun() const { return name < words::kSheNames ? "she" : "he"; }
    std::string_view possessive() const { return name < words::kSheNames ? "her " : "his "; }
};

/// Whom and what a fable is about: fixed by its title, needed to its end.
struct Cast {
    std::array<Character, 2> animals;
    size_t look = Menu::kNone, thing = Menu::kNone; // the treasure
};

/// The sentences of a fable. Each function says one rule of the grammar; what it expects to have been said already
/// stands in its comment. A sentence ends with its full stop.
class Sentences {
public:
    Sentences(Script& script, const Cast& cast) : m_script(script), m_cast(cast) {}

    size_t someone();                                        // a name; which of the two
    void treasure();                                         // "lost lantern"
    void place(std::span<const std::string_view> where);     // "by the [old ]mill"
    void act(size_t who, bool mayBranch, bool last = false); // after the subject: "sold two red hats while ..."
    void scene(bool past, bool withAnimals); // after "the ": "lamps of the inn were dim", or a whole sentence
    void inventory();                        // after "by the ": "mill lay 12 eggs, a cup and old maps."
    void speech();                           // after the quotation mark

private:
    enum class Verb { Journey, Object, Mood };

    void together(size_t who);
    void tail(size_t who, Verb verb);
    void described(std::string_view ending);
    void thing(std::string_view mine);
    void weather();
    void state(bool past, bool plural, bool mayBranch);
    void aside();
    bool claim(bool nested);
    void question(bool plural);
    void statement(std::string_view mine);
    std::string_view nameOf(size_t who) const { return m_cast.animals[who].called(); }

    Script& m_script;
    const Cast& m_cast;
};

} // namespace unroll
