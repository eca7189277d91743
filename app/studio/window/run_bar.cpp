// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/run_bar.h"

#include "app/studio/inspector/field_undo.h"
#include "app/studio/inspector/number_field.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/key_names.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/window/primary_button.h"
#include "app/studio/window/run_progress.h"

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

RunBar::RunBar(Document& document, RunController& controller, const RunCommands& commands, const RunActions& actions,
               const Appearance& appearance, QWidget* parent)
    : QToolBar(parent),
      m_document(document),
      m_controller(controller),
      m_commands(commands),
      m_progress(new RunProgress(appearance)),
      m_changes(caption(tr("Edits are not in this run"))),
      m_device(new QComboBox),
      m_seed(new NumberField(NumberKind::Seed))
{
    setObjectName("runBar");
    setWindowTitle(tr("Run bar"));
    setMovable(false);
    appearance.follow(*this, [this] { setIconSize(QSize(1, 1) * fontMetrics().height()); });
    addCommands(actions);
    addWidget(m_progress);
    const auto tellChanges = [this] {
        m_changes->setToolTip(KeyNames::all().in(tr("The run continues without your edits. Run ({run}) offers to "
                                                    "restart from scratch or to reuse matching weights.")));
    };
    connect(&KeyNames::all(), &KeyNames::changed, this, tellChanges);
    tellChanges();
    m_changesPlace = addWidget(m_changes);
    addSettings();
    appearance.follow(*m_seed, [this] {
        m_seed->setFixedWidth(m_seed->fontMetrics().horizontalAdvance("0000000") + 2 * space::l + space::s);
    });
    connect(&document, &Document::settingsChanged, this, &RunBar::showSettings);
    connect(&document, &Document::settingsChanged, this, &RunBar::refresh);
    connect(&controller, &RunController::snapshotChanged, this, &RunBar::refresh);
    connect(&controller, &RunController::stateChanged, this, &RunBar::refresh);
    connect(&controller, &RunController::runChanged, this, &RunBar::refresh);
    connect(&commands, &RunCommands::hasChangesChanged, this, &RunBar::refresh);
    showSettings();
    refresh();
}

void RunBar::addCommands(const RunActions& actions)
{
    addWidget(new PrimaryButton(actions.run, RunCommands::runTexts()));
    auto* pause = new QToolButton;
    pause->setDefaultAction(actions.pause);
    m_pausePlace = addWidget(pause);
    auto* resume = new QToolButton;
    resume->setDefaultAction(actions.resume);
    resume->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_resumePlace = addWidget(resume);
    addAction(actions.step);
    addAction(actions.stop);
}

void RunBar::addSettings()
{
    m_device->setEditable(true);
    m_device->addItems({"auto", "cpu", "cuda"});
    m_device->setToolTip(tr("Device of the next run: auto, cpu, cuda or cuda:1"));
    m_device->setAccessibleName(tr("Device"));
    m_device->setMinimumContentsLength(6); // "cuda:1"
    m_seed->setToolTip(tr("Random seed: the same seed gives the same numbers"));
    m_seed->setAccessibleName(tr("Seed"));
    addWidget(caption(tr("device")));
    addWidget(m_device);
    addWidget(caption(tr("seed")));
    addWidget(m_seed);
    connect(m_device, &QComboBox::textActivated, this,
            [this](const QString& text) { m_document.setTraining("device", text.toStdString()); });
    connect(m_device->lineEdit(), &QLineEdit::editingFinished, this,
            [this] { m_document.setTraining("device", m_device->currentText().toStdString()); });
    new FieldUndo(*m_device->lineEdit(), *m_device);
    connect(m_seed, &NumberField::edited, this,
            [this](const Number& seed) { m_document.setSeed(std::get<std::uint64_t>(seed), Document::Edit::Typing); });
    connect(m_seed, &NumberField::finished, this, [this] { m_document.endMerge(); });
}

void RunBar::showSettings()
{
    m_device->setEditText(QString::fromStdString(m_document.training().device));
    m_seed->setNumber(m_document.seed());
}

void RunBar::refresh()
{
    m_progress->show(*m_controller.snapshot(), m_document.training().steps);
    m_pausePlace->setVisible(m_commands.hasChanges());
    m_resumePlace->setVisible(m_commands.offersResume());
    m_changesPlace->setVisible(m_commands.hasChanges());
}

QString RunBar::shownText() const
{
    const QString progress = m_progress->shownText();
    return m_commands.hasChanges() ? tr("%1, %2").arg(progress, m_changes->text()) : progress;
}

} // namespace unroll
