// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/python_package.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/base/home_path.h"
#include "core/data/text_survey.h"
#include "core/runs/run_names.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

namespace unroll::cli {
namespace {

namespace fs = std::filesystem;

struct PrepareOptions {
    std::string source, out, tokenizer, field, end;
    bool force = false;
};

/// Of a folder: of the files that the parts of Parquet become in it.
Result<void> checkPlace(const PrepareOptions& options, const fs::path& out)
{
    if (auto outside = outsideRuns(out); !outside)
        return outside;
    std::error_code error;
    if (const fs::path folder = out.parent_path(); !folder.empty() && !fs::is_directory(folder, error))
        return fail("there is no such folder", folder.string());
    std::vector<fs::path> files{out};
    if (fs::is_directory(out, error))
        files = {out / "train.jsonl", out / "validation.jsonl", out / "test.jsonl"};
    for (const fs::path& file : files)
        if (!options.force && fs::exists(file, error))
            return fail("exists; --force overwrites it", file.string());
    return {};
}

/// What the Text block would say of the source, and where it is cut. What cannot be opened is for the package to say,
/// which reads more kinds.
Result<void> addSurvey(const PrepareOptions& options, std::vector<std::string>& words)
{
    const auto found = surveyText(withHome(options.source), options.field);
    if (!found)
        return tl::unexpected(found.error());
    if (!*found)
        return {};
    const TextSurvey& survey = **found;
    if (!options.end.empty() && !survey.records)
        return fail("has no records behind which --end could stand: only JSON Lines and Parquet have them",
                    options.source);
    for (const DataNote& note : survey.notes)
        tell((note.warning ? "warning: " : "note: ") + note.sentence);
    if (survey.bytes)
        words.push_back(fmt::format("--cut={},{}", survey.bytes->training, survey.bytes->validation));
    return {};
}

int prepareData(const PrepareOptions& options)
{
    std::vector<std::string> words{"--out=" + withHome(options.out)};
    auto good = checkPlace(options, withHome(options.out));
    if (!options.field.empty())
        words.push_back("--field=" + options.field);
    if (good && !options.tokenizer.empty()) {
        words.push_back("--tokenizer=" + withHome(options.tokenizer));
        good = addSurvey(options, words);
    } else if (good && !options.end.empty()) {
        good = fail("is one of a tokenizer: name it with --tokenizer", "--end");
    }
    if (!good)
        return tellError(good.error());
    if (!options.end.empty())
        words.push_back("--end=" + options.end);
    words.insert(words.end(), {"--", withHome(options.source)});
    return becomePythonPackage("unroll_prepare", words);
}

} // namespace

void addPrepare(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<PrepareOptions>();
    CLI::App* verb = app.add_subcommand(
        "prepare", "Convert Parquet files, or texts with a tokenizer.json, to data that can be read");
    verb->add_option("SOURCE", options->source,
                     "a .parquet, .jsonl or text file, a zip archive, or a folder of these called train, valid, test")
        ->required();
    verb->add_option(
            "--out", options->out,
            "a .jsonl file for Parquet (a folder where there are several parts), a .safetensors file for tokens")
        ->required();
    verb->add_option(
        "--tokenizer", options->tokenizer,
        "a tokenizer.json of the package tokenizers (BPE and others); without it Parquet becomes JSON Lines");
    verb->add_option(
        "--field", options->field,
        "field or column with the text of a record; for tokens \"text\" where none is named. Parquet rows in which it "
        "is null are left out, with a warning");
    verb->add_option("--end", options->end,
                     "a token of the tokenizer behind every record, such as <|endoftext|>; else a "
                     "line end");
    verb->add_flag("--force", options->force, "overwrite existing files");
    verb->footer(
        "The result is the file of a Text block: --data OUT, for JSON Lines with --set text.text_field=text. "
        "enwik8 is divided as the Text block divides it: the first 90, the next 5, the last 5 million bytes. "
        "Needs the Python packages pyarrow (Parquet) or tokenizers: pip install pyarrow tokenizers. Plain text, "
        "zip archives and JSON Lines are read by Text as they are, as characters, bytes or words.");
    verb->callback([options, &chosen] { chosen = [options] { return prepareData(*options); }; });
}

} // namespace unroll::cli
