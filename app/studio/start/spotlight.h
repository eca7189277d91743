// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>

namespace unroll {

class Appearance;

/// A brief highlight frame around a part of the window, transparent to the mouse.
class Spotlight : public QObject {
    Q_OBJECT
public:
    static constexpr int kMilliseconds = 1600;

    explicit Spotlight(const Appearance& appearance, QObject* parent = nullptr);
    ~Spotlight() override;

    void pointAt(QWidget& widget);
    const QWidget* frame() const { return m_frame; } ///< while it is seen

private:
    const Appearance& m_appearance;
    QPointer<QWidget> m_frame; ///< a child of the window that the widget is in
    QTimer m_away;
};

} // namespace unroll
