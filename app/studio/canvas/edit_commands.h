// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/clipboard.h"
#include "app/studio/canvas/graph_scene.h"

#include <functional>

namespace unroll {

/// What the Edit menu does with the nodes selected on the canvas, in whichever group that shows. Each command is one
/// step of undo; without a selection those that need one do nothing. What a command made is selected afterwards.
class EditCommands : public QObject {
    Q_OBJECT
public:
    enum class Inputs { Leave, Keep }; ///< wires from nodes that were not copied

    explicit EditCommands(GraphScene& scene, QObject* parent = nullptr);

    /// Where nodes are pasted, in scene coordinates; asked at every paste.
    void setAim(std::function<QPointF()> aim) { m_aim = std::move(aim); }

    void copy();
    void cut();
    void paste(Inputs inputs);
    /// The top left corner of what is pasted goes to the grid point nearest to `at`, or on from there where it would
    /// hide a node.
    void pasteAt(const QPointF& at, Inputs inputs);
    void duplicate();
    void removeAndReconnect();
    void group();
    void unpack(); ///< the groups among the selected nodes
    void unroll(); ///< the repeated groups among them: a group for every copy, with room made for them
    /// a comment around the selected nodes, or an empty one where nodes would be pasted; its title is then to be typed.
    void comment();
    void tidy();  ///< lays out the selected nodes, or all where fewer than two are selected
    void enter(); ///< the group that alone is selected
    void selectAll();

Q_SIGNALS:
    void refused(
        const QString& sentence); ///< the clipboard has nothing to paste; a rejected edit is reported by the document
    void titleWanted(unroll::FrameId comment);
    void arranged(const std::set<unroll::NodeId>& nodes); ///< they stand elsewhere than before

private:
    Clipping clipped() const; ///< what is selected
    void add(Graph fragment, const QPointF& offset, Inputs inputs, const QString& name);

    GraphScene& m_scene;
    std::function<QPointF()> m_aim = [] { return QPointF(); };
};

} // namespace unroll
