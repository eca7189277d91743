// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/test_random.h"
#include "tests/gui/fixture.h"

#include <deque>

namespace unroll::test {

/// Edits at random as a user makes them: by mouse and keys on the canvas, by drops from the palette, and by the
/// inspector's edits. What it does depends on the seed and the document alone.
class RandomHand : public QObject {
public:
    RandomHand(Studio& studio, std::uint64_t seed);

    /// One edit, whether or not it is possible; then waits until the check has answered.
    void act();
    int done() const { return m_done; }     ///< of those that changed the document
    int levels() const { return m_levels; } ///< how often another level was gone to
    /// The last ten edits, a line each.
    QString lastText() const;

private:
    using Deed = void (RandomHand::*)();

    const Graph& level() { return m_studio.window.scene().shown(); }
    GraphView& view() { return m_studio.window.canvas(); }
    void note(const QString& words);
    void settle();
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {});

    NodeId anyNode();
    std::string anyBlock();
    QPoint anyPoint();
    QPoint pointOf(const QPointF& scene) { return view().mapFromScene(scene); }
    QPoint headerOf(NodeId node);
    std::optional<WireEnd> anyEnd(bool isOutput);
    QString nameOf(NodeId node);
    void chooseSome();
    void dropBlock(const std::string& block, const QPoint& at, Qt::KeyboardModifiers modifiers);
    void answerPalette();

    void place();
    void placeByKeys();
    void dropOnWire();
    void move();
    void nudge();
    void tidy();
    void wireUp();
    void wireToNothing();
    void breakWire();
    void pickUpWire();
    void copyAndPaste();
    void cut();
    void duplicate();
    void remove();
    void group();
    void unpack();
    void enter();
    void leave();
    void rename();
    void setParam();
    void repeat();
    void undo();
    void redo();
    void goTo();

    Studio& m_studio;
    testing_specs::Random m_random;
    std::deque<QString> m_last;
    bool m_isUnchecked = false;
    int m_step = 0, m_done = 0, m_levels = 0;
};

} // namespace unroll::test
