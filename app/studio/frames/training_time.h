// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/run/disk_thread.h"
#include "app/studio/run/run_controller.h"
#include "core/frames/kept_frame.h"

#include <QTimer>
#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// Training time, shared by all lens views of a window: whether they show what is, what was at an update, or a strip of
/// several updates. Knows what is kept in the run's folder (core/frames), also of a run that has ended, and reads it on
/// a thread of its own. GUI thread only.
class TrainingTime : public QObject {
    Q_OBJECT
public:
    enum class Shows {
        Live,   ///< the newest
        Update, ///< what was kept of one update
        Strip   ///< some updates side by side
    };
    static constexpr int kBetweenFrames = 150; ///< milliseconds, while it plays
    static constexpr int kBetweenScans = 500;  ///< milliseconds at least between two looks into the folder
    static constexpr std::size_t kStripFrames = 8;

    explicit TrainingTime(RunController& run, QObject* parent = nullptr);
    ~TrainingTime() override;

    Shows shows() const { return m_shows; }
    bool isLive() const { return m_shows == Shows::Live; }
    std::int64_t update() const { return m_update; } ///< that is shown; while live or of a strip: the last one that was
    /// Of all lenses, ascending; empty: nothing is kept.
    const std::vector<std::int64_t>& updates() const { return m_updates; }
    bool hasKept() const { return !m_updates.empty(); }
    /// The frames of the query, whatever the cursor; nullptr: none is kept. Good until keptChanged().
    const KeptSeries* seriesOf(const LensQuery& query) const;

    void goTo(std::int64_t update); ///< the nearest for which there is any frame
    void goLive();
    void move(int by); ///< so many kept updates on; behind the newest is live
    void setStrip(bool strip);
    void play(); ///< on from here; from the first while live
    void pause();
    void rescan(); ///< looks into the folder again
    bool isPlaying() const { return m_player.isActive(); }

    using Frames = std::vector<std::shared_ptr<const KeptFrame>>;
    /// At once or later, on this thread: the frames of these updates, or why one cannot be read. Not called when the
    /// asker has asked something else by then, or is gone.
    using Answer = std::function<void(const Result<Frames>& frames)>;
    void fetch(const QObject& asker, const KeptSeries& series, const std::vector<std::int64_t>& updates, Answer answer);
    void forget(const QObject& asker); ///< it waits for nothing

Q_SIGNALS:
    void changed();     ///< what is shown
    void keptChanged(); ///< what is kept
    void playingChanged();

private:
    using Key = std::pair<std::string, std::int64_t>; ///< folder of a series, update
    using Token = std::shared_ptr<std::atomic<bool>>; ///< false: not waited for any more
    struct Held {
        Key key;
        std::shared_ptr<const KeptFrame> frame;
    };

    void begin();
    void look();
    void take(const std::string& folder, std::vector<KeptSeries> series);
    void show(Shows shows, std::int64_t update);
    std::shared_ptr<const KeptFrame> held(const Key& key);
    void hold(Key key, std::shared_ptr<const KeptFrame> frame);
    Token newToken(const QObject& asker);
    std::size_t nearest(std::int64_t update) const;

    RunController& m_run;
    Shows m_shows = Shows::Live;
    std::int64_t m_update = 0;
    std::vector<KeptSeries> m_series;
    std::vector<std::int64_t> m_updates;
    std::string m_folder;      ///< of the run whose frames these are
    std::uint64_t m_stamp = 0; ///< of the snapshot that was scanned last
    std::list<Held> m_held;    ///< read last in front
    std::map<const QObject*, Token> m_tokens;
    QTimer m_player;
    QTimer m_scanner;
    DiskThread m_disk; ///< last member: its thread ends first
};

} // namespace unroll
