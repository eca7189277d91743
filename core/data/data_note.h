// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// What a user should know of data that can be read: said by the check, by training and where the data are shown.
struct DataNote {
    DataNote(std::string text) : sentence(std::move(text)) {} // NOLINT: a sentence is a note
    DataNote(std::string kind, std::string text, bool warns = false)
        : sentence(std::move(text)), code(std::move(kind)), warning(warns)
    {}

    std::string sentence;
    std::string code = "data-note";                              // stable word for tests and filters
    bool warning = false;                                        // what is read may not be what is meant
    std::string param{};                                         // of the data block, to blame; may be empty
    std::string remedy{};                                        // title of a one-click change; empty: there is none
    std::vector<std::pair<std::string, std::string>> settings{}; // that it makes: parameters of texts and choices
};

/// A setting that was made and changes nothing: "vocabulary_limit has no effect: it counts where unit is words."
inline DataNote ignoredSetting(const std::string& param, const std::string& why, bool warns = false)
{
    DataNote note("no-effect", param + " has no effect: " + why + ".", warns);
    note.param = param;
    return note;
}

} // namespace unroll
