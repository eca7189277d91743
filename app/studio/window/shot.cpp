// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/shot.h"

#include "app/studio/lenses/state/state_panel.h"
#include "app/studio/window/main_window.h"
#include "core/experiment/gallery.h"
#include "core/export/place.h"
#include "core/format/atomic_file.h"
#include "core/format/png.h"

#include <QBuffer>
#include <QDeadlineTimer>
#include <QEventLoop>
#include <QFileInfo>
#include <QPixmap>
#include <functional>

namespace unroll {

namespace {

/// Lets the window live until the condition holds; milliseconds < 0: for ever.
bool waitUntil(const std::function<bool()>& condition, qint64 milliseconds)
{
    QDeadlineTimer deadline(milliseconds < 0 ? QDeadlineTimer(QDeadlineTimer::Forever) : QDeadlineTimer(milliseconds));
    QEventLoop loop;
    QTimer tick;
    QObject::connect(&tick, &QTimer::timeout, &loop, [&] {
        if (condition() || deadline.hasExpired())
            loop.quit();
    });
    tick.start(10);
    loop.exec();
    return condition();
}

Result<void> trainFor(std::int64_t steps, MainWindow& window)
{
    RunController& run = window.controller();
    run.step(window.document().experiment(), SessionOptions{}, steps);
    waitUntil([&] { return run.state() == RunState::Paused ? run.snapshot()->step >= steps : !run.isUnderWay(); }, -1);
    if (run.state() == RunState::Failed)
        return fail(run.snapshot()->failure);
    run.look();
    waitUntil(
        [&] {
            const auto& frames = run.snapshot()->frames;
            return !frames.empty() && frames.front()->step == run.snapshot()->step;
        },
        20000);
    const TrainSettings& settings = window.document().training();
    if (settings.sampleEvery > 0 && run.snapshot()->samples.empty())
        run.sample(settings.samplePrompt, settings.sampleTokens, settings.samplingRule());
    waitUntil([&] { return settings.sampleEvery == 0 || !run.snapshot()->samples.empty(); }, 20000);
    return {};
}

/// In the format that the name ends with; without one as PNG, which is marked as ours.
Result<void> write(MainWindow& window, const QString& file)
{
    waitUntil([] { return false; }, 200); // queued layouts and the last tick
    const QString suffix = QFileInfo(file).suffix().toUpper();
    const bool png = suffix.isEmpty() || suffix == "PNG";
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (!window.grab().save(&buffer, png ? "PNG" : suffix.toLatin1().constData()))
        return fail("the image format is not supported", file.toStdString());
    std::string bytes = buffer.data().toStdString();
    if (png)
        bytes = format::markedPng(std::move(bytes), own::kPicture);
    return format::writeFileAtomically(file.toStdString(), bytes);
}

} // namespace

Result<void> openAsked(const StudioOptions& options, MainWindow& window)
{
    if (options.file.isEmpty()) {
        window.files().openDefault();
        return {};
    }
    const auto found = findExperiment(options.file.toStdString());
    if (!found)
        return tl::unexpected(found.error());
    if (!window.files().open(QString::fromStdString(found->string())))
        return fail(window.messages().shownText().toStdString());
    return {};
}

Result<void> takeShot(const StudioOptions& options, StudioContext& studio)
{
    const PlaceFaults faults = placeFaults(options.shot.toStdString(), own::kPicture);
    if (faults.forbid(options.force))
        return fail(faults.text() + (faults.forbid(true) ? "" : " (--force replaces it)"), options.shot.toStdString());
    MainWindow window(studio);
    window.resize(options.size);
    window.show();
    window.arrange(options.layout);
    if (options.startPage) {
        window.startMode().show();
        waitUntil([&] { return window.startPage().isFilled(); }, 20000);
        return write(window, options.shot);
    }
    if (auto opened = openAsked(options, window); !opened)
        return opened;
    waitUntil([&] { return !window.document().checked()->order.empty() || !window.problems().all().empty(); }, 60000);
    if (options.steps > 0)
        if (auto trained = trainFor(options.steps, window); !trained)
            return trained;
    window.canvas().fitAll();
    if (const Node* node = window.document().graph().findByName(window.panel<StatePanel>().node()))
        window.scene().select({node->id});
    return write(window, options.shot);
}

} // namespace unroll
