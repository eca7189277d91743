// SPDX-License-Identifier: GPL-3.0-or-later
// What a monkey does, and where.
#include "tests/gui/monkey.h"

#include <QAction>
#include <QApplication>
#include <QMenuBar>
#include <QTest>
#include <QWheelEvent>
#include <QWindow>
#include <algorithm>
#include <array>
#include <iterator>

namespace unroll::test {

namespace {

struct Stroke {
    Qt::Key key;
    Qt::KeyboardModifiers modifiers = {};
};

constexpr Qt::KeyboardModifiers kCtrl = Qt::ControlModifier, kShift = Qt::ShiftModifier;

const std::array strokes{
    Stroke{Qt::Key_Escape},
    Stroke{Qt::Key_Escape},
    Stroke{Qt::Key_Tab},
    Stroke{Qt::Key_Tab},
    Stroke{Qt::Key_Backtab, kShift},
    Stroke{Qt::Key_Return},
    Stroke{Qt::Key_Return},
    Stroke{Qt::Key_Space},
    Stroke{Qt::Key_Delete},
    Stroke{Qt::Key_Backspace},
    Stroke{Qt::Key_Delete, kCtrl},
    Stroke{Qt::Key_Left},
    Stroke{Qt::Key_Right},
    Stroke{Qt::Key_Up},
    Stroke{Qt::Key_Down},
    Stroke{Qt::Key_Down, kShift},
    Stroke{Qt::Key_Right, kCtrl},
    Stroke{Qt::Key_Up, kCtrl},
    Stroke{Qt::Key_Home},
    Stroke{Qt::Key_End},
    Stroke{Qt::Key_PageUp},
    Stroke{Qt::Key_PageDown},
    Stroke{Qt::Key_Z, kCtrl},
    Stroke{Qt::Key_Z, kCtrl},
    Stroke{Qt::Key_Z, kCtrl},
    Stroke{Qt::Key_Y, kCtrl},
    Stroke{Qt::Key_Z, kCtrl | kShift},
    Stroke{Qt::Key_A, kCtrl},
    Stroke{Qt::Key_C, kCtrl},
    Stroke{Qt::Key_X, kCtrl},
    Stroke{Qt::Key_V, kCtrl},
    Stroke{Qt::Key_V, kCtrl | kShift},
    Stroke{Qt::Key_D, kCtrl},
    Stroke{Qt::Key_G, kCtrl},
    Stroke{Qt::Key_G, kCtrl | kShift},
    Stroke{Qt::Key_W},
    Stroke{Qt::Key_F},
    Stroke{Qt::Key_F2},
    Stroke{Qt::Key_F5},
    Stroke{Qt::Key_F5},
    Stroke{Qt::Key_F5, kCtrl},
    Stroke{Qt::Key_F5, kShift},
    Stroke{Qt::Key_F5, kCtrl | kShift},
    Stroke{Qt::Key_F6},
    Stroke{Qt::Key_F10},
    Stroke{Qt::Key_F10, kShift},
    Stroke{Qt::Key_Plus, kCtrl},
    Stroke{Qt::Key_Minus, kCtrl},
    Stroke{Qt::Key_0, kCtrl},
    Stroke{Qt::Key_1, kCtrl},
    Stroke{Qt::Key_2, kCtrl},
    Stroke{Qt::Key_3, kCtrl},
    Stroke{Qt::Key_S, kCtrl},
    Stroke{Qt::Key_S, kCtrl | kShift},
    Stroke{Qt::Key_O, kCtrl},
    Stroke{Qt::Key_N, kCtrl},
    Stroke{Qt::Key_E, kCtrl},
    Stroke{Qt::Key_W, kCtrl},
    Stroke{Qt::Key_Q, kCtrl},
};

QString nameOf(const QWidget* widget)
{
    if (widget == nullptr)
        return QStringLiteral("nothing");
    const QString name = widget->objectName().isEmpty() ? widget->accessibleName() : widget->objectName();
    return QStringLiteral("%1 '%2'").arg(QString::fromLatin1(widget->metaObject()->className()), name);
}

QString placeIn(const QWidget& top, const QPoint& at)
{
    return QStringLiteral("%1 at %2,%3 in %4").arg(nameOf(top.childAt(at))).arg(at.x()).arg(at.y()).arg(nameOf(&top));
}

/// A window that is made to be used, not one that only tells.
bool isUsable(const QWidget* widget)
{
    const Qt::WindowType type = widget->windowType();
    return widget->isVisible() && widget->isEnabled() && widget->windowHandle() != nullptr &&
           (type == Qt::Window || type == Qt::Dialog || type == Qt::Tool);
}

QPoint pointIn(const QRect& area, std::size_t across, std::size_t down)
{
    return area.topLeft() + QPoint(static_cast<int>(across % static_cast<std::size_t>(std::max(1, area.width()))),
                                   static_cast<int>(down % static_cast<std::size_t>(std::max(1, area.height()))));
}

QPoint within(const QWidget& top, const QPoint& at)
{
    return {std::clamp(at.x(), 1, std::max(1, top.width() - 1)), std::clamp(at.y(), 1, std::max(1, top.height() - 1))};
}

struct TypedKey {
    Qt::Key code;
    QString text;

