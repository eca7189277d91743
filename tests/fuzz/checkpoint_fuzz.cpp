// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON of a run, its checkpoints and a race: progress.json, environment.json, status.json, race.json.
#include "tests/fuzz/fuzz.h"

#include "core/runs/environment.h"
#include "core/runs/race.h"
#include "core/runs/run_progress.h"
#include "core/runs/run_status.h"

using namespace unroll;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto json = readJson(test::textOf(data, size), "fuzz.json");
    if (!json)
        return 0;
    if (const auto progress = progressFromJson(*json, "progress.json"))
        test::demand(progressFromJson(progressToJson(*progress), "again") == progress,
                     "progress is read back the same");
    if (const auto environment = environmentFromJson(*json, "environment.json")) {
        environment->vocabulary();
        environment->learned();
        test::demand(environmentFromJson(environmentToJson(*environment), "again").has_value(),
                     "so is what a run was made on");
    }
    runStatusFromJson(*json, "status.json");
    if (const auto race = raceFromJson(*json, "race.json"))
        test::demand(raceFromJson(raceToJson(*race), "again") == race, "a race is read back the same");
    return 0;
}
