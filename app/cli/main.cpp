// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/train/environment.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

namespace {

/// The exit code, unless what was to be said got lost.
int ended(int code)
{
    using namespace unroll::cli;
    const bool said = std::cout.flush().good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (said)
        return code;
    tell("error: standard output could not be written to its end");
    return code == kOk ? kFailed : code;
}

} // namespace

int main(int argc, char** argv)
{
    using namespace unroll::cli;
    CLI::App app("Recurrent architectures without a window. Data goes to stdout, messages and progress to stderr.",
                 "unroll-cli");
    app.set_version_flag("--version", "unroll-cli " + unroll::unrollVersion());
    app.require_subcommand(1);
    app.footer("Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the loss diverged, 130 interrupted.\n"
               "FILE is a path or the name of a bundled experiment (unroll-cli list experiments). RUN is a folder that "
               "train wrote.");
    Action chosen;
    for (auto add :
         {addList, addHelp, addCheck, addTrain, addEval, addSample, addInspect, addExport, addBench, addDoctor})
        add(app, chosen);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return ended(app.exit(error) == 0 ? kOk : kUsage);
    }
    return ended(chosen());
}
