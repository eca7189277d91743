// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/random_hand.h"
#include "app/studio/palette/palette_popup.h"

#include "app/studio/canvas/block_mime.h"
#include "core/check/ports.h"
#include "tests/gui/editing.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLineEdit>
#include <QTimer>
#include <memory>

namespace unroll::test {

namespace {

constexpr std::size_t kManyNodes = 16; ///< of a level: then more go than come

} // namespace

RandomHand::RandomHand(Studio& studio, std::uint64_t seed) : m_studio(studio), m_random(seed)
{
    connect(&studio.window.document(), &Document::graphChanged, this, [this] {
        m_isUnchecked = true;
        ++m_done;
    });
    connect(&studio.window.document(), &Document::checkedChanged, this, [this] { m_isUnchecked = false; });
    connect(&studio.window.scene(), &GraphScene::pathChanged, this, [this] { ++m_levels; });
}

void RandomHand::act()
{
    static const std::vector<Deed> deeds{
        &RandomHand::place,        &RandomHand::place,     &RandomHand::placeByKeys, &RandomHand::dropOnWire,
        &RandomHand::dropOnWire,   &RandomHand::move,      &RandomHand::move,        &RandomHand::nudge,
        &RandomHand::tidy,         &RandomHand::wireUp,    &RandomHand::wireUp,      &RandomHand::wireUp,
        &RandomHand::wireUp,       &RandomHand::breakWire, &RandomHand::pickUpWire,  &RandomHand::wireToNothing,
        &RandomHand::copyAndPaste, &RandomHand::cut,       &RandomHand::duplicate,   &RandomHand::remove,
        &RandomHand::group,        &RandomHand::group,     &RandomHand::unpack,      &RandomHand::enter,
        &RandomHand::enter,        &RandomHand::leave,     &RandomHand::rename,      &RandomHand::setParam,
        &RandomHand::setParam,     &RandomHand::repeat,    &RandomHand::undo,        &RandomHand::undo,
        &RandomHand::redo,         &RandomHand::goTo};
    ++m_step;
    m_studio.window.messages().hide(); // it takes room from the canvas, for a time
    settle();
    view().fitAll();
    const Deed deed =
        level().nodes.size() > kManyNodes && m_random.chance(2) ? &RandomHand::remove : m_random.of(deeds);
    (this->*deed)();
    settle();
}

QString RandomHand::lastText() const
{
    return QStringList(m_last.begin(), m_last.end()).join('\n');
}

void RandomHand::note(const QString& words)
{
    m_last.push_back(QString("%1: %2").arg(m_step).arg(words));
    if (m_last.size() > 10)
        m_last.pop_front();
}

/// Faces and wires change with the check's answer, and with them where the hand finds things.
void RandomHand::settle()
{
    QTimer wake;
    wake.start(200);
    for (int waits = 0; m_isUnchecked && waits < 100; ++waits)
        QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    QApplication::processEvents();
}

void RandomHand::key(Qt::Key key, Qt::KeyboardModifiers modifiers)
{
    press(m_studio, key, modifiers);
}

NodeId RandomHand::anyNode()
{
    std::vector<NodeId> ids;
    for (const auto& [id, node] : level().nodes)
        ids.push_back(id);
    return ids.empty() ? 0 : m_random.of(ids);
}

std::string RandomHand::anyBlock()
{
    static const std::vector<std::string> blocks{"embedding", "lstm",    "gru",        "sru",  "linear", "add",
                                                 "concat",    "dropout", "layer_norm", "text", "head",   "rnn"};
    return m_random.of(blocks);
}

/// In view, around the nodes.
QPoint RandomHand::anyPoint()
{
    const QRect port = view().viewport()->rect();
    return {static_cast<int>(m_random.below(static_cast<std::size_t>(port.width()))),
            static_cast<int>(m_random.below(static_cast<std::size_t>(port.height())))};
}

QPoint RandomHand::headerOf(NodeId node)
{
    return pointOf(m_studio.window.scene().node(node)->mapToScene(30, 15));
}

std::optional<WireEnd> RandomHand::anyEnd(bool isOutput)
{
    std::vector<WireEnd> ends;
    for (const NodeItem* item : m_studio.window.scene().nodeItems())
        for (const WireEnd& end : item->ends())
            if (end.isOutput == isOutput)
                ends.push_back(end);
    return ends.empty() ? std::nullopt : std::optional(m_random.of(ends));
}

QString RandomHand::nameOf(NodeId node)
{
    const Node* found = level().find(node);
    return found != nullptr ? QString::fromStdString(found->name) : "nothing";
}

/// By clicks, by a box, or by the keyboard.
void RandomHand::chooseSome()
{
    switch (m_random.below(5)) {
    case 0: key(Qt::Key_A, Qt::ControlModifier); break;
    case 1: m_studio.drag(anyPoint(), anyPoint()); break;
    case 2: key(Qt::Key_Right, Qt::ControlModifier); break;
    default:
        for (std::size_t count = 1 + m_random.below(3), i = 0; i < count; ++i)
            if (const NodeId node = anyNode(); node != 0)
                QTest::mouseClick(view().viewport(), Qt::LeftButton, i == 0 ? Qt::NoModifier : Qt::ShiftModifier,
                                  headerOf(node));
    }
}

void RandomHand::dropBlock(const std::string& block, const QPoint& at, Qt::KeyboardModifiers modifiers)
{
    const std::unique_ptr<QMimeData> mime(blockMime(QString::fromStdString(block)));
    QDragEnterEvent enter(at, Qt::CopyAction, mime.get(), Qt::LeftButton, modifiers);
    QApplication::sendEvent(view().viewport(), &enter);
    QDragMoveEvent move(at, Qt::CopyAction, mime.get(), Qt::LeftButton, modifiers);
    QApplication::sendEvent(view().viewport(), &move);
    QDropEvent drop(at, Qt::CopyAction, mime.get(), Qt::LeftButton, modifiers);
    QApplication::sendEvent(view().viewport(), &drop);
}

void RandomHand::answerPalette()
{
    PalettePopup& palette = *m_studio.window.findChild<PalettePopup*>();
    if (!palette.isOpen())
        return;
    QLineEdit& field = palette.picker().field();
    const bool takes = !m_random.chance(4);
    if (takes)
        QTest::keyClicks(&field, QString::fromStdString(anyBlock()).left(4));
    QTest::keyClick(&field, takes ? Qt::Key_Return : Qt::Key_Escape);
    palette.dismiss(); // nothing fits the letters
}

} // namespace unroll::test
