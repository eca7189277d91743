// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/training_panel.h"

#include "app/studio/inspector/help_text.h"
#include "app/studio/inspector/spec_text.h"
#include "app/studio/theme/metrics.h"

#include <QVBoxLayout>
#include <utility>

namespace unroll {

namespace {

/// The settings as the form wants them; device and seed have their place in the run bar.
std::vector<ParamSpec> formSpecs()
{
    std::vector<ParamSpec> specs;
    for (const ParamSpec& setting : trainSettingSpecs())
        if (setting.name != "device")
            specs.push_back(setting);
    return specs;
}

} // namespace

TrainingPanel::TrainingPanel(Document& document, RunController& controller, const Appearance& appearance,
                             QWidget* parent)
    : ColumnScroll(tr("Training"), parent),
      m_document(document),
      m_controller(controller),
      m_form(new ParamForm(formSpecs(), appearance)),
      m_note(new QLabel),
      m_rate(document.training().learningRate)
{
    auto* body = new QWidget;
    body->setObjectName("scrollBody");
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(space::m, space::m, space::m, space::m);
    column->setSpacing(space::s);
    m_note->setWordWrap(true);
    m_note->setProperty("tone", "dim");
    column->addWidget(m_note);
    column->addWidget(m_form);
    column->addWidget(sectionHeading(tr("Choices"), appearance));
    column->addWidget(new HelpText(optionsMarkdown(trainSettingSpecs()), appearance));
    column->addStretch();
    setWidget(body);
    connect(m_form, &ParamForm::edited, this, [this](const std::string& name, const ParamValue& value) {
        m_rateTyped = name == "learning_rate";
        edit(name, value, Document::Edit::Typing);
    });
    connect(m_form, &ParamForm::finished, this, &TrainingPanel::finish);
    connect(m_form, &ParamForm::resetAsked, this, [this](const std::string& name) {
        edit(name, trainSetting(TrainSettings{}, name), Document::Edit::Whole);
        finish();
    });
    connect(&document, &Document::replaced, this, [this] { m_rate = m_document.training().learningRate; });
    connect(&document, &Document::settingsChanged, this, &TrainingPanel::refresh);
    connect(&document, &Document::settingsChanged, this, &TrainingPanel::tellRate);
    connect(&controller, &RunController::stateChanged, this, &TrainingPanel::refresh);
    refresh();
}

void TrainingPanel::edit(const std::string& name, const ParamValue& value, Document::Edit kind)
{
    const auto done = m_document.setTraining(name, value, kind);
    m_wrong.erase(name);
    if (!done)
        m_wrong[name].reason = QString::fromStdString(done.error().text());
    m_form->setWrong(m_wrong);
}

void TrainingPanel::finish()
{
    m_document.endMerge();
    m_rateTyped = false;
    tellRate();
    for (const auto& [name, fault] : m_wrong)
        m_form->remark(
            name, tr("%1. It stays %2.").arg(fault.reason, paramValueText(trainSetting(m_document.training(), name))));
    refresh(); // a refused value is gone; why it was refused stays to be read
}

/// Whatever changed it: a hand, undo, a fix.
void TrainingPanel::tellRate()
{
    const double rate = m_document.training().learningRate;
    if (!m_rateTyped && std::exchange(m_rate, rate) != rate)
        m_controller.setLearningRate(rate);
}

void TrainingPanel::refresh()
{
    Params values;
    for (const ParamSpec& setting : trainSettingSpecs())
        values[setting.name] = trainSetting(m_document.training(), setting.name);
    m_form->setValues(values);
    m_wrong.clear();
    m_form->setWrong(m_wrong);
    m_note->setText(m_controller.isUnderWay()
                        ? tr("The current run keeps its settings; only the learning rate changes at once.")
                        : tr("Settings of the next run. Saved with the experiment."));
}

} // namespace unroll
