// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>

namespace unroll {

class Appearance;

/// One step of a lesson: a mark that is ticked when it is done, and its sentence, which wraps. The step that comes next
/// is in strong letters.
class LessonStepButton : public QAbstractButton {
    Q_OBJECT
public:
    enum class State { Later, Next, Done };

    LessonStepButton(const Appearance& appearance, int number, const QString& sentence, QWidget* parent = nullptr);

    State state() const { return m_state; }
    void setState(State state);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    int markSide() const;
    int textLeft() const;
    QFont textFont() const;
    void paintMark(QPainter& painter, const QRectF& place) const;

    const Appearance& m_appearance;
    QString m_number;
    State m_state = State::Later;
};

} // namespace unroll
