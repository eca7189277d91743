// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/race/race_picture.h"
#include "core/runs/race_table.h"

#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <QWidget>

class QMenu;

namespace unroll {

class Appearance;

/// What is drawn of a race, over what, and its commands: the controls above curves and table.
class RaceBar : public QWidget {
    Q_OBJECT
public:
    enum class Picture { Png, Svg };

    explicit RaceBar(const Appearance& appearance, QWidget* parent = nullptr);

    /// Metric, axis and scales as chosen; what is held by hand is not the bar's.
    RaceWatch watch() const;
    /// Bits are offered where the loss is in nats.
    void offerBits(bool offered);
    enum class Doing { Nothing, Running, Stopping };
    /// `left`: there are runs to train.
    void showDoing(Doing doing, bool left);

Q_SIGNALS:
    void watchChanged();
    void stopAsked();
    void resumeAsked();
    void openAsked();
    void tableAsked(unroll::RaceTableFormat format);
    void curvesAsked();
    void pictureAsked(unroll::RaceBar::Picture format);
    void copyAsked();

private:
    void fillSaveMenu(QMenu& menu);

    QComboBox* m_metric;
    QComboBox* m_axis;
    QToolButton* m_logX;
    QToolButton* m_logY;
    QToolButton* m_stop;
    QToolButton* m_resume;
    QToolButton* m_save;
};

} // namespace unroll
