// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>

namespace unroll {

class Appearance;

/// What can be chosen on the start page: drawn by us, as high as its words need at the width it gets, pressed by mouse,
/// Space and Return. Arrow keys are left to the page.
class StartButton : public QAbstractButton {
    Q_OBJECT
public:
    explicit StartButton(const Appearance& appearance, QWidget* parent = nullptr);

    bool hasHeightForWidth() const override { return true; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    const Appearance& appearance() const { return m_appearance; }
    virtual int preferredWidth() const = 0;
    virtual int leastWidth() const = 0;
    /// The ground with its rounded border, or what shows that it is pointed at, pressed or has the keyboard.
    void paintGround(QPainter& painter) const;
    void keyPressEvent(QKeyEvent* event) override;

private:
    const Appearance& m_appearance;
};

/// The height of these words in lines of at most this width.
int wrappedHeight(const QFont& font, const QString& words, int width);

} // namespace unroll
