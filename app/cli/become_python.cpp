// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/become_python.h"

#include "app/cli/terminal.h"

#include "core/base/python_choice.h"
#include "core/experiment/gallery.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace unroll::cli {

int becomePython(std::vector<std::string> words, const char* leastVersion)
{
    words.insert(words.begin(), chosenPython(resourceFolder().parent_path() / ".venv" / "bin" / "python"));
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    return tellError({fmt::format("cannot be started: {}; name a Python {} or newer: UNROLL_PYTHON=/path/to/python",
                                  std::strerror(errno), leastVersion),
                      words.front()});
}

} // namespace unroll::cli
