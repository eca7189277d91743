// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/graph_scene.h"

#include <QLineEdit>

namespace unroll {

class GraphView;

/// The field over the title of a comment while it is typed. Return or a press elsewhere takes what was typed, Escape
/// leaves it as it was.
class FrameTitle : public QLineEdit {
    Q_OBJECT
public:
    explicit FrameTitle(GraphView& view);

    void edit(FrameId id);
    void place(); ///< where the comment is seen now
    void end(bool keeps);

protected:
    bool event(QEvent* event) override;

private:
    const FrameItem* item() const;

    GraphView& m_view;
    FrameId m_frame = 0; ///< 0: none is typed
};

} // namespace unroll
