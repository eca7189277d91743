// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/run_bar.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/window/run_progress.h"
#include "app/studio/window/seed_field.h"

#include <QLineEdit>
#include <QToolButton>

namespace unroll {

namespace {

QLabel* caption(const QString& text)
{
    auto* label = new QLabel(text);
    label->setProperty("tone", "dim");
    label->setContentsMargins(space::s, 0, 0, 0);
    return label;
}

} // namespace

RunBar::RunBar(Document& document, RunController& controller, const RunActions& actions, const Appearance& appearance,
               QWidget* parent)
    : QToolBar(parent),
      m_document(document),
      m_controller(controller),
      m_actions(actions),
      m_progress(new RunProgress(appearance)),
      m_device(new QComboBox),
      m_seed(new SeedField)
{
    setObjectName("runBar");
    setWindowTitle(tr("Run bar"));
    setMovable(false);
    setIconSize({16, 16});
    for (QAction* action : {actions.run, actions.pause, actions.step, actions.stop})
        addAction(action);
    auto* run = static_cast<QToolButton*>(widgetForAction(actions.run));
    run->setObjectName("primary");
    run->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    addWidget(m_progress);
    m_device->setEditable(true);
    m_device->addItems({"auto", "cpu", "cuda"});
    m_device->setToolTip(tr("What the next run trains on: auto, cpu, cuda or cuda:1"));
    m_device->setAccessibleName(tr("Device"));
    m_device->setMinimumWidth(84);
    m_seed->setToolTip(tr("The seed: the same seed gives the same numbers"));
    m_seed->setAccessibleName(tr("Seed"));
    m_seed->setFixedWidth(84);
    addWidget(caption(tr("device")));
    addWidget(m_device);
    addWidget(caption(tr("seed")));
    addWidget(m_seed);
    connect(m_device, &QComboBox::textActivated, this,
            [this](const QString& text) { m_document.setTraining("device", text.toStdString()); });
    connect(m_device->lineEdit(), &QLineEdit::editingFinished, this,
            [this] { m_document.setTraining("device", m_device->currentText().toStdString()); });
    connect(m_seed, &SeedField::edited, this, [this](quint64 seed) { m_document.setSeed(seed); });
    connect(m_seed, &SeedField::finished, this, &RunBar::showSettings);
    connect(&document, &Document::settingsChanged, this, &RunBar::showSettings);
    connect(&document, &Document::settingsChanged, this, &RunBar::refresh);
    connect(&controller, &RunController::snapshotChanged, this, &RunBar::refresh);
    connect(&controller, &RunController::stateChanged, this, &RunBar::refresh);
    connect(&controller, &RunController::runChanged, this, &RunBar::refresh);
    showSettings();
    refresh();
}

void RunBar::showSettings()
{
    m_device->setEditText(QString::fromStdString(m_document.training().device));
    m_seed->setSeed(m_document.seed());
}

void RunBar::refresh()
{
    const bool training = m_controller.isTraining();
    const bool underWay = m_controller.isUnderWay();
    m_actions.run->setEnabled(!training);
    m_actions.pause->setEnabled(training);
    m_actions.step->setEnabled(!training);
    m_actions.stop->setEnabled(underWay);
    m_progress->show(*m_controller.snapshot(), m_document.training().steps);
}

QString RunBar::words() const
{
    return m_progress->words();
}

} // namespace unroll
