// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/lens_view.h"
#include "app/studio/lenses/signal_picker.h"
#include "app/studio/lenses/state/frame_history.h"
#include "app/studio/lenses/state/signal_views.h"

#include <QLabel>
#include <optional>

namespace unroll {

/// A further signal below the first: its own choice of node and signal, its views, and a button that removes it. Asks
/// the run itself.
class SignalSection : public QWidget {
    Q_OBJECT
public:
    SignalSection(const LensDesk& desk, FrameHistories& histories, QWidget* parent = nullptr);

    SignalViews& views() const { return *m_views; }
    SignalPicker& picker() const { return *m_picker; }
    const WatchedSignal& watched() const { return m_watched; }
    const FrameHistory::Frame& shown() const { return m_shown; }
    void setRun(std::optional<Graph> graph); ///< what can be watched, as SignalPicker
    void forget();                           ///< nothing of the run or the reading before is shown
    /// Keeps the newest snapshot, seen or not.
    void take();
    /// Shows the snapshot that is nearest to the training step; nothing: the newest.
    void showAt(std::optional<std::int64_t> step);
    void showKept(const FrameHistory::Frame& frame,
                  const QString& words); ///< one that was kept; null: the words say why not

Q_SIGNALS:
    void removeAsked();
    void picked(); ///< another signal

private:
    void watch();
    void showText(std::optional<std::int64_t> wanted);

    LensDesk m_desk;
    FrameHistories& m_histories;
    SignalPicker* m_picker;
    QLabel* m_words;
    SignalViews* m_views;
    WatchedSignal m_watched;
    FrameHistory::Frame m_shown;
};

} // namespace unroll
