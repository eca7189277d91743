// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/fixture.h"

#include "core/model/builders.h"
#include "tests/gui/waiting.h"

#include <QLabel>
#include <algorithm>

namespace unroll::test {

Studio::Studio(StartRun runs)
    : settings(folder.filePath("settings.ini"), QSettings::IniFormat),
      registry(allSpecs()),
      data(allBuilders()),
      appearance(ThemeChoice::Light),
      script(std::make_shared<Script>()),
      context{registry, data, appearance, settings, runs ? runs : scriptedRuns(script), false},
      window(context)
{
    context.autosave.folder = folder.filePath("autosave");
    window.resize(1440, 900);
    window.show();
    window.arrange("train");
    window.files().openDefault();
    window.activateWindow();
    (void)QTest::qWaitForWindowActive(&window);
    (void)comes([this] { return !window.document().checked()->order.empty(); });
}

Studio::~Studio() = default;

QPoint Studio::headerOf(const std::string& name)
{
    return window.canvas().mapFromScene(item(name).mapToScene(30, 15));
}

void Studio::drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers)
{
    QWidget* port = window.canvas().viewport();
    QTest::mousePress(port, Qt::LeftButton, modifiers, from);
    // In steps, as a hand moves.
    for (int i = 1; i <= 4; ++i) {
        QMouseEvent move(QEvent::MouseMove, QPointF(from + (to - from) * i / 4),
                         port->mapToGlobal(from + (to - from) * i / 4), Qt::NoButton, Qt::LeftButton, modifiers);
        QApplication::sendEvent(port, &move);
    }
    QTest::mouseRelease(port, Qt::LeftButton, modifiers, to);
}

void Studio::key(int key, Qt::KeyboardModifiers modifiers)
{
    QTest::keyClick(&window, static_cast<Qt::Key>(key), modifiers);
}

bool says(const QWidget& widget, const QString& words)
{
    const auto labels = widget.findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel* label) { return label->text().contains(words); });
}

qsizetype saying(const QWidget& widget, const QString& words)
{
    const auto labels = widget.findChildren<QLabel*>();
    return std::count_if(labels.begin(), labels.end(),
                         [&](const QLabel* label) { return label->isVisible() && label->text().contains(words); });
}

QPushButton* buttonIn(const QWidget& widget, const QString& label)
{
    for (auto* button : widget.findChildren<QPushButton*>())
        if (button->isVisible() && button->text() == label)
            return button;
    return nullptr;
}

QAbstractButton* buttonNamed(const QWidget& widget, const QString& name)
{
    for (auto* button : widget.findChildren<QAbstractButton*>())
        if (button->isVisibleTo(&widget) && button->accessibleName().startsWith(name))
            return button;
    return nullptr;
}

bool clickOn(const QWidget& widget, const QString& label)
{
    QPushButton* button = buttonIn(widget, label);
    if (button != nullptr)
        QTest::mouseClick(button, Qt::LeftButton);
    return button != nullptr;
}

} // namespace unroll::test
