// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/wire_gesture.h"

#include "app/studio/canvas/graph_view.h"
#include "app/studio/canvas/hit_test.h"
#include "app/studio/theme/appearance.h"

#include <QPainter>

namespace unroll {

namespace {

/// While a wire is drawn: the ports that take it are lit, all others but `end` dim.
void lightPorts(const GraphScene& scene, const WireEnd& end, const std::set<PortRef>& partners)
{
    for (NodeItem* item : scene.nodeItems()) {
        PortLights lights;
        for (const PortRef& port : partners)
            if (port.node == item->id())
                (end.isOutput ? lights.inputs : lights.outputs).insert(port.port);
        if (item->id() == end.port.node)
            lights.held = end;
        item->setLights(std::move(lights));
    }
}

void lightAllPorts(const GraphScene& scene)
{
    for (NodeItem* item : scene.nodeItems())
        item->setLights(std::nullopt);
}

constexpr double kCatches = 16; ///< px around a port

QString sentenceOf(const Diagnostic& fault)
{
    return QString::fromStdString(fault.sentence);
}

} // namespace

WireGesture::WireGesture(GraphView& view, const QPointF& pressed, const WireEnd& grabbed)
    : Gesture(pressed), m_view(view), m_end(grabbed)
{
    const Wire* into = grabbed.isOutput ? nullptr : view.graphScene().shown().wireInto(grabbed.port);
    if (into == nullptr)
        return;
    m_picked = *into;
    m_end = {into->from, true};
}

void WireGesture::cancel()
{
    if (!m_started)
        return;
    GraphScene& scene = m_view.graphScene();
    lightAllPorts(scene);
    if (WireItem* item = m_picked ? scene.wire(*m_picked) : nullptr)
        item->show();
}

void WireGesture::begin()
{
    GraphScene& scene = m_view.graphScene();
    m_started = true;
    m_partners = wirePartners(scene.shown(), scene.registry(), m_end, m_picked ? &*m_picked : nullptr);
    lightPorts(scene, m_end, m_partners);
    if (WireItem* item = m_picked ? scene.wire(*m_picked) : nullptr)
        item->hide();
}

void WireGesture::drag(const QPointF& at, Qt::KeyboardModifiers)
{
    if (!m_started)
        begin();
    aim(at);
    if (m_fault)
        m_view.hint().showAt(at.toPoint(), sentenceOf(*m_fault));
    else
        m_view.hint().hide();
    m_view.viewport()->update();
}

void WireGesture::aim(const QPointF& at)
{
    m_at = m_view.mapToScene(at.toPoint());
    m_partner = partnerAt(m_at);
    m_fault = m_partner ? std::nullopt : faultAt(m_at);
}

/// The nearest port that fits, else, on a node's body, the first of that node that does.
std::optional<PortRef> WireGesture::partnerAt(const QPointF& at) const
{
    const GraphScene& scene = m_view.graphScene();
    const auto fits = [this](const WireEnd& end) {
        return end.isOutput != m_end.isOutput && m_partners.contains(end.port);
    };
    if (const auto hit = portAt(scene, at, kCatches / m_view.zoom(), fits))
        return hit->port;
    if (portAt(scene, at, kCatches / m_view.zoom()))
        return std::nullopt; // the hand is on another port, and means it
    const NodeItem* node = nodeAt(scene, at);
    if (node == nullptr)
        return std::nullopt;
    std::optional<PortRef> taken;
    for (const PortFace& face : m_end.isOutput ? node->face().inputs : node->face().outputs) {
        const PortRef port{node->id(), face.name};
        if (!m_partners.contains(port))
            continue;
        if (!m_end.isOutput || !face.isTaken())
            return port;
        if (!taken)
            taken = port;
    }
    return taken;
}

std::optional<Diagnostic> WireGesture::faultAt(const QPointF& at) const
{
    const GraphScene& scene = m_view.graphScene();
    const auto hit = portAt(scene, at, kCatches / m_view.zoom());
    if (!hit || *hit == m_end || (m_picked && hit->port == m_picked->to && !hit->isOutput))
        return std::nullopt;
    if (hit->isOutput != m_end.isOutput)
        return wireFault(scene.shown(), scene.registry(), wireBetween(m_end, hit->port));
    Diagnostic fault;
    fault.sentence = m_end.isOutput ? GraphView::tr("a wire from an output must end at an input").toStdString()
                                    : GraphView::tr("a wire to an input must start at an output").toStdString();
    return fault;
}

void WireGesture::drop(const QPointF& at, Qt::KeyboardModifiers)
{
    aim(at);
    cancel();
    m_view.hint().hide();
    if (m_partner)
        join(*m_partner);
    else if (m_fault)
        refuse(at);
    else if (nodeAt(m_view.graphScene(), m_at) != nullptr)
        return; // nothing there fits
    else if (m_picked)
        m_view.graphScene().apply(edits::disconnect(*m_picked));
    else
        m_view.askForBlock(at.toPoint(), m_end);
}

void WireGesture::join(const PortRef& partner)
{
    const Wire wire = wireBetween(m_end, partner);
    if (!m_picked)
        m_view.graphScene().apply(edits::connect(wire));
    else if (*m_picked != wire)
        m_view.graphScene().apply(edits::sequence("Move Wire", {edits::disconnect(*m_picked), edits::connect(wire)}));
}

void WireGesture::refuse(const QPointF& at)
{
    const QString title = m_fault->fix ? QString::fromStdString(m_fault->fix->title) : QString();
    std::function<void()> mend;
    if (m_fault->fix)
        mend = [&scene = m_view.graphScene(), edit = m_fault->fix->edit] { scene.apply(edit); };
    m_view.hint().offerAt(at.toPoint(), sentenceOf(*m_fault), title, std::move(mend));
}

/// A press on a port that goes nowhere is a press on its node.
void WireGesture::click(Qt::KeyboardModifiers)
{
    m_view.graphScene().select({m_picked ? m_picked->to.node : m_end.port.node});
}

void WireGesture::paint(QPainter& painter) const
{
    if (!m_started)
        return;
    const GraphScene& scene = m_view.graphScene();
    const Theme& theme = m_view.appearance().theme();
    const auto type = typeOf(scene.shown(), scene.registry(), m_end);
    const QPointF fixed = scene.placeOf(m_end);
    const QPointF loose = m_partner ? scene.placeOf({*m_partner, !m_end.isOutput}) : m_at;
    QPen pen(m_fault ? theme[Theme::Role::Error] : theme.portColor(type.value_or(PortType::Sequence)), 2.5,
             m_fault ? Qt::DashLine : Qt::SolidLine, Qt::RoundCap);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(m_end.isOutput ? wirePath(fixed, loose) : wirePath(loose, fixed));
}

} // namespace unroll
