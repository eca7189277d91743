// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/file_saving.h"
#include "app/studio/lenses/lens_view.h"
#include "app/studio/lenses/signal_picker.h"
#include "app/studio/lenses/state/frame_history.h"
#include "app/studio/lenses/state/probe_field.h"
#include "app/studio/lenses/state/state_tools.h"
#include "app/studio/lenses/state/time_bar.h"
#include "app/studio/theme/elided_label.h"
#include "app/studio/theme/empty_state.h"

#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>
#include <functional>
#include <optional>

namespace unroll {

class KeptPage;
class OrderPicker;
class RankedOrder;

/// Chooses a node and one of its signals, further ones below it, how they are drawn and the probe text, and shows the
/// newest look at them or one held of those that are kept of the run.
class StatePanel : public LensView {
    Q_OBJECT
public:
    explicit StatePanel(const LensDesk& desk, QWidget* parent = nullptr);
    ~StatePanel() override;

    HeatMapView& map() const { return m_stack->first().map(); } ///< of the first signal
    StateStack& stack() const { return *m_stack; }
    EmptyState& emptyState() const { return *m_empty; }
    bool isEmpty() const { return shownPage() == 0; }
    void addToBar(QWidget* part) override;
    std::string node() const { return m_picker->node(); }
    std::string signal() const { return m_picker->signal(); }
    std::string place() const
    {
        return m_picker->place();
    } ///< of the node, as WatchableNode::place; empty: there is none
    /// Whether what is shown stays when another node is selected; at first it does.
    bool isPinned() const { return m_pin->isChecked(); }
    void setPinned(bool pinned) { m_pin->setChecked(pinned); }
    /// The node at this place was selected. Pinned, that changes nothing but what a State that shows nothing yet will
    /// open on; free, it is watched where the run can.
    void followSelection(const std::string& place);
    /// Watches the node at this place, with the signal it had last or its first; one without signals is skipped. Of
    /// a repeated group the copy that is shown stays, else it is the first.
    void showNode(const std::string& place) { m_picker->showNode(place); }
    void showSignal(const std::string& name) { m_picker->showSignal(name); }
    /// Memory limit of the kept snapshots, of all signals together; excess ones are dropped at once.
    void setMemory(std::size_t bytes);
    /// Writes what is drawn, of all signals: the picture, or numbers. noted() or failed() says how it went.
    void save(StateTools::Format format, const QString& path);
    /// How it is drawn and whether it is pinned; which signals are shown belongs to the experiment.
    QJsonObject choices() const override;
    void takeChoices(const QJsonObject& choices) override;
    /// In the order and on the scale that are chosen.
    std::optional<LensQuery> comparedQuery() const override;

Q_SIGNALS:
    void watchedChanged(const std::string& place);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* troubleLine();
    QWidget* mapPage();
    void listen();
    void begin();
    void watch();
    void take();
    void showIfNeeded();
    void showFrame(FrameHistory::Frame frame);
    void holdNear(std::int64_t step);
    void setFollowing(bool follows);
    void showLooks();
    void listenToTime();
    bool showsUpdate() const;
    bool showsStrip() const;
    void showTime();
    void leaveUpdate();
    void showKeptOf(const QObject& asker, const WatchedSignal& watched,
                    const std::function<void(const FrameHistory::Frame&, const QString&)>& then);
    void showEmpty();
    void showReading(const QString& pointed);
    void showTrouble();
    void sendProbeText();
    bool readsProbeText() const;
    void showWhatIsRead();
    void addSignal();
    void removeFirst();
    void showSelected();
    void showDrawn();
    void askForFile(StateTools::Format format);
    QString showsText() const;
    QString readText() const;
    QString drawnText() const;
    FrameHistory& history() { return m_histories.of(m_watched.value_or(WatchedSignal{})); }

    const LensDesk m_desk;
    Document& m_document;
    RunController& m_controller;
    SignalPicker* m_picker;
    QToolButton* m_pin;
    FrameHistories m_histories; ///< of this run and the probe text of now
    StateStack* m_stack;
    DrawingPicker* m_drawing;
    OrderPicker* m_order;
    RankedOrder* m_ranked;
    StateTools* m_tools;
    EmptyState* m_empty;
    QStackedWidget* m_pages;
    TimeBar* m_time;            ///< through the snapshots in memory; seen where the run keeps none in its folder
    KeptPage* m_kept = nullptr; ///< the strip; null: there is no going back here
    bool m_atUpdate = false;    ///< an update that was kept is shown
    QString m_keptReason;       ///< at an update that was kept: which one is shown, or why none is
    ProbeField* m_probe;
    QWidget* m_trouble = nullptr;
    QLabel* m_troubleLabel = nullptr;
    QLabel* m_shows; ///< what is shown, of which data, and how to read it
    ElidedLabel* m_reading;
    FrameHistory::Frame m_shown;
    std::optional<WatchedSignal> m_watched; ///< nothing: the document has not been asked yet
    bool m_dirty = false;
    bool m_probeEntered = false; ///< Enter was pressed in the field just now
    bool m_chosen = false;       ///< chosen by the user, here
    QString m_folder;            ///< that was written to last
    FileSaving m_saving;
};

} // namespace unroll
