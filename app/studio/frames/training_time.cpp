// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/frames/training_time.h"

#include "core/runs/frames_place.h"

#include <algorithm>
#include <utility>

namespace unroll {

namespace {

constexpr std::size_t kMostHeld = 64; ///< frames in memory

} // namespace

TrainingTime::TrainingTime(RunController& run, QObject* parent) : QObject(parent), m_run(run)
{
    m_player.setInterval(kBetweenFrames);
    m_scanner.setInterval(kBetweenScans);
    m_scanner.setSingleShot(true);
    connect(&m_player, &QTimer::timeout, this, [this] { move(1); });
    connect(&m_scanner, &QTimer::timeout, this, &TrainingTime::look);
    connect(&run, &RunController::runChanged, this, &TrainingTime::begin);
    connect(&run, &RunController::snapshotChanged, this, &TrainingTime::look);
    connect(&run, &RunController::stateChanged, this, &TrainingTime::look);
}

TrainingTime::~TrainingTime()
{
    for (const auto& [asker, token] : m_tokens)
        token->store(false);
}

/// Another run, or none.
void TrainingTime::begin()
{
    if (!m_run.continuesRun()) {
        goLive();
        take({}, {});
        m_held.clear();
    }
    m_stamp = 0;
    m_scanner.stop();
    rescan();
}

/// Into the folder, where the run says that other frames are kept.
void TrainingTime::look()
{
    const bool isNew = m_run.folder() != m_folder || m_run.snapshot()->framesStamp != m_stamp;
    if (isNew && !m_scanner.isActive())
        rescan();
}

void TrainingTime::rescan()
{
    const std::string folder = m_run.folder();
    m_folder = folder;
    m_stamp = m_run.snapshot()->framesStamp;
    if (folder.empty())
        return take({}, {});
    m_scanner.start();
    m_disk.ask([this, folder](const std::stop_token&) -> DiskThread::Answer {
        return [this, folder, series = keptSeries(framesFolder(folder))]() mutable { take(folder, std::move(series)); };
    });
}

void TrainingTime::take(const std::string& folder, std::vector<KeptSeries> series)
{
    if (folder != m_folder && !folder.empty()) // another run by now
        return;
    if (series == m_series)
        return;
    if (!m_updates.empty()) // the newest may be of another reading by now
        m_held.remove_if([this](const Held& each) { return each.key.second == m_updates.back(); });
    m_series = std::move(series);
    m_updates.clear();
    for (const KeptSeries& each : m_series)
        for (const KeptSeries::Frame& frame : each.frames)
            m_updates.push_back(frame.step);
    std::sort(m_updates.begin(), m_updates.end());
    m_updates.erase(std::unique(m_updates.begin(), m_updates.end()), m_updates.end());
    Q_EMIT keptChanged();
    if (m_updates.empty())
        goLive();
}

const KeptSeries* TrainingTime::seriesOf(const LensQuery& query) const
{
    const Lens* lens = findLens(query.lens);
    if (lens == nullptr)
        return nullptr;
    const LensQuery wanted = keptQuery(query, lens->spec());
    const auto found =
        std::find_if(m_series.begin(), m_series.end(), [&](const KeptSeries& each) { return each.query == wanted; });
    return found == m_series.end() ? nullptr : &*found;
}

void TrainingTime::show(Shows shows, std::int64_t update)
{
    if (shows == m_shows && update == m_update)
        return;
    m_shows = shows;
    m_update = update;
    Q_EMIT changed();
}

/// The index of the kept update that is nearest; there is one.
std::size_t TrainingTime::nearest(std::int64_t update) const
{
    std::vector<KeptSeries::Frame> all;
    for (const std::int64_t each : m_updates)
        all.push_back({each, 0});
    return nearestFrame(all, update);
}

void TrainingTime::goTo(std::int64_t update)
{
    if (hasKept())
        show(Shows::Update, m_updates[nearest(update)]);
}

void TrainingTime::goLive()
{
    pause();
    show(Shows::Live, m_update);
}

void TrainingTime::move(int by)
{
    if (!hasKept())
        return pause();
    const std::size_t place =
        m_shows == Shows::Update ? nearest(m_update) : m_updates.size(); // live is behind the last
    const auto wanted = static_cast<std::int64_t>(place) + by;
    if (wanted >= std::ssize(m_updates))
        return goLive();
    show(Shows::Update, m_updates[static_cast<std::size_t>(std::max<std::int64_t>(wanted, 0))]);
}

void TrainingTime::setStrip(bool strip)
{
    pause();
    if (!strip)
        return show(Shows::Live, m_update);
    if (hasKept())
        show(Shows::Strip, m_update);
}

void TrainingTime::play()
{
    if (!hasKept() || isPlaying())
        return;
    if (m_shows != Shows::Update)
        show(Shows::Update, m_updates.front());
    m_player.start();
    Q_EMIT playingChanged();
}

void TrainingTime::pause()
{
    if (!isPlaying())
        return;
    m_player.stop();
    Q_EMIT playingChanged();
}

std::shared_ptr<const KeptFrame> TrainingTime::held(const Key& key)
{
    const auto found = std::find_if(m_held.begin(), m_held.end(), [&](const Held& each) { return each.key == key; });
    if (found == m_held.end())
        return nullptr;
    m_held.splice(m_held.begin(), m_held, found);
    return found->frame;
}

void TrainingTime::hold(Key key, std::shared_ptr<const KeptFrame> frame)
{
    m_held.push_front({std::move(key), std::move(frame)});
    if (m_held.size() > kMostHeld)
        m_held.pop_back();
}

TrainingTime::Token TrainingTime::newToken(const QObject& asker)
{
    const auto known = m_tokens.find(&asker);
    if (known != m_tokens.end())
        known->second->store(false);
    else
        connect(&asker, &QObject::destroyed, this, [this](const QObject* gone) {
            forget(*gone);
            m_tokens.erase(gone);
        });
    return m_tokens[&asker] = std::make_shared<std::atomic<bool>>(true);
}

void TrainingTime::forget(const QObject& asker)
{
    if (const auto known = m_tokens.find(&asker); known != m_tokens.end())
        known->second->store(false);
}

void TrainingTime::fetch(const QObject& asker, const KeptSeries& series, const std::vector<std::int64_t>& updates,
                         Answer answer)
{
    const Token token = newToken(asker);
    Frames known;
    for (const std::int64_t update : updates)
        if (auto frame = held({series.folder.string(), update}))
            known.push_back(std::move(frame));
    if (known.size() == updates.size())
        return answer(known);
    m_disk.ask(
        [this, token, series, updates, answer = std::move(answer)](const std::stop_token& stop) -> DiskThread::Answer {
            Result<Frames> read{Frames{}};
            for (const std::int64_t update : updates) {
                if (!token->load() || stop.stop_requested())
                    return [] {};
                auto frame = readKeptFrame(series, update);
                if (!frame) {
                    read = tl::unexpected(frame.error());
                    break;
                }
                read->push_back(std::make_shared<const KeptFrame>(std::move(*frame)));
            }
            return [this, token, folder = series.folder.string(), read = std::move(read), answer] {
                for (std::size_t i = 0; read && i < read->size(); ++i)
                    if (const Key key{folder, (*read)[i]->step}; !held(key))
                        hold(key, (*read)[i]);
                if (token->load())
                    answer(read);
            };
        });
}

} // namespace unroll