    explicit TypedKey(Qt::Key key) : TypedKey(key, QTest::keyToAscii(key)) {}
    explicit TypedKey(char letter) : TypedKey(QTest::asciiToKey(letter), letter) {}

private:
    TypedKey(Qt::Key key, char letter) : code(key), text(letter == 0 ? QString() : QString(QLatin1Char(letter))) {}
};

/// Modifiers first and last, each on its own: any of these may close the window that the next would go to, which
/// QTest::keyPress does not ask.
void strike(QWindow& window, const TypedKey& key, Qt::KeyboardModifiers modifiers)
{
    static const std::vector<std::pair<Qt::KeyboardModifier, Qt::Key>> all{{Qt::ShiftModifier, Qt::Key_Shift},
                                                                           {Qt::ControlModifier, Qt::Key_Control},
                                                                           {Qt::AltModifier, Qt::Key_Alt},
                                                                           {Qt::MetaModifier, Qt::Key_Meta}};
    const QPointer<QWindow> there(&window);
    const auto send = [&there](bool down, Qt::Key code, Qt::KeyboardModifiers held, const QString& text) {
        if (there)
            QTest::simulateEvent(there.data(), down, code, held, text, false);
    };
    Qt::KeyboardModifiers held;
    for (const auto& [modifier, code] : all)
        if (modifiers.testFlag(modifier))
            send(true, code, std::exchange(held, held | modifier), {});
    send(true, key.code, modifiers, key.text);
    send(false, key.code, modifiers, key.text);
    for (const auto& [modifier, code] : all)
        if (modifiers.testFlag(modifier))
            send(false, code, held, {});
}

} // namespace

/// What lies over everything has it all; else the window that is in front, most of the time.
QWidget* Monkey::chooseTop()
{
    if (QWidget* popup = QApplication::activePopupWidget())
        return popup;
    if (QWidget* modal = QApplication::activeModalWidget())
        return modal;
    if (QWidget* active = QApplication::activeWindow(); active != nullptr && isUsable(active) && !chance(6))
        return active;
    QWidgetList usable;
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (isUsable(widget))
            usable << widget;
    return usable.isEmpty() ? nullptr : usable[static_cast<qsizetype>(below(static_cast<std::size_t>(usable.size())))];
}

QPoint Monkey::somewhereOn(const QWidget& top)
{
    return pointIn(top.rect(), below(10000), below(10000));
}

/// On a part that is seen: small ones are met as often as large ones.
QPoint Monkey::onSomePart(const QWidget& top)
{
    QWidgetList parts;
    for (auto* part : top.findChildren<QWidget*>())
        if (part->isVisible() && part->window() == &top && !part->visibleRegion().isEmpty())
            parts << part;
    if (parts.isEmpty())
        return somewhereOn(top);
    const QWidget* part = parts[static_cast<qsizetype>(below(static_cast<std::size_t>(parts.size())))];
    return part->mapTo(&top, pointIn(part->visibleRegion().boundingRect(), below(10000), below(10000)));
}

/// On a node's head or on one of its ports.
QPoint Monkey::onTheCanvas(MainWindow& window)
{
    const auto nodes = window.scene().nodeItems();
    if (nodes.isEmpty())
        return onSomePart(window);
    const NodeItem* node = nodes[static_cast<qsizetype>(below(static_cast<std::size_t>(nodes.size())))];
    const auto ends = node->ends();
    const bool head = ends.empty() || chance(2);
    const QPointF place =
        head ? node->mapToScene(30, 15)
             : node->placeOf(*std::next(ends.begin(), static_cast<std::ptrdiff_t>(below(ends.size()))));
    const QPoint at = window.canvas().viewport()->mapTo(&window, window.canvas().mapFromScene(place));
    return window.canvas().isVisible() && window.rect().contains(at) ? at : somewhereOn(window);
}

Monkey::Aim Monkey::aimAt(QWidget& top)
{
    auto* window = qobject_cast<MainWindow*>(&top);
    QPoint at;
    switch (below(4)) {
    case 0: at = somewhereOn(top); break;
    case 1: at = window != nullptr ? onTheCanvas(*window) : onSomePart(top); break;
    default: at = onSomePart(top);
    }
    return {&top, within(top, at)};
}

void Monkey::act()
{
    ++m_acts;
    if (tend())
        return;
    QWidget* top = chooseTop();
    if (top == nullptr || top->windowHandle() == nullptr)
        return;
    if (m_pressed != Qt::NoButton && !chance(4))
        return moveAndMaybeRelease(*top);
    const std::size_t which = below(100);
    if (which < 34)
        click(*top);
    else if (which < 38)
        doubleClick(*top);
    else if (which < 52)
        press(*top);
    else if (which < 58)
        wheel(*top);
    else if (which < 68)
        type(*top);
    else if (which < 94)
        pressKeys(*top);
    else if (which < 97)
        openMenu(*top);
    else
        arrange(*top);
}

Qt::KeyboardModifiers Monkey::someModifiers()
{
    constexpr std::array some{Qt::ShiftModifier, Qt::ControlModifier, Qt::AltModifier};
    return chance(5) ? Qt::KeyboardModifiers(some[below(some.size())]) : Qt::KeyboardModifiers();
}

void Monkey::click(QWidget& top)
{
    const Aim aim = aimAt(top);
    const std::size_t which = below(10);
    const Qt::MouseButton button = which == 0 ? Qt::RightButton : which == 1 ? Qt::MiddleButton : Qt::LeftButton;
    note(QStringLiteral("clicks (%1) on %2").arg(button).arg(placeIn(top, aim.at)));
    QTest::mouseClick(top.windowHandle(), button, someModifiers(), aim.at);
}

void Monkey::doubleClick(QWidget& top)
{
    const Aim aim = aimAt(top);
    note("double-clicks on " + placeIn(top, aim.at));
    QTest::mouseDClick(top.windowHandle(), Qt::LeftButton, someModifiers(), aim.at);
}

/// The release comes some acts later, or when something else has been started.
void Monkey::press(QWidget& top)
{
    if (m_pressed != Qt::NoButton)
        return moveAndMaybeRelease(top);
    const Aim aim = aimAt(top);
    m_pressed = chance(6) ? Qt::RightButton : Qt::LeftButton;
    note("presses on " + placeIn(top, aim.at));
    QTest::mousePress(top.windowHandle(), m_pressed, someModifiers(), aim.at);
}

void Monkey::moveAndMaybeRelease(QWidget& top)
{
    const Aim aim = aimAt(top);
    note("moves over " + placeIn(top, aim.at));
    QTest::mouseMove(top.windowHandle(), aim.at);
    if (aim.top && aim.top->windowHandle() != nullptr &&
        chance(3)) // a dock may have gone back into its window under the move
        release({aim.top, within(*aim.top, aim.at)});
}

void Monkey::release(const Aim& aim)
{
    note("releases on " + placeIn(*aim.top, aim.at));
    QTest::mouseRelease(aim.top->windowHandle(), std::exchange(m_pressed, Qt::NoButton), {}, aim.at);
}

void Monkey::wheel(QWidget& top)
{
    const Aim aim = aimAt(top);
    note("wheels over " + placeIn(top, aim.at));
    QWheelEvent event(aim.at, top.mapToGlobal(aim.at), {}, {0, chance(2) ? 120 : -120}, {}, someModifiers(),
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(top.windowHandle(), &event);
}

/// Keys go where they would; on this platform no window may be active after a popup.
QWindow* Monkey::keyboard(QWidget& top)
{
    if (QGuiApplication::focusWindow() == nullptr) {
        top.activateWindow();
        QApplication::processEvents();
    }
    return QGuiApplication::focusWindow();
}

/// Numbers and words, and nothing that leads out of a folder.
void Monkey::type(QWidget& top)
{
    static const QByteArray letters = "abcdefghijklmnopqrstuvwxyzABCDELMRSTU _-+.,:;=()[]%&'\"!?#<>|";
    static const QByteArray digits = "0123456789.";
    const QByteArray& from = chance(2) ? digits : letters;
    const QPointer<QWidget> seen = &top; // a letter may press a button that closes its dialog
    for (std::size_t count = 1 + below(5); count > 0 && seen; --count) {
        QPointer<QWindow> window = keyboard(*seen);
        if (!window)
            return;
        const char letter = from[static_cast<qsizetype>(below(static_cast<std::size_t>(from.size())))];
        note(QStringLiteral("types %1 into %2").arg(QChar(letter)).arg(nameOf(QApplication::focusWidget())));
        strike(*window, TypedKey(letter), Qt::NoModifier);
    }
}

void Monkey::pressKeys(QWidget& top)
{
    const Stroke& stroke = strokes[below(strokes.size())];
    QWindow* window = keyboard(top);
    if (window == nullptr)
        return;
    const QString name = QKeySequence(QKeyCombination(stroke.modifiers, stroke.key)).toString();
    note(QStringLiteral("presses %1 in %2").arg(name, nameOf(QApplication::focusWidget())));
    strike(*window, TypedKey(stroke.key), stroke.modifiers);
}

void Monkey::openMenu(QWidget& top)
{
    auto* window = qobject_cast<MainWindow*>(&top);
    if (window == nullptr)
        return pressKeys(top);
    const auto menus = window->menuBar()->actions();
    const QAction* menu = menus[static_cast<qsizetype>(below(static_cast<std::size_t>(menus.size())))];
    const QPoint at = window->menuBar()->actionGeometry(const_cast<QAction*>(menu)).center();
    note("opens the menu " + menu->text());
    QTest::mouseClick(window->windowHandle(), Qt::LeftButton, {}, window->menuBar()->mapTo(window, at));
}

/// What a window manager does to windows.
void Monkey::arrange(QWidget& top)
{
    if (chance(5)) {
        note("closes " + nameOf(&top));
        top.close();
    } else if (qobject_cast<MainWindow*>(&top) != nullptr) {
        const QSize size(700 + static_cast<int>(below(900)), 500 + static_cast<int>(below(500)));
        note(QStringLiteral("makes the window %1 by %2").arg(size.width()).arg(size.height()));
        top.resize(size);
    }
}

} // namespace unroll::test
