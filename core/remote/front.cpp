// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/front.h"

#include "core/base/home_path.h"
#include "core/format/atomic_file.h"
#include "core/remote/child_process.h"
#include "core/remote/engine_socket.h"
#include "core/remote/session_host.h"
#include "core/remote/watched_run.h"
#include "core/remote/wire_commands.h"
#include "core/remote/wire_values.h"
#include "core/runs/run_names.h"
#include "core/runs/run_summary.h"
#include "core/session/run_record.h"

#include "core/base/sha256.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace unroll {

namespace {

namespace places = std::filesystem;

std::string machineName()
{
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string whole(const std::string& path)
{
    std::error_code error;
    const places::path full = places::absolute(withHome(path), error);
    return error ? path : full.lexically_normal().string();
}

/// One viewer, from its first word to its last.
class Front {
public:
    Front(std::unique_ptr<Channel> viewer, const FrontSetup& setup) : m_viewer(std::move(viewer)), m_setup(setup) {}

    void serve()
    {
        while (const auto message = await()) {
            const std::string kind = message->kind();
            if (kind == "hello")
                greet();
            else if (kind == "list")
                list(*message);
            else if (kind == "begin")
                return begin(*message);
            else if (kind == "attach")
                return attach(*message);
            else if (kind == "command")
                return command(*message);
            else if (kind != "leave" && kind != "close")
                return refuse(fmt::format("\"{}\" is only allowed after a run was started or attached to", kind));
        }
    }

private:
    /// The next message; nothing: the viewer has disconnected, or what it said is none, which it is told.
    std::optional<Message> await()
    {
        for (;;) {
            m_viewer->exchange();
            auto message = m_viewer->next();
            if (!message) {
                refuse(message.error().text());
                return {};
            }
            if (*message && (*message)->kind() == "ping")
                continue;
            if (*message)
                return std::move(*message);
            if (m_viewer->isClosed())
                return {};
            waitFor({m_viewer.get()}, 60);
        }
    }
    void say(const Message& message)
    {
        (void)m_viewer->send(message);
        m_viewer->exchange();
    }
    void flush()
    {
        for (int i = 0; i < 50 && m_viewer->hasUnsent() && !m_viewer->isClosed(); ++i) {
            waitFor({m_viewer.get()}, 0.1);
            m_viewer->exchange();
        }
    }
    void refuse(const std::string& failure)
    {
        Message bye = commandMessage("bye");
        bye.head.add("failure", failure);
        say(bye);
        flush();
    }
    void greet()
    {
        Message hello = commandMessage("hello");
        hello.head.add("version", m_setup.version);
        hello.head.add("machine", machineName());
        say(hello);
    }
    void list(const Message& message)
    {
        const Json* named = message.head.find("place");
        const std::string place = named != nullptr && named->asString() != nullptr && !named->asString()->empty()
                                      ? *named->asString()
                                      : m_setup.runs;
        Json runs{JsonArray{}};
        for (const RunSummary& run : listRuns(whole(place))) {
            if (run.state == RunState::Unknown)
                continue;
            Json json{JsonObject{}};
            json.add("run", run.folder.string());
            json.add("title", run.title);
            json.add("state", runStateWord(run.state));
            json.add("step", run.step);
            json.add("steps", run.steps);
            json.add("changed", run.changed);
            runs.push(std::move(json));
        }
        Message answer = commandMessage("runs");
        answer.head.add("runs", std::move(runs));
        say(answer);
    }

    void begin(const Message& message);
    void attach(const Message& message);
    void command(const Message& message);
    void watch(const std::string& run, std::int64_t from);
    Result<Message> localised(const Message& message);
    Result<void> receive(const std::vector<DataFile>& files);
    Result<void> receive(const DataFile& file);
    void startEngine(const Message& first);
    void relay(std::unique_ptr<Channel> engine, ChildProcess* child, const std::string& run);
    void tellEnd(ChildProcess* child, const std::string& run);

    std::unique_ptr<Channel> m_viewer;
    const FrontSetup& m_setup;
};

/// The message as an engine of this machine takes it: files that came are named by their paths here, and the run has a
/// folder here.
Result<Message> Front::localised(const Message& message)
{
    const BlockReader blocks(message.body);
    std::string fault;
    const MemberReader members(message.head, blocks, fault);
    const auto files = members.each("files", [](const MemberReader& file) {
        return DataFile{file.text("hash"), file.text("name"), file.natural("bytes"), {}};
    });
    const std::string name = members.text("run_name");
    const Json* document = members.find("experiment");
    SessionOptions options;
    members.inside("options", [&](const MemberReader& each) { options = optionsFrom(each); });
    if (document == nullptr || !fault.empty())
        return fail(fmt::format("what is to be run cannot be read: its {} is not as expected",
                                fault.empty() ? "experiment" : fault));
    auto experiment = experimentFromJson(*document, "the experiment");
    if (!experiment)
        return tl::unexpected(experiment.error());
    for (const DataFile& file : files)
        if (const std::string wrong = ReceivedFiles::fault(file); !wrong.empty())
            return fail(wrong);
    if (auto received = receive(files); !received)
        return tl::unexpected(received.error());
    const Experiment here =
        unpackExperiment(std::move(*experiment), m_setup.registry, files, m_setup.files, options.initialWeights);
    if (!name.empty())
        options.runFolder = whole(freeRunFolder(m_setup.runs, places::path(name).filename().string()).string());
    BlockWriter written;
    Message begin = commandMessage("begin");
    begin.head.add("experiment", experimentToJson(here));
    begin.head.add("folder", whole("."));
    begin.head.add("options", optionsJson(options, written));
    begin.body = written.take();
    return begin;
}

/// Asks for the files that are not here.
Result<void> Front::receive(const std::vector<DataFile>& files)
{
    std::vector<std::string> wanted;
    std::vector<const DataFile*> missing;
    for (const DataFile& file : files)
        if (!m_setup.files.has(file) && std::find(wanted.begin(), wanted.end(), file.hash) == wanted.end()) {
            wanted.push_back(file.hash);
            missing.push_back(&file);
        }
    Message wants = commandMessage("wants");
    wants.head.add("hashes", wordsJson(wanted));
    say(wants);
    for (const DataFile* file : missing)
        if (auto received = receive(*file); !received)
            return received;
    return {};
}

/// One file, in pieces in their order; each is answered, so that no more than one is on its way.
Result<void> Front::receive(const DataFile& file)
{
    const places::path place = m_setup.files.place(file);
    std::error_code error;
    places::create_directories(place.parent_path(), error);
    auto written = format::AtomicFile::create(place);
    if (!written)
        return tl::unexpected(written.error());
    Sha256 hash;
    std::uint64_t bytes = 0;
    for (bool isFirst = true; isFirst || bytes < file.bytes; isFirst = false) {
        const auto piece = await();
        if (!piece)
            return fail("the viewer has disconnected", file.name);
        const Json* of = piece->head.find("hash");
        if (piece->kind() != "file" || of == nullptr || of->asString() == nullptr || *of->asString() != file.hash ||
            piece->body.size() > file.bytes - bytes || (piece->body.empty() && file.bytes > 0))
            return fail("a piece of this data file was expected", file.name);
        if (auto kept = written->write(std::string_view(piece->body)); !kept)
            return kept;
        hash.add(piece->body);
        bytes += piece->body.size();
        say(commandMessage("got"));
    }
    if (hash.hex() != file.hash)
        return fail("the received data file is not the requested one: its hash differs", file.name);
    return written->commit();
}

void Front::begin(const Message& message)
{
    const Json* sent = message.head.find("files");
    if (sent == nullptr) // the same disk
        return startEngine(message);
    const auto here = localised(message);
    if (!here)
        return refuse(here.error().text());
    startEngine(*here);
}

void Front::startEngine(const Message& first)
{
    auto child = ChildProcess::start(m_setup.engine, ChildProcess::Life::OnItsOwn);
    if (!child)
        return refuse("the engine " + child.error().text());
    auto engine = (*child)->takeChannel();
    if (auto sent = engine->send(first); !sent)
        return refuse(sent.error().text());
    std::string run;
    if (const Json* options = first.head.find("options"))
        if (const Json* folder = options->find("run_folder"); folder != nullptr && folder->asString() != nullptr)
            run = *folder->asString();
    relay(std::move(engine), child->get(), run);
}

void Front::attach(const Message& message)
{
    const Json* named = message.head.find("run");
    const Json* from = message.head.find("from");
    if (named == nullptr || named->asString() == nullptr)
        return refuse("no run was named");
    const std::string run = whole(*named->asString());
    if (auto engine = meetEngine(run)) {
        (void)(*engine)->send(message);
        return relay(std::move(*engine), nullptr, run);
    }
    if (isWrittenNow(run))
        return watch(run, from != nullptr ? from->asInt().value_or(0) : 0);
    if (const auto record = readRunRecord(run); !record)
        return refuse(record.error().text());
    Message open = commandMessage("open");
    open.head.add("run", run);
    startEngine(open);
}

/// To the process that trains the run, whoever views it.
void Front::command(const Message& message)
{
    const Json* named = message.head.find("run");
    if (named == nullptr || named->asString() == nullptr)
        return refuse("no run was named");
    const std::string run = whole(*named->asString());
    if (auto engine = meetEngine(run)) {
        (void)(*engine)->send(message);
        return relay(std::move(*engine), nullptr, run);
    }
    if (isWrittenNow(run))
        return refuse(fmt::format("the process that trains {} cannot be met from this machine: it takes commands where "
                                  "it runs (Ctrl-C, scancel)",
                                  run));
    const auto record = readRunRecord(run);
    refuse(record ? fmt::format("{} does not train: it is {} at step {}", run, runStateWord(record->snapshot.state),
                                record->snapshot.step)
                  : record.error().text());
}

void Front::watch(const std::string& run, std::int64_t from)
{
    auto watched = WatchedRun::open(run);
    if (!watched)
        return refuse(watched.error().text());
    SessionHost host(**watched, (*watched)->experiment(), {});
    host.keep((*watched)->takeMetrics());
    host.take(std::move(m_viewer), from);
    while (host.hasViewer() && !host.wantsEnd()) {
        host.turn(0.1);
        host.keep((*watched)->takeMetrics());
        if ((*watched)->finish(0))
            break;
    }
    host.end({});
}

/// Whole messages alone are passed on to the viewer: an engine that ends in the middle of one leaves the pipe in order.
void Front::relay(std::unique_ptr<Channel> engine, ChildProcess* child, const std::string& run)
{
    if (const std::string rest = m_viewer->rest(); !rest.empty())
        engine->sendBytes(rest);
    for (bool said = false;;) {
        engine->setReads(!m_viewer->hasUnsent());
        m_viewer->setReads(!engine->hasUnsent());
        waitFor({m_viewer.get(), engine.get()}, 1, {child != nullptr ? child->errors() : -1});
        if (child != nullptr)
            child->readErrors();
        engine->exchange();
        for (auto bytes = engine->nextBytes(); bytes && *bytes; bytes = engine->nextBytes()) {
            said = (*bytes)->find("\"kind\":\"bye\"") < 64 || (*bytes)->find("\"kind\": \"bye\"") < 64;
            m_viewer->sendBytes(**bytes);
        }
        m_viewer->exchange();
        if (const std::string come = m_viewer->rest(); !come.empty())
            engine->sendBytes(come);
        if (m_viewer->isClosed()) {
            engine->exchange(); // its last words may be "leave" or "close"
            return;
        }
        if (engine->isClosed()) {
            flush();
            return said ? void() : tellEnd(child, run);
        }
    }
}

void Front::tellEnd(ChildProcess* child, const std::string& run)
{
    std::string failure = "the process that trains the run has ended";
    if (child != nullptr) {
        const auto how = child->ended(2);
        const std::string words = child->lastWords();
        failure = fmt::format("the engine's process {}{}", how.value_or("has closed its pipe"),
                              words.empty() ? "" : ": " + words);
    }
    if (!run.empty())
        if (const RunSummary found = readRunSummary(run); found.checkpoint >= 0)
            failure += fmt::format("; the checkpoint of step {} is kept", found.checkpoint);
    refuse(failure);
}

} // namespace

void serveFront(std::unique_ptr<Channel> viewer, const FrontSetup& setup)
{
    Front(std::move(viewer), setup).serve();
}

} // namespace unroll
