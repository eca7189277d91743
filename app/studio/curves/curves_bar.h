// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/curve_choice.h"
#include "app/studio/curves/run_curves.h"

#include <QComboBox>
#include <QSlider>
#include <QToolButton>
#include <QWidget>
#include <map>

class QActionGroup;
class QBoxLayout;
class QMenu;

namespace unroll {

class Appearance;

/// What is drawn and how: the controls above the curves. One line, or two where the panel is narrow.
class CurvesBar : public QWidget {
    Q_OBJECT
public:
    enum class Format { Png, Svg, Csv };

    explicit CurvesBar(const Appearance& appearance, QWidget* parent = nullptr);

    const CurveChoice& choice() const;
    XUnit unit() const { return m_unit; }
    bool isLogX() const { return m_logX->isChecked(); }
    bool isLogY() const { return m_logY->isChecked(); }
    double smoothingWeight() const;
    void setFollowing(bool follows); ///< says nothing to anybody
    void setCanSave(bool can);
    /// Greys out an entry of the list of metrics, or of the axis, with the reason in its tooltip; an empty reason takes
    /// that back.
    void offer(int choice, const QString& whyNot);
    void offer(XUnit unit, const QString& whyNot);
    QSize minimumSizeHint() const override; ///< of the two lines

Q_SIGNALS:
    void choiceChanged();
    void unitChanged(unroll::XUnit before);
    void logChanged();
    void smoothingChanged();
    void followingAsked(bool follows);
    void saveAsked(unroll::CurvesBar::Format format);
    void copyAsked();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeMetric();
    QWidget* makeAxis();
    void addUnit(QMenu& menu, QActionGroup& group, XUnit unit, const QString& name, const QString& help);
    QWidget* makeLogY();
    QWidget* makeSmoothing();
    QWidget* makeFollow();
    QWidget* makeSave(const Appearance& appearance);
    void showAxis();

    QBoxLayout* m_row;
    QWidget* m_what = nullptr;
    QWidget* m_how = nullptr;
    XUnit m_unit = XUnit::Steps;
    QComboBox* m_metric = nullptr;
    QToolButton* m_axis = nullptr;
    std::map<XUnit, QAction*> m_units;
    QAction* m_logX = nullptr;
    QToolButton* m_logY = nullptr;
    QSlider* m_smooth = nullptr;
    QToolButton* m_follow = nullptr;
    QToolButton* m_save = nullptr;
};

} // namespace unroll
