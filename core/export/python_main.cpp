// SPDX-License-Identifier: GPL-3.0-or-later
// The command line of model.py.
#include "core/export/python_text.h"

namespace unroll {

const char* const kPythonMain = R"py(def main():
    options = argparse.ArgumentParser(description="A network exported by Unroll.")
    options.add_argument("--verify", action="store_true", help="compare with the numbers in golden.safetensors")
    options.parse_args()
    sys.exit(0 if verify() else 1)


if __name__ == "__main__":
    main()
)py";

namespace {

/// @OPTIONS@ and @DEEDS@ are lines of it; @IDLE@: none of these deeds is asked for.
const char* const kMain = R"py(def main():
    options = argparse.ArgumentParser(description="A network exported by Unroll. Without an option it verifies itself.")
    options.add_argument("--verify", action="store_true", help="compare with the numbers in golden.safetensors")
@OPTIONS@    chosen = options.parse_args()
    for name, value in vars(chosen).items():
        if value == "":
            options.error(f"--{name} expects at least one character")
@DEEDS@    if chosen.verify or @IDLE@:
        sys.exit(0 if verify() else 1)


if __name__ == "__main__":
    main()
)py";

std::string mainWith(const std::string& options, const std::string& deeds, const std::string& idle)
{
    return filled(kMain, {{"@OPTIONS@", options}, {"@DEEDS@", deeds}, {"@IDLE@", idle}});
}

const char* const kTrainOptions =
    R"py(    options.add_argument("--train", metavar="FILE", help="go on training with @WHAT@")
    options.add_argument("--steps", type=int, default=100, help="updates of --train")
)py";

/// @BATCHES@ are the lines that make `batches`.
const char* const kTrain = R"py(    if chosen.train is not None:
        model = load()
@BATCHES@        for step, loss in enumerate(train(model, batches), 1):
            print(f"{step} {loss:.4f}" if loss is not None else f"{step} n/a: no target")
)py";

const char* const kTextBatches = R"py(        with open(chosen.train, encoding="utf-8") as file:
            batches = text_batches(file.read(), chosen.steps * TRAINING["accumulation"], TRAINING["length"], TRAINING["batch"])
)py";

const char* const kSeriesBatches =
    R"py(        batches = series_batches(chosen.train, chosen.steps * TRAINING["accumulation"], TRAINING["length"], TRAINING["batch"])
)py";

const char* const kSampleOption =
    R"py(    options.add_argument("--sample", metavar="PROMPT", help="write on from this text")
)py";

const char* const kSample = R"py(    if chosen.sample is not None:
        print(sample(load(), chosen.sample))
)py";

const char* const kLabelOption =
    R"py(    options.add_argument("--label", metavar="@KIND@", help="predict the label of @WHAT@")
)py";

const char* const kLabel = R"py(    if chosen.label is not None:
        try:
            told = label(load(), @GIVEN@)
        except @ERRORS@ as error:
            sys.exit(f"error: {error}")
        print("\n".join(f"{name} {chance:.4f}" for name, chance in told))
)py";

std::string labelMain(const std::vector<std::pair<std::string, std::string>>& signs)
{
    return mainWith(filled(kLabelOption, signs), filled(kLabel, signs), "chosen.label is None");
}

} // namespace

std::string pythonTextMain()
{
    return mainWith(kSampleOption + filled(kTrainOptions, {{"@WHAT@", "the text in this file"}}),
                    filled(kTrain, {{"@BATCHES@", kTextBatches}}) + kSample,
                    "(chosen.train is None and chosen.sample is None)");
}

std::string pythonNumbersMain()
{
    return mainWith(filled(kTrainOptions, {{"@WHAT@", "this CSV file"}}),
                    filled(kTrain, {{"@BATCHES@", kSeriesBatches}}), "chosen.train is None");
}

std::string pythonLabelTextMain()
{
    return labelMain(
        {{"@KIND@", "TEXT"}, {"@WHAT@", "this text"}, {"@GIVEN@", "chosen.label"}, {"@ERRORS@", "ValueError"}});
}

std::string pythonLabelSeriesMain()
{
    return labelMain({{"@KIND@", "FILE"},
                      {"@WHAT@", "the series in this file, a step a line"},
                      {"@GIVEN@", "read_series(chosen.label)"},
                      {"@ERRORS@", "(OSError, ValueError)"}});
}

} // namespace unroll
