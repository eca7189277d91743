// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_values.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"
#include "core/train/describe_run.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <new>

namespace {

using namespace unroll::cli;

/// The exit code, unless what was to be said got lost.
int ended(int code)
{
    const bool said = std::cout.flush().good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (said)
        return code;
    tell("error: standard output could not be written completely");
    return code == kOk ? kFailed : code;
}

int wrongUsage(const std::string& fault)
{
    tellError({fault});
    tell("See unroll-cli --help and unroll-cli COMMAND --help.");
    return kUsage;
}

/// What nobody below has caught ends with a sentence, memory that ran out above all.
int act(const Action& chosen)
{
    try {
        return chosen();
    } catch (const std::bad_alloc&) {
        return tellError({"not enough memory (ulimit -v, or the machine's)"});
    } catch (const std::exception& error) {
        const std::string words = error.what();
        return tellError({words.substr(0, words.find('\n'))});
    }
}

/// CLI11 shows "..." behind every option that may be given again, also where one takes a single value.
class Formatter : public CLI::Formatter {
    std::string make_option_opts(const CLI::Option* option) const override
    {
        std::string text = CLI::Formatter::make_option_opts(option);
        if (const auto dots = text.find(" ..."); dots != std::string::npos && !option->get_allow_extra_args())
            text.erase(dots, 4);
        return text;
    }
};

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Train and inspect recurrent networks from the command line. Data goes to stdout, messages and "
                 "progress to stderr.",
                 "unroll-cli");
    app.set_version_flag("--version", "unroll-cli " + unroll::unrollVersion());
    app.formatter(std::make_shared<Formatter>());
    app.require_subcommand(1);
    app.footer("Exit codes: 0 success, 1 failure (of train: refused before its first step), 2 usage error, 3 the loss "
               "diverged, or outputs that are evaluated are not finite, 4 training failed on the way, 130 "
               "interrupted.\nFILE is a path "
               "or the name of a bundled experiment (unroll-cli list experiments). RUN is a folder written by "
               "train.\nPaths on the command line are relative to the current folder, those in an .unroll file to the "
               "folder of that file (in a run's copy: of the original file); ~ is the home folder in both.");
    Action chosen;
    for (auto add : {addList, addHelp, addCheck, addTrain, addEval, addSample, addInspect, addExport, addStudy, addRace,
                     addBench, addDoctor, addImport, addSession, addSync, addPrepare})
        add(app, chosen);
    const Words given = commandWords(argc, argv);
    if (!given.fault.empty())
        return wrongUsage(given.fault);
    try {
        std::vector<std::string> backwards(given.words.rbegin(), given.words.rend()); // as the parser takes them
        app.parse(std::move(backwards));
    } catch (const CLI::ParseError& error) {
        return error.get_exit_code() == 0 ? ended(app.exit(error)) : wrongUsage(parseFault(app, error, given.words));
    }
    return ended(act(chosen));
}
