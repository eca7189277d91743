// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/session.h"

#include "core/base/number_words.h"
#include "core/session/mailbox.h"
#include "core/session/runner.h"
#include "core/train/device.h"
#include "core/train/tensor_memory.h"

#include <c10/util/Exception.h>

#include <fmt/format.h>

#include <cstdlib>
#include <new>
#include <optional>
#include <stop_token>
#include <thread>

namespace unroll {

struct Session::Worker {
    MetricQueue metrics;
    SnapshotBox box;
    CommandQueue commands;
    std::stop_source hurry; ///< the run is to end: what takes long is broken off
    std::jthread thread;    ///< last member: joined before the ways out go

    /// For training that begins now: a hurry that was asked for was for what ended before.
    std::stop_token newHurry()
    {
        if (hurry.stop_requested())
            hurry = std::stop_source();
        return hurry.get_token();
    }
};

namespace {

std::string firstLine(const std::string& text)
{
    return text.substr(0, text.find('\n'));
}

/// What torch's allocator of the processor's memory asked for in vain, which it says in a general error's words alone:
/// "DefaultCPUAllocator: can't allocate memory: you tried to allocate 1073741888 bytes."
std::optional<std::uint64_t> bytesNotHad(const std::string& words)
{
    constexpr std::string_view kTried = "you tried to allocate ";
    const std::size_t at = words.find(kTried);
    if (words.find("DefaultCPUAllocator") == std::string::npos || at == std::string::npos)
        return {};
    return std::strtoull(words.c_str() + at + kTried.size(), nullptr, 10);
}

struct Trouble {
    std::string sentence;
    std::string code; ///< of the diagnostic
};

/// What the work threw, torch's exceptions too.
template <class Work>
std::optional<Trouble> troubleOf(Work work)
{
    try {
        work();
    } catch (const c10::OutOfMemoryError& error) {
        return Trouble{std::string("the GPU is out of memory; a smaller batch may fit. ") +
                           error.what_without_backtrace(),
                       "out-of-memory"};
    } catch (const c10::AcceleratorError& error) {
        return Trouble{fmt::format("the GPU stopped working ({}); it can be used again when Unroll is started anew",
                                   firstLine(error.what_without_backtrace())),
                       "gpu-lost"};
    } catch (const c10::Error& error) {
        const std::string words = error.what_without_backtrace();
        if (const auto wanted = bytesNotHad(words))
            return Trouble{
                fmt::format("the memory is used up ({} more were wanted); a smaller batch may fit", sizeText(*wanted)),
                "out-of-memory"};
        return Trouble{words, "torch"};
    } catch (const std::bad_alloc&) {
        return Trouble{"the memory is used up; a smaller batch may fit", "out-of-memory"};
    } catch (const std::exception& error) {
        return Trouble{error.what(), "failure"};
    }
    return {};
}

/// What a run may throw ends the run, not the program; what it has learned is written first, as far as that can still be read.
template <class Work>
void guarded(Runner& runner, Work work)
{
    const auto trouble = troubleOf(work);
    if (!trouble)
        return;
    (void)troubleOf([&] { runner.rescue(); }); // the first trouble is the one to tell
    runner.fail(trouble->sentence, trouble->code);
}

void work(Runner& runner, CommandQueue& commands, const std::stop_token& stop)
{
    guarded(runner, [&] { runner.build(); });
    while (!stop.stop_requested()) {
        if (!runner.wantsWork())
            endIdleThreads();
        for (const auto& command : commands.take(!runner.wantsWork()))
            guarded(runner, [&] { command(runner); });
        if (runner.wantsWork() && !stop.stop_requested())
            guarded(runner, [&] { runner.advance(); });
    }
    guarded(runner, [&] { runner.close(); });
}

} // namespace

Session::Session(Experiment experiment, const BlockRegistry& registry, Builders builders, SessionOptions options)
    : m_worker(std::make_unique<Worker>())
{
    Worker& worker = *m_worker;
    if (options.ended)
        worker.box.put(options.ended); // a viewer never sees it otherwise
    worker.thread = std::jthread([&worker, experiment = std::move(experiment), registry, builders = std::move(builders),
                                  options = std::move(options),
                                  hurry = worker.hurry.get_token()](const std::stop_token& stop) mutable {
        {
            Runner runner(std::move(experiment), registry, std::move(builders), std::move(options), worker.metrics,
                          worker.box, {std::move(hurry), stop});
            work(runner, worker.commands, stop);
        }
        releaseTensorMemory();
    });
}

Session::~Session()
{
    m_worker->thread.request_stop();
    m_worker->hurry.request_stop();
    m_worker->commands.push([](Runner&) {}); // wakes a worker that waits
    m_worker->thread.join();
}

void Session::run()
{
    m_worker->commands.push([hurry = m_worker->newHurry()](Runner& runner) { runner.run(hurry); });
}

void Session::pause()
{
    m_worker->commands.push([](Runner& runner) { runner.pause(); });
}

void Session::step(std::int64_t count)
{
    m_worker->commands.push([count, hurry = m_worker->newHurry()](Runner& runner) { runner.step(count, hurry); });
}

void Session::stop()
{
    m_worker->commands.push([](Runner& runner) { runner.stop(); });
    m_worker->hurry.request_stop(); // after the command, which the worker comes to next
}

void Session::setLearningRate(double peak)
{
    m_worker->commands.push([peak](Runner& runner) { runner.setLearningRate(peak); });
}

void Session::watch(std::vector<WatchedSignal> watched)
{
    m_worker->commands.push([watched = std::move(watched)](Runner& runner) { runner.watch(watched); });
}

void Session::setProbeText(std::string text)
{
    m_worker->commands.push([text = std::move(text)](Runner& runner) { runner.setProbeText(text); });
}

void Session::look()
{
    m_worker->commands.push([](Runner& runner) { runner.look(); });
}

void Session::sample(std::string prompt, std::int64_t tokens, double temperature, std::uint64_t seed)
{
    m_worker->commands.push([request = SampleRequest{std::move(prompt), tokens, temperature, seed}](Runner& runner) {
        runner.sample(request);
    });
}

void Session::checkpoint()
{
    m_worker->commands.push([](Runner& runner) { runner.checkpoint(); });
}

void Session::keepWeights()
{
    m_worker->commands.push([](Runner& runner) { runner.keepWeights(); });
}

void Session::folderMoved(std::string folder)
{
    m_worker->commands.push([folder = std::move(folder)](Runner& runner) { runner.folderMoved(folder); });
}

std::vector<MetricRow> Session::takeMetrics()
{
    return m_worker->metrics.take();
}

std::shared_ptr<const Snapshot> Session::snapshot() const
{
    return m_worker->box.newest();
}

bool Session::finish(double seconds)
{
    return m_worker->box.waitForEnd(seconds);
}

} // namespace unroll
