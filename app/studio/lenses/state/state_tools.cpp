// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/state_tools.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QStandardItemModel>

namespace unroll {

DrawingPicker::DrawingPicker(StateStack& stack, QWidget* parent)
    : QWidget(parent), m_stack(stack), m_drawing(new QComboBox), m_scale(new QComboBox)
{
    m_drawing->setObjectName("drawing");
    m_drawing->setAccessibleName(tr("Drawing"));
    m_drawing->setToolTip(tr("How the signals are drawn"));
    const auto add = [](QComboBox* box, const QString& name, int value, const QString& help) {
        box->addItem(name, value);
        box->setItemData(box->count() - 1, help, Qt::ToolTipRole);
    };
    add(m_drawing, tr("heat map"), static_cast<int>(StateDrawing::Map), tr("A row per unit, a column per step"));
    add(m_drawing, tr("lines"), static_cast<int>(StateDrawing::Lines),
        tr("The selected units as lines; without a selection those of the largest mean |value|"));
    add(m_drawing, tr("text"), static_cast<int>(StateDrawing::Text),
        tr("The text coloured by the first selected unit"));
    m_scale->setObjectName("scale");
    m_scale->setAccessibleName(tr("Scale"));
    m_scale->setToolTip(tr("Scale of the values of each unit"));
    add(m_scale, tr("shared scale"), static_cast<int>(UnitScale::Shared), tr("One scale for all units"));
    add(m_scale, tr("scale per unit"), static_cast<int>(UnitScale::Unit),
        tr("Each unit divided by its own largest |value|: a large unit hides no other"));
    add(m_scale, tr("standardised"), static_cast<int>(UnitScale::Standardised),
        tr("Each unit minus its mean, divided by its standard deviation"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    row->addWidget(m_drawing);
    row->addWidget(m_scale);
    connect(m_drawing, &QComboBox::currentIndexChanged, this, [this] {
        m_stack.setDrawing(static_cast<StateDrawing>(m_drawing->currentData().toInt()));
        Q_EMIT changed();
    });
    connect(m_scale, &QComboBox::currentIndexChanged, this, [this] {
        m_stack.setUnitScale(static_cast<UnitScale>(m_scale->currentData().toInt()));
        Q_EMIT changed();
    });
}

void DrawingPicker::choose(StateDrawing drawing, UnitScale scale)
{
    for (const auto& [box, value] :
         {std::pair{m_drawing, static_cast<int>(drawing)}, std::pair{m_scale, static_cast<int>(scale)}})
        if (const int index = box->findData(value); index >= 0)
            box->setCurrentIndex(index);
}

void DrawingPicker::offerMatrices(bool offered)
{
    const int index = m_drawing->findData(static_cast<int>(StateDrawing::Matrix));
    if (offered && index < 0) {
        m_drawing->addItem(tr("matrices"), static_cast<int>(StateDrawing::Matrix));
        m_drawing->setItemData(m_drawing->count() - 1,
                               tr("The matrices of the current step, and one of them at every step"), Qt::ToolTipRole);
    } else if (!offered && index >= 0)
        m_drawing->removeItem(index);
}

StateTools::StateTools(StateStack& stack, const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_stack(stack), m_add(new QToolButton), m_more(new QToolButton)
{
    m_add->setObjectName("addSignal");
    m_add->setText(QStringLiteral("+"));
    m_add->setAccessibleName(tr("Add a signal"));
    m_add->setToolTip(tr("Add a signal below, of this node or another"));
    m_more->setObjectName("more");
    m_more->setProperty(kSavesViewProperty, true); // and zooms what is not seen then
    m_more->setIcon(appearance.icon("save"));
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setAccessibleName(tr("View and files"));
    m_more->setToolTip(tr("Zoom, phase, and saving as an image or as numbers"));
    m_more->setMenu(menu());
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::xs);
    row->addWidget(m_add);
    row->addWidget(m_more);
    connect(m_add, &QToolButton::clicked, this, &StateTools::addAsked);
    connect(&stack, &StateStack::countChanged, this, &StateTools::refresh);
    refresh();
}

QMenu* StateTools::menu()
{
    auto* menu = new QMenu(m_more);
    const auto act = [&](const QString& words, auto deed) {
        QAction* action = menu->addAction(words);
        connect(action, &QAction::triggered, this, deed);
        return action;
    };
    const auto eachMap = [this](auto deed) {
        return [this, deed] {
            for (SignalViews* views : m_stack.all())
                deed(views->map());
        };
    };
    for (const auto& [format, words] :
         {std::pair{Format::Png, tr("Image (PNG) …")}, std::pair{Format::Svg, tr("Drawing (SVG) …")},
          std::pair{Format::Csv, tr("Numbers (CSV) …")}, std::pair{Format::Npz, tr("Arrays (npz) …")}})
        m_files.push_back(act(words, [this, format = format] { Q_EMIT saveAsked(format); }));
    menu->addSeparator();
    act(tr("Taller rows\t+"), eachMap([](HeatMapView& map) { map.zoomRows(1.5); }));
    act(tr("Lower rows\t\u2212"), eachMap([](HeatMapView& map) { map.zoomRows(1 / 1.5); }));
    act(tr("Wider steps\t."), [this] { m_stack.first().map().zoomSteps(1.5); });
    act(tr("Narrower steps\t,"), [this] { m_stack.first().map().zoomSteps(1 / 1.5); });
    act(tr("Show all\t0"), eachMap([](HeatMapView& map) { map.fitAll(); }));
    menu->addSeparator();
    m_phase = act(tr("Phase of complex values as hue"), [this](bool on) { m_stack.showPhase(on); });
    m_phase->setCheckable(true);
    return menu;
}

void StateTools::refresh()
{
    m_add->setEnabled(!m_stack.isFull());
    bool complex = false;
    for (SignalViews* views : m_stack.all())
        complex = complex || views->map().data().hasPhase();
    m_phase->setEnabled(complex);
    for (QAction* file : m_files)
        file->setEnabled(!m_stack.first().map().isEmpty());
}

} // namespace unroll
