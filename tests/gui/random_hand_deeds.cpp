// SPDX-License-Identifier: GPL-3.0-or-later
// What a random hand does.
#include "core/check/ports.h"
#include "tests/gui/editing.h"
#include "tests/gui/random_hand.h"

#include <QLineEdit>

namespace unroll::test {

namespace {

ParamValue anyValue(testing_specs::Random& random, const ParamSpec& spec)
{
    static const std::vector<std::int64_t> whole{-1, 0, 1, 2, 3, 8, 16, 48, 64};
    switch (spec.type) {
    case ParamType::Int: return random.of(whole);
    case ParamType::Bool: return random.chance(2);
    case ParamType::Choice: return random.of(spec.choices).value;
    default: return static_cast<double>(random.below(40)) / 16;
    }
}

} // namespace

void RandomHand::place()
{
    const std::string block = anyBlock();
    const QPoint at = anyPoint();
    note(QString("drop %1 at %2, %3").arg(block.c_str()).arg(at.x()).arg(at.y()));
    dropBlock(block, at, m_random.chance(5) ? Qt::AltModifier : Qt::NoModifier);
}

void RandomHand::placeByKeys()
{
    note("palette");
    key(Qt::Key_Tab);
    answerPalette();
}

void RandomHand::dropOnWire()
{
    if (level().wires.empty())
        return place();
    const GraphScene& scene = m_studio.window.scene();
    const Wire wire = m_random.of(level().wires);
    const QPointF middle = (scene.placeOf({wire.from, true}) + scene.placeOf({wire.to, false})) / 2;
    const std::string block = anyBlock();
    note(QString("drop %1 on %2 to %3").arg(block.c_str(), nameOf(wire.from.node), nameOf(wire.to.node)));
    const QPointF corner = middle - scene.bodyOf(block, {}).center();
    dropBlock(block, pointOf(corner) + QPoint(30, 15), m_random.chance(5) ? Qt::AltModifier : Qt::NoModifier);
}

void RandomHand::move()
{
    const NodeId node = anyNode();
    if (node == 0)
        return;
    const QPoint to = anyPoint();
    note(QString("drag %1 to %2, %3").arg(nameOf(node)).arg(to.x()).arg(to.y()));
    m_studio.drag(headerOf(node), to, m_random.chance(5) ? Qt::AltModifier : Qt::NoModifier);
}

void RandomHand::nudge()
{
    static const std::vector<Qt::Key> arrows{Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down};
    chooseSome();
    note("nudge");
    for (std::size_t count = 1 + m_random.below(4); count > 0; --count)
        key(m_random.of(arrows), m_random.chance(3) ? Qt::ShiftModifier : Qt::NoModifier);
}

void RandomHand::tidy()
{
    chooseSome();
    note("tidy");
    key(Qt::Key_L);
}

void RandomHand::wireUp()
{
    const GraphScene& scene = m_studio.window.scene();
    const auto from = anyEnd(m_random.chance(2));
    if (!from)
        return;
    auto to = anyEnd(!from->isOutput);
    const auto partners = wirePartners(level(), scene.registry(), *from);
    if (!partners.empty() && !m_random.chance(4)) {
        const std::vector<PortRef> fitting(partners.begin(), partners.end());
        to = WireEnd{m_random.of(fitting), !from->isOutput};
    }
    if (!to)
        return;
    note(QString("wire %1.%2 and %3.%4")
             .arg(nameOf(from->port.node), from->port.port.c_str(), nameOf(to->port.node), to->port.port.c_str()));
    m_studio.drag(pointOf(scene.placeOf(*from)), pointOf(scene.placeOf(*to)));
}

void RandomHand::wireToNothing()
{
    const auto from = anyEnd(m_random.chance(2));
    if (!from)
        return;
    note(QString("wire from %1.%2 into the open").arg(nameOf(from->port.node), from->port.port.c_str()));
    m_studio.drag(pointOf(m_studio.window.scene().placeOf(*from)), anyPoint());
    answerPalette();
}

void RandomHand::breakWire()
{
    if (level().wires.empty())
        return;
    const GraphScene& scene = m_studio.window.scene();
    const Wire wire = m_random.of(level().wires);
    const QPointF from = scene.placeOf({wire.from, true}), to = scene.placeOf({wire.to, false});
    note(QString("break %1 to %2").arg(nameOf(wire.from.node), nameOf(wire.to.node)));
    QTest::mouseClick(view().viewport(), Qt::LeftButton, Qt::AltModifier,
                      pointOf(m_random.chance(3) ? to : (from + to) / 2));
}

void RandomHand::pickUpWire()
{
    if (level().wires.empty())
        return;
    const Wire wire = m_random.of(level().wires);
    note(QString("pick up the wire into %1.%2").arg(nameOf(wire.to.node), wire.to.port.c_str()));
    m_studio.drag(pointOf(m_studio.window.scene().placeOf({wire.to, false})), anyPoint());
    answerPalette();
}

void RandomHand::copyAndPaste()
{
    chooseSome();
    key(Qt::Key_C, Qt::ControlModifier);
    if (m_random.chance(4))
        goTo();
    aimAt(m_studio, anyPoint());
    note("paste");
    key(Qt::Key_V, Qt::ControlModifier | (m_random.chance(2) ? Qt::ShiftModifier : Qt::NoModifier));
}

void RandomHand::cut()
{
    chooseSome();
    note("cut");
    key(Qt::Key_X, Qt::ControlModifier);
}

void RandomHand::duplicate()
{
    chooseSome();
    note("duplicate");
    key(Qt::Key_D, Qt::ControlModifier);
}

void RandomHand::remove()
{
    chooseSome();
    const bool heals = m_random.chance(2);
    note(heals ? "delete and reconnect" : "delete");
    key(Qt::Key_Delete, heals ? Qt::ControlModifier : Qt::NoModifier);
}

void RandomHand::group()
{
    chooseSome();
    note("group");
    key(Qt::Key_G, Qt::ControlModifier);
}

void RandomHand::unpack()
{
    key(Qt::Key_A, Qt::ControlModifier);
    note("unpack");
    key(Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
}

void RandomHand::enter()
{
    for (const auto& [id, node] : level().nodes)
        if (node->group && !m_random.chance(3)) {
            note("enter " + nameOf(id));
            QTest::mouseDClick(view().viewport(), Qt::LeftButton, {}, headerOf(id));
            return answerPalette(); // something lay upon it
        }
}

void RandomHand::leave()
{
    note("leave");
    key(Qt::Key_PageUp);
}

void RandomHand::rename()
{
    static const QStringList names{"memory", "lstm", "a", "x_1", "1x", "", "the head", "body"};
    const NodeId node = anyNode();
    if (node == 0)
        return;
    m_studio.window.scene().select({node});
    key(Qt::Key_F2);
    if (m_studio.window.panel<InspectorPanel>().page() == nullptr)
        return;
    QLineEdit& field = m_studio.window.panel<InspectorPanel>().page()->nameField();
    const QString name = names[static_cast<qsizetype>(m_random.below(static_cast<std::size_t>(names.size())))];
    note(QString("rename %1 to “%2”").arg(nameOf(node), name));
    field.selectAll();
    QTest::keyClick(&field, Qt::Key_Delete);
    QTest::keyClicks(&field, name);
    QTest::keyClick(&field, Qt::Key_Return);
    view().setFocus();
}

void RandomHand::setParam()
{
    const NodeId node = anyNode();
    if (node == 0)
        return;
    std::vector<ParamSpec> specs;
    for (const ParamSpec& spec : paramsOf(*level().find(node), m_studio.registry))
        if (spec.type != ParamType::Path && spec.type != ParamType::Text)
            specs.push_back(spec);
    if (specs.empty())
        return;
    const ParamSpec& spec = m_random.of(specs);
    note(QString("set %1.%2").arg(nameOf(node), spec.name.c_str()));
    m_studio.window.scene().apply(m_random.chance(5) ? edits::resetParam(node, spec.name)
                                                     : edits::setParam(node, spec.name, anyValue(m_random, spec)));
}

void RandomHand::repeat()
{
    for (const auto& [id, node] : level().nodes)
        if (node->group) {
            const auto count = static_cast<std::int64_t>(m_random.below(4));
            note(QString("repeat %1 ×%2").arg(nameOf(id)).arg(count));
            m_studio.window.scene().apply(edits::setRepeat(id, count, m_random.chance(2)));
            return;
        }
}

void RandomHand::undo()
{
    note("undo");
    for (std::size_t count = 1 + m_random.below(4); count > 0; --count)
        m_studio.key(Qt::Key_Z, Qt::ControlModifier);
}

void RandomHand::redo()
{
    note("redo");
    for (std::size_t count = 1 + m_random.below(3); count > 0; --count)
        m_studio.key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
}

/// To a level anywhere in the document, as the problems list goes.
void RandomHand::goTo()
{
    GroupPath path;
    const Graph* graph = &m_studio.graph();
    while (!m_random.chance(3)) {
        std::vector<NodeId> groups;
        for (const auto& [id, node] : graph->nodes)
            if (node->group)
                groups.push_back(id);
        if (groups.empty())
            break;
        path.push_back(m_random.of(groups));
        graph = graph->find(path.back())->group->graph.get();
    }
    note(QString("go to a level %1 deep").arg(path.size()));
    m_studio.window.scene().goTo(path);
    view().fitAll();
}

} // namespace unroll::test
