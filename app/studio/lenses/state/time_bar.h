// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QSlider>
#include <QToolButton>
#include <QWidget>
#include <cstdint>

namespace unroll {

/// Training time: a slider through the kept snapshots of a run, a toggle that follows the newest, and the step that is
/// shown.
class TimeBar : public QWidget {
    Q_OBJECT
public:
    explicit TimeBar(QWidget* parent = nullptr);

    bool isFollowing() const { return m_follow->isChecked(); }
    void setFollowing(bool follows) { m_follow->setChecked(follows); }
    /// Number of kept snapshots; the one shown is of this training step and at `index`, or nearest to it when it is no
    /// longer kept.
    void setLooks(std::size_t kept, std::size_t index, std::int64_t step);

Q_SIGNALS:
    void followingChanged(bool follows);
    void lookChosen(std::size_t index); ///< by the slider

private:
    void showStep();

    QToolButton* m_follow;
    QSlider* m_looks;
    QLabel* m_words;
    std::int64_t m_step = 0;
};

} // namespace unroll
