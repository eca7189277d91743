// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/part_names.h"

#include "core/base/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace unroll {

namespace {

template <size_t n>
bool hasOneOf(const std::string& name, const std::array<std::string_view, n>& words)
{
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return hasWord(name, word); });
}

/// The only .txt that is for no part by its name; the number of names where there is none, or several.
size_t onlyPlainText(const std::vector<std::string>& names, const PartRoles& roles)
{
    size_t found = names.size();
    for (size_t i = 0; i < names.size(); ++i) {
        if (!loweredName(names[i]).ends_with(".txt"))
            continue;
        if (found < names.size() || i == roles.validation || i == roles.test)
            return names.size();
        found = i;
    }
    return found;
}

} // namespace

std::string loweredName(const std::filesystem::path& path)
{
    std::string name = path.filename().string();
    for (char& c : name)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return name;
}

bool hasWord(const std::string& name, std::string_view word)
{
    const auto isLetter = [](char c) { return c >= 'a' && c <= 'z'; };
    for (size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1)) {
        const size_t end = at + word.size();
        if ((at == 0 || !isLetter(name[at - 1])) && (end == name.size() || !isLetter(name[end])))
            return true;
    }
    return false;
}

Result<PartRoles> partRoles(const std::vector<std::string>& names, const std::string& place)
{
    PartRoles roles{names.size(), names.size(), names.size()};
    for (size_t i = 0; i < names.size(); ++i) {
        const std::string name = loweredName(names[i]);
        size_t* role = hasOneOf(name, kTrainWords)        ? &roles.train
                       : hasOneOf(name, kValidationWords) ? &roles.validation
                       : hasOneOf(name, kTestWords)       ? &roles.test
                                                          : nullptr;
        if (role != nullptr && *role < names.size())
            return fail(fmt::format("{} and {} are for the same part: name one of them as file, such as {}/{}",
                                    names[*role], names[i], place, names[*role]),
                        place);
        if (role != nullptr)
            *role = i;
    }
    if (names.size() == 1)
        return PartRoles{0, 1, 1};
    if (names.empty())
        return fail("contains no text", place);
    if (roles.train == names.size())
        roles.train = onlyPlainText(names, roles);
    if (roles.train == names.size())
        return fail(fmt::format("contains {} texts, none of them called train ({}): name one of them as file, such as "
                                "{}/{}",
                                names.size(), listed(names), place, names.front()),
                    place);
    return roles;
}

} // namespace unroll
