// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/curves/curves_bar.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <algorithm>
#include <cmath>
#include <utility>

namespace unroll {

namespace {

/// Its controls side by side.
QWidget* makeGroup(const std::vector<QWidget*>& controls)
{
    auto* group = new QWidget;
    auto* row = new QHBoxLayout(group);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::xs);
    for (QWidget* control : controls)
        row->addWidget(control);
    return group;
}

} // namespace

CurvesBar::CurvesBar(const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_row(new QBoxLayout(QBoxLayout::LeftToRight, this))
{
    m_row->setContentsMargins(space::m, 0, space::m, 0);
    m_row->setSpacing(space::xs);
    m_row->addWidget(m_what = makeGroup({makeMetric(), makeLogY(), makeAxis()}), 1, Qt::AlignLeft);
    m_row->addWidget(m_how = makeGroup({makeSmoothing(), makeFollow(), makeSave(appearance)}), 0, Qt::AlignLeft);
    showAxis();
}

QSize CurvesBar::minimumSizeHint() const
{
    const QMargins margins = m_row->contentsMargins();
    const int widest = std::max(m_what->minimumSizeHint().width(), m_how->minimumSizeHint().width());
    return {widest + margins.left() + margins.right(), QWidget::minimumSizeHint().height()};
}

void CurvesBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const QMargins margins = m_row->contentsMargins();
    const int oneLine = m_what->minimumSizeHint().width() + m_how->minimumSizeHint().width() + m_row->spacing() +
                        margins.left() + margins.right();
    m_row->setDirection(width() < oneLine ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

QWidget* CurvesBar::makeMetric()
{
    m_metric = new QComboBox;
    m_metric->setAccessibleName(tr("Metric"));
    m_metric->setMinimumWidth(4 * space::xl); // narrower than its longest name: a narrow panel shortens it
    for (const CurveChoice& choice : curveChoices())
        m_metric->addItem(choice.title);
    connect(m_metric, &QComboBox::currentTextChanged, m_metric, &QWidget::setToolTip); // where the name is shortened
    connect(m_metric, &QComboBox::currentIndexChanged, this, &CurvesBar::choiceChanged);
    return m_metric;
}

QWidget* CurvesBar::makeLogY()
{
    m_logY = new QToolButton;
    m_logY->setText(tr("log"));
    m_logY->setCheckable(true);
    m_logY->setObjectName("toggle");
    m_logY->setAccessibleName(tr("Logarithmic y axis"));
    m_logY->setToolTip(tr("Logarithmic y axis; values not above 0 are marked on the lower edge"));
    connect(m_logY, &QToolButton::toggled, this, &CurvesBar::logChanged);
    return m_logY;
}

QWidget* CurvesBar::makeAxis()
{
    m_axis = new QToolButton;
    m_axis->setObjectName("xAxis");
    m_axis->setPopupMode(QToolButton::InstantPopup);
    m_axis->setToolTip(tr("x axis of the curves"));
    auto* menu = new QMenu(m_axis);
    auto* group = new QActionGroup(menu);
    addUnit(*menu, *group, XUnit::Steps, tr("Steps"), tr("Optimiser updates"));
    addUnit(*menu, *group, XUnit::Tokens, tr("Tokens"), tr("Tokens read: comparable between batch sizes"));
    addUnit(*menu, *group, XUnit::Epochs, tr("Epochs"), tr("Tokens read, divided by the tokens of the training part"));
    addUnit(*menu, *group, XUnit::Flops, tr("FLOPs"),
            tr("Training compute, forward and backward, as estimated by the check: comparable between network sizes"));
    addUnit(*menu, *group, XUnit::Seconds, tr("Time"), tr("Training time in seconds, without pauses"));
    menu->addSeparator();
    m_logX = menu->addAction(tr("Logarithmic"));
    m_logX->setCheckable(true);
    connect(m_logX, &QAction::toggled, this, [this] {
        showAxis();
        Q_EMIT logChanged();
    });
    menu->setToolTipsVisible(true);
    m_axis->setMenu(menu);
    return m_axis;
}

void CurvesBar::addUnit(QMenu& menu, QActionGroup& group, XUnit unit, const QString& name, const QString& help)
{
    QAction* action = menu.addAction(name);
    action->setCheckable(true);
    action->setChecked(unit == m_unit);
    action->setToolTip(help);
    action->setWhatsThis(help); // what its tooltip says again once it is offered again
    group.addAction(action);
    m_units[unit] = action;
    connect(action, &QAction::triggered, this, [this, unit] {
        const XUnit before = std::exchange(m_unit, unit);
        showAxis();
        Q_EMIT unitChanged(before);
    });
}

/// The button says what its menu has set.
void CurvesBar::showAxis()
{
    const auto word = [this] {
        switch (m_unit) {
        case XUnit::Tokens: return tr("tokens");
        case XUnit::Epochs: return tr("epochs");
        case XUnit::Flops: return tr("FLOPs");
        case XUnit::Seconds: return tr("time");
        case XUnit::Steps: break;
        }
        return tr("steps");
    };
    const QString unit = word();
    m_axis->setText((isLogX() ? tr("over log %1") : tr("over %1")).arg(unit));
    m_axis->setAccessibleName(tr("x axis: %1").arg(m_axis->text()));
}

QWidget* CurvesBar::makeSmoothing()
{
    auto* both = new QWidget;
    auto* row = new QHBoxLayout(both);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::xs);
    auto* words = new QLabel(tr("smooth"));
    words->setProperty("tone", "dim");
    m_smooth = new QSlider(Qt::Horizontal);
    m_smooth->setRange(0, 100);
    m_smooth->setValue(30);
    m_smooth->setFixedWidth(3 * space::xl);
    m_smooth->setAccessibleName(tr("Smoothing"));
    m_smooth->setToolTip(tr("Steps averaged by the smoothed curve"));
    row->addWidget(words);
    row->addWidget(m_smooth);
    connect(m_smooth, &QSlider::valueChanged, this, &CurvesBar::smoothingChanged);
    return both;
}

QWidget* CurvesBar::makeFollow()
{
    m_follow = new QToolButton;
    m_follow->setText(tr("autoscale"));
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    m_follow->setObjectName("toggle");
    m_follow->setAccessibleName(tr("Autoscale"));
    m_follow->setToolTip(tr("Show the whole run as it grows. Dragging or zooming turns this off; a double-click on the "
                            "curves, or Home, turns it on again."));
    connect(m_follow, &QToolButton::toggled, this, &CurvesBar::followingAsked);
    return m_follow;
}

QWidget* CurvesBar::makeSave(const Appearance& appearance)
{
    m_save = new QToolButton;
    m_save->setObjectName("saveCurves");
    m_save->setIcon(appearance.icon("save"));
    m_save->setPopupMode(QToolButton::InstantPopup);
    m_save->setAccessibleName(tr("Save the curves"));
    m_save->setToolTip(tr("Save the curves as an image or as numbers"));
    auto* menu = new QMenu(m_save);
    const auto add = [&](const QString& name, Format format) {
        connect(menu->addAction(name), &QAction::triggered, this, [this, format] { Q_EMIT saveAsked(format); });
    };
    add(tr("Image (PNG) …"), Format::Png);
    add(tr("Vector image (SVG) …"), Format::Svg);
    add(tr("Numbers (CSV) …"), Format::Csv);
    menu->addSeparator();
    connect(menu->addAction(tr("Copy Image")), &QAction::triggered, this, &CurvesBar::copyAsked);
    m_save->setMenu(menu);
    return m_save;
}

const CurveChoice& CurvesBar::choice() const
{
    return curveChoices()[static_cast<std::size_t>(std::max(0, m_metric->currentIndex()))];
}

/// The slider moves the memory of the average, in steps, evenly in its logarithm: 0 is no smoothing, 100 remembers 1000
/// steps.
double CurvesBar::smoothingWeight() const
{
    const int slider = m_smooth->value();
    return slider == 0 ? 0 : 1 - 1 / std::pow(10.0, slider * 0.03);
}

void CurvesBar::setFollowing(bool follows)
{
    const QSignalBlocker quiet(m_follow);
    m_follow->setChecked(follows);
}

void CurvesBar::offer(int choice, const QString& whyNot)
{
    auto* list = qobject_cast<QStandardItemModel*>(m_metric->model());
    QStandardItem* item = list == nullptr ? nullptr : list->item(choice);
    const QString words = whyNot.isEmpty() ? QString() : tr("Not available here: %1").arg(whyNot);
    if (item == nullptr || item->toolTip() == words)
        return;
    item->setEnabled(whyNot.isEmpty());
    item->setToolTip(words);
}

void CurvesBar::offer(XUnit unit, const QString& whyNot)
{
    QAction* action = m_units.at(unit);
    action->setEnabled(whyNot.isEmpty());
    action->setToolTip(whyNot.isEmpty() ? action->whatsThis() : tr("Not available here: %1").arg(whyNot));
}

void CurvesBar::setCanSave(bool can)
{
    m_save->setEnabled(can);
}

} // namespace unroll
