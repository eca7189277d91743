// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_status.h"

#include "core/base/input_file.h"
#include "core/format/atomic_file.h"

#include <fmt/format.h>
#include <optional>
#include <unistd.h>

namespace unroll {
namespace {

constexpr const char* kFile = "status.json";
constexpr std::uint64_t kMostStatusBytes = 1 << 20;

std::int64_t numberAt(const Json& json, const char* key)
{
    const Json* member = json.find(key);
    return member == nullptr ? 0 : member->asInt().value_or(0);
}

} // namespace

Result<RunStatus> runStatusFromJson(const Json& json, const std::string& source)
{
    const Json* state = json.find("state");
    const std::string* word = state == nullptr ? nullptr : state->asString();
    const auto known = word == nullptr ? std::nullopt : runStateFromWord(*word);
    if (!known || *known != storedState(*known))
        return fail("\"state\" must be running, finished, stopped or failed", source);
    const Json* reason = json.find("reason");
    const std::string* why = reason == nullptr ? nullptr : reason->asString();
    return RunStatus{*known, why == nullptr ? std::string() : *why, numberAt(json, "started"),
                     numberAt(json, "changed"), numberAt(json, "process")};
}

Result<RunStatus> readRunStatus(const std::filesystem::path& run)
{
    const std::string file = (run / kFile).string();
    const auto text = readWholeFile(file, kMostStatusBytes);
    if (!text)
        return tl::unexpected(text.error());
    const auto json = readJson(*text, file);
    if (!json)
        return tl::unexpected(json.error());
    return runStatusFromJson(*json, file);
}

Result<void> writeRunStatus(const std::filesystem::path& run, const RunStatus& status)
{
    Json json{JsonObject{}};
    json.add("state", runStateWord(storedState(status.state)));
    if (!status.reason.empty())
        json.add("reason", status.reason);
    json.add("started", status.started);
    json.add("changed", status.changed);
    if (status.process > 0)
        json.add("process", status.process);
    return format::writeFileAtomically(run / kFile, writeJson(json) + "\n");
}

std::string holderText(const std::filesystem::path& run)
{
    const auto status = readRunStatus(run);
    const std::int64_t process = status ? status->process : 0;
    const std::string who = process == getpid() ? "Another window"
                            : process > 0       ? fmt::format("Another program (pid {})", process)
                                                : "Another program";
    return who + (status && status->state != RunState::Running ? " has this run open" : " is training this run");
}

} // namespace unroll
