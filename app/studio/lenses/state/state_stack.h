// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/state/signal_section.h"

#include <QScrollBar>
#include <QVBoxLayout>
#include <vector>

namespace unroll {

/// The signals of the State one under another: the first, which the panel chooses, and further ones. All are drawn in
/// one way, over the same steps, with one current step.
class StateStack : public QWidget {
    Q_OBJECT
public:
    static constexpr std::size_t kMost = 6; ///< signals

    StateStack(const LensDesk& desk, FrameHistories& histories, QWidget* parent = nullptr);

    SignalViews& first() const { return *m_first; }
    const std::vector<SignalSection*>& sections() const { return m_sections; } ///< the further ones
    bool isFull() const { return m_sections.size() + 1 >= kMost; }
    /// Below the others; the signal is one of the node's, another than those that are shown where it has one.
    SignalSection* add(const std::string& place, const std::string& signal);
    void remove(SignalSection* section);
    void setFirstName(const QString& name); ///< above the first where there are others
    void setRun(std::optional<Graph> graph);

    void take();                                   ///< the newest snapshots of the further ones
    void showAt(std::optional<std::int64_t> step); ///< of the further ones, see SignalSection
    void placeScroll();                            ///< by how many steps are seen
    void forget();
    void holdScale(bool held);

    void setDrawing(StateDrawing drawing);
    StateDrawing drawing() const { return m_drawing; }
    void setUnitScale(UnitScale scale);
    UnitScale unitScale() const { return m_scale; }
    void setOrder(UnitOrder order);
    UnitOrder order() const { return m_order; }
    void reorder();
    void showPhase(bool shown);
    bool showsPhase() const { return m_phase; }
    std::vector<SignalViews*> all() const;
    QImage picture() const; ///< of all signals, with twice as many pixels

Q_SIGNALS:
    void pointedAt(const QString& words);
    void canReorderChanged(bool can);
    void firstRemoveAsked();
    void countChanged(); ///< of the signals

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* head();
    void join(SignalViews& views);
    void relabel();
    void stepsMoved(const SignalViews* by);

    LensDesk m_desk;
    FrameHistories& m_histories;
    std::shared_ptr<AxisZoom> m_steps = std::make_shared<AxisZoom>(0);
    SignalViews* m_first;
    QWidget* m_head;
    QLabel* m_name;
    QWidget* m_body;
    QVBoxLayout* m_column;
    QScrollBar* m_scroll; ///< of the steps
    std::vector<SignalSection*> m_sections;
    std::optional<Graph> m_run;
    StateDrawing m_drawing = StateDrawing::Map;
    UnitScale m_scale = UnitScale::Shared;
    UnitOrder m_order = UnitOrder::Index;
    bool m_phase = false;
};

} // namespace unroll
