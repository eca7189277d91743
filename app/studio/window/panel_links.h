// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/edit.h"

#include <QObject>
#include <functional>

namespace unroll {

class Dock;
class EditingActions;
class EditCommands;
class GraphView;
class MessageBar;
class PanelSet;
class ReadingCursor;
struct CurveOverlay;

/// Joins the panels to the canvas: what is selected there is followed here, what is asked for here is shown there.
class PanelLinks : public QObject {
    Q_OBJECT
public:
    /// `showPanel` brings one into view, with the canvas. All must outlive it; it belongs to the window.
    PanelLinks(const PanelSet& panels, GraphView& view, MessageBar& messages, std::function<void(Dock&)> showPanel,
               QObject* parent);

    /// Commands that need a panel, and panels that need a command.
    void join(const EditingActions& editing, EditCommands& commands);

    /// Units that are selected in a lens view are of a signal that State shows then.
    void follow(const ReadingCursor& cursor);

private:
    void connectState();
    void connectCurves();
    void connectRuns();
    void overlayRuns(const std::vector<CurveOverlay>& runs);
    void selectionChanged();
    void goToNode(const GroupPath& group, NodeId node);
    void renameSelected();

    const PanelSet& m_panels;
    GraphView& m_view;
    MessageBar& m_messages;
    std::function<void(Dock&)> m_showPanel;
};

} // namespace unroll
