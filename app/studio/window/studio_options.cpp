// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/studio_options.h"

#include "app/studio/window/layouts.h"

#include <functional>
#include <map>

namespace unroll {

namespace {

using Take = std::function<bool(StudioOptions&, const QString&)>;

bool takeSize(StudioOptions& options, const QString& text)
{
    const QStringList sides = text.split('x');
    if (sides.size() != 2)
        return false;
    options.size = {sides[0].toInt(), sides[1].toInt()};
    return options.size.width() >= 400 && options.size.height() >= 300 && options.size.width() <= 16000 &&
           options.size.height() <= 16000;
}

bool takeTheme(StudioOptions& options, const QString& text)
{
    options.theme = text == "dark" ? ThemeChoice::Dark : ThemeChoice::Light;
    return text == "dark" || text == "light";
}

bool takeSteps(StudioOptions& options, const QString& text)
{
    bool ok = false;
    options.steps = text.toLongLong(&ok);
    return ok && options.steps >= 0;
}

bool takePage(StudioOptions& options, const QString& text)
{
    options.startPage = text == "start";
    return text == "start" || text == "canvas";
}

bool takeScale(StudioOptions& options, const QString& text)
{
    bool ok = false;
    options.scale = text.toDouble(&ok);
    return ok && options.scale >= 0.5 && options.scale <= 4;
}

struct Option {
    const char* expects;
    Take take;
};

std::map<QString, Option> optionTable()
{
    const auto text = [](QString StudioOptions::*member) {
        return [member](StudioOptions& options, const QString& value) {
            options.*member = value;
            return !value.isEmpty();
        };
    };
    const Take layout = [](StudioOptions& options, const QString& value) {
        options.layout = value;
        return layoutNames().contains(value);
    };
    return {{"--shot", {"an image file", text(&StudioOptions::shot)}},
            {"--open", {"an experiment", text(&StudioOptions::file)}},
            {"--steps", {"a whole number of at least 0", takeSteps}},
            {"--theme", {"light or dark", takeTheme}},
            {"--layout", {"train, edit, watch or inspect", layout}},
            {"--page", {"start or canvas", takePage}},
            {"--size", {"WIDTHxHEIGHT of at least 400x300", takeSize}},
            {"--scale", {"a number from 0.5 to 4", takeScale}}};
}

Result<void> takeOption(StudioOptions& options, const QString& name, const QString* value)
{
    const auto table = optionTable();
    const auto found = table.find(name);
    if (found == table.end())
        return fail("unknown option " + name.toStdString());
    if (value == nullptr)
        return fail(name.toStdString() + " expects " + found->second.expects + "; it is missing");
    if (!found->second.take(options, *value))
        return fail(name.toStdString() + " expects " + found->second.expects + "; it is \"" + value->toStdString() +
                    "\"");
    return {};
}

} // namespace

QString usageText()
{
    return QStringLiteral(
        "usage: unroll [FILE]\n       unroll --shot OUT.png [--open FILE] [--steps N] [--theme light|dark] [--layout "
        "NAME] [--size WxH] [--scale S]\n                     [--page start] [--force]\n\nOpens the studio with FILE "
        "(an .unroll file or the name of a gallery experiment), or its start page.\nWith --shot it opens FILE or the "
        "default experiment, trains N steps (default 300), renders itself to OUT.png and exits; no display is "
        "needed.\n\n  --theme light|dark   override the system's theme\n  --layout NAME        train, edit, watch or inspect\n  "
        "--page start         render the start page instead of an experiment\n  --size WxH           window size, "
        "default 1440x900\n  --scale S            pixels per unit: 2 doubles the resolution\n  --force              "
        "overwrite OUT.png even if the studio did not write it\n  --version  --help\n");
}

Result<StudioOptions> readArguments(const QStringList& arguments)
{
    StudioOptions options;
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        const QString& argument = arguments[i];
        if (argument == "--help" || argument == "-h")
            options.help = true;
        else if (argument == "--version")
            options.version = true;
        else if (argument == "--probe-display")
            options.probeDisplay = true;
        else if (argument == "--force")
            options.force = true;
        else if (argument.startsWith("--")) {
            if (auto taken = takeOption(options, argument, i + 1 < arguments.size() ? &arguments[i + 1] : nullptr);
                !taken)
                return tl::unexpected(taken.error());
            ++i;
        } else if (options.file.isEmpty()) {
            options.file = argument;
        } else {
            return fail("only one FILE is accepted; \"" + argument.toStdString() + "\" is the second");
        }
    }
    return options;
}

} // namespace unroll
