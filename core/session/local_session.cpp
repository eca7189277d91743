// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/session.h"

#include "core/base/number_text.h"
#include "core/base/reason.h"
#include "core/group/group.h"
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

namespace {

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
    } catch (const LostPeer& error) {
        return Trouble{error.what(), "peer-lost"};
    } catch (const c10::OutOfMemoryError& error) {
        return Trouble{std::string("the GPU is out of memory; a smaller batch may fit. ") +
                           error.what_without_backtrace(),
                       "out-of-memory"};
    } catch (const c10::AcceleratorError& error) {
        return Trouble{fmt::format("the GPU stopped working ({}); restart Unroll to use it again",
                                   firstLine(error.what_without_backtrace())),
                       "gpu-lost"};
    } catch (const c10::Error& error) {
        const std::string words = error.what_without_backtrace();
        if (const auto wanted = bytesNotHad(words))
            return Trouble{
                fmt::format("out of memory (could not allocate {}); a smaller batch may fit", sizeText(*wanted)),
                "out-of-memory"};
        return Trouble{words, "torch"};
    } catch (const std::bad_alloc&) {
        return Trouble{"out of memory; a smaller batch may fit", "out-of-memory"};
    } catch (const std::exception& error) {
        return Trouble{error.what(), "failure"};
    }
    return {};
}

/// What a run may throw ends the run, not the program; what it has learned is written first, as far as that can still
/// be read.
template <class Work>
void guarded(Runner& runner, Work work)
{
    const auto trouble = troubleOf(work);
    if (!trouble)
        return;
    (void)troubleOf([&] { runner.loop().rescue(); }); // the first trouble is the one to tell
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
    guarded(runner, [&] { runner.loop().close(); });
}

/// The run on a thread of this process. Each command is handed to the worker, which calls the part of the run that does
/// it.
class LocalSession : public Session {
public:
    LocalSession(Experiment experiment, const BlockRegistry& registry, Builders builders, SessionOptions options);
    ~LocalSession() override;

    void run() override
    {
        m_commands.push([hurry = newHurry()](Runner& runner) { runner.loop().run(hurry); });
    }
    void step(std::int64_t count) override
    {
        m_commands.push([count, hurry = newHurry()](Runner& runner) { runner.loop().step(count, hurry); });
    }
    void pause() override
    {
        m_commands.push([](Runner& runner) { runner.loop().pause(); });
    }
    void stop() override
    {
        m_commands.push([](Runner& runner) { runner.loop().stop(); });
        m_hurry.request_stop(); // after the command, which the worker comes to next
    }
    void setLearningRate(double peak) override
    {
        m_commands.push([peak](Runner& runner) { runner.loop().setLearningRate(peak); });
    }
    void ask(std::vector<LensQuery> open) override
    {
        m_commands.push([open = std::move(open)](Runner& runner) { runner.looks().ask(open); });
    }
    void setReading(const ReadingRequest& reading) override
    {
        m_commands.push([reading](Runner& runner) { runner.looks().setReading(reading); });
    }
    void drew(double seconds) override
    {
        m_commands.push([seconds](Runner& runner) { runner.looks().drew(seconds); });
    }
    void look() override
    {
        m_commands.push([](Runner& runner) { runner.looks().look(); });
    }
    void sample(const std::string& prompt, std::int64_t tokens, const SamplingRule& rule, std::uint64_t seed) override
    {
        m_commands.push(
            [request = SampleRequest{prompt, tokens, rule, seed}](Runner& runner) { runner.loop().sample(request); });
    }
    void checkpoint() override
    {
        m_commands.push([](Runner& runner) { runner.loop().checkpoint(); });
    }
    void keepWeights() override
    {
        m_commands.push([](Runner& runner) { runner.checkpoints().keepWeights(); });
    }
    void folderMoved(const std::string& folder) override
    {
        m_commands.push([folder](Runner& runner) { runner.folderMoved(folder); });
    }

    std::vector<MetricRow> takeMetrics() override { return m_metrics.take(); }
    std::shared_ptr<const Snapshot> snapshot() const override { return m_box.newest(); }
    bool finish(double seconds) override { return m_box.waitForEnd(seconds); }

private:
    /// For training that begins now: a hurry that was asked for was for what ended before.
    std::stop_token newHurry()
    {
        if (m_hurry.stop_requested())
            m_hurry = std::stop_source();
        return m_hurry.get_token();
    }

    MetricQueue m_metrics;
    SnapshotBox m_box;
    CommandQueue m_commands;
    std::stop_source m_hurry; ///< the run is to end: what takes long is interrupted
    std::jthread m_thread;    ///< last member: joined before the ways out go
};

LocalSession::LocalSession(Experiment experiment, const BlockRegistry& registry, Builders builders,
                           SessionOptions options)
{
    if (options.ended)
        m_box.put(options.ended); // a viewer never sees it otherwise
    m_thread =
        std::jthread([this, experiment = std::move(experiment), registry, builders = std::move(builders),
                      options = std::move(options), hurry = m_hurry.get_token()](const std::stop_token& stop) mutable {
            {
                Runner runner(std::move(experiment), registry, std::move(builders), std::move(options), m_metrics,
                              m_box, {std::move(hurry), stop});
                work(runner, m_commands, stop);
            }
            releaseTensorMemory();
        });
}

LocalSession::~LocalSession()
{
    m_thread.request_stop();
    m_hurry.request_stop();
    m_commands.push([](Runner&) {}); // wakes a worker that waits
    m_thread.join();
}

} // namespace

std::unique_ptr<Session> startSession(Experiment experiment, const BlockRegistry& registry, Builders builders,
                                      SessionOptions options)
{
    return std::make_unique<LocalSession>(std::move(experiment), registry, std::move(builders), std::move(options));
}

} // namespace unroll
