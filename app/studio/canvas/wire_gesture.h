// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/gesture.h"
#include "core/check/wiring.h"

namespace unroll {

class GraphView;

/// Draws a wire from a port to a compatible one. From a wired input it picks up that wire's end.
class WireGesture : public Gesture {
public:
    WireGesture(GraphView& view, const QPointF& pressed, const WireEnd& grabbed);
    void cancel() override;
    void paint(QPainter& painter) const override;
    Qt::CursorShape cursor() const override { return Qt::CrossCursor; }

protected:
    void drag(const QPointF& at, Qt::KeyboardModifiers keys) override;
    void drop(const QPointF& at, Qt::KeyboardModifiers keys) override;
    void click(Qt::KeyboardModifiers keys) override;

private:
    void begin();
    void aim(const QPointF& at);
    std::optional<PortRef> partnerAt(const QPointF& scene) const;
    std::optional<Diagnostic> faultAt(const QPointF& scene) const;
    void join(const PortRef& partner);
    void refuse(const QPointF& at);

    GraphView& m_view;
    WireEnd m_end;                ///< the end that stays
    std::optional<Wire> m_picked; ///< the wire whose other end is held
    std::set<PortRef> m_partners;
    std::optional<PortRef> m_partner;  ///< under the pointer
    std::optional<Diagnostic> m_fault; ///< of what is under the pointer and does not fit
    QPointF m_at;                      ///< scene coordinates
    bool m_started = false;
};

} // namespace unroll
