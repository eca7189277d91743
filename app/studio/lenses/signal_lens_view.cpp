// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/signal_lens_view.h"

#include "app/studio/inspector/param_editor.h"
#include "app/studio/inspector/param_words.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace unroll {

SignalLensView::SignalLensView(const std::string& lens, const LensDesk& desk, QWidget* picture, const QString& icon,
                               QWidget* parent)
    : LensView(lens, desk.controller, parent),
      m_document(desk.document),
      m_controller(desk.controller),
      m_picker(new SignalPicker(desk.document)),
      m_pages(new QStackedWidget),
      m_empty(new EmptyState(desk.appearance, icon, QString::fromStdString(this->lens().title), {}))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar(desk.appearance));
    m_pages->addWidget(m_empty);
    m_pages->addWidget(picture);
    column->addWidget(m_pages, 1);
    listen();
    begin();
    choose();
}

QWidget* SignalLensView::bar(const Appearance& appearance)
{
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(space::m, 0, space::m, space::xs);
    row->setSpacing(space::s);
    row->addWidget(m_picker);
    for (const ParamSpec& setting : lens().settings) {
        auto* editor = new ParamEditor(setting, appearance);
        m_settings[setting.name] = setting.defaultValue;
        m_editors[setting.name] = editor;
        editor->setObjectName(QString::fromStdString(setting.name));
        editor->setToolTip(paramHelp(setting));
        editor->setValue(setting.defaultValue);
        connect(editor, &ParamEditor::edited, this,
                [this, name = setting.name](const ParamValue& value) { set(name, value); });
        row->addWidget(editor);
    }
    row->addStretch(1);
    return bar;
}

void SignalLensView::listen()
{
    connect(m_picker, &SignalPicker::picked, this, &SignalLensView::choose);
    connect(&m_controller, &RunController::runChanged, this, &SignalLensView::begin);
    connect(&m_controller, &RunController::snapshotChanged, this, &SignalLensView::take);
    connect(&m_controller, &RunController::stateChanged, this, &SignalLensView::showEmpty);
    connect(&m_document, &Document::checkedChanged, this, &SignalLensView::showEmpty);
}

/// A value that the setting cannot have is said at its editor, and nothing changes.
void SignalLensView::set(const std::string& setting, const ParamValue& value)
{
    for (const ParamSpec& spec : lens().settings) {
        if (spec.name != setting)
            continue;
        const std::string fault = paramFault(spec, value);
        m_editors.at(setting)->setWrong(QString::fromStdString(fault));
        if (!fault.empty())
            return;
        m_settings[setting] = asParamOf(spec.type, value).value_or(value);
        m_editors.at(setting)->setValue(m_settings[setting]);
    }
    choose();
}

/// Another run, or none: nothing of the last one is shown, unless it is that one that goes on.
void SignalLensView::begin()
{
    const auto& trained = m_controller.experiment();
    m_picker->setRun(trained ? std::optional<Graph>(trained->graph) : std::nullopt);
    if (!m_controller.continuesRun())
        forget();
    showEmpty();
}

/// Another query: what is shown answers the last one.
void SignalLensView::choose()
{
    const std::string node = m_picker->node(), signal = m_picker->signal();
    std::optional<LensQuery> wanted;
    if (!node.empty() && !signal.empty())
        wanted = LensQuery{lens().id, node, signal, m_settings};
    if (wanted != m_wanted) {
        m_wanted = std::move(wanted);
        forget();
    }
    if (isVisible())
        ask(m_wanted);
    take();
    showEmpty();
}

/// Where nothing new came, what is shown stays.
void SignalLensView::take()
{
    auto frame = newest();
    if (!isVisible() || !frame || frame == m_taken)
        return;
    m_taken = std::move(frame);
    if (m_taken->data)
        draw(m_taken);
    showEmpty();
}

void SignalLensView::forget()
{
    m_taken.reset();
}

void SignalLensView::showEmpty()
{
    m_pages->setCurrentIndex(m_taken && m_taken->data ? 1 : 0);
    const QString name = QString::fromStdString(m_picker->node());
    const QString shows = QString::fromStdString(lens().summary);
    if (m_picker->isEmpty())
        m_empty->setSentence(tr("The graph has no node with signals. %1").arg(shows));
    else if (const std::string& reason = m_controller.snapshot()->notOpened; !reason.empty())
        m_empty->setSentence(tr("%1 cannot be shown: %2.").arg(name, QString::fromStdString(reason)));
    else if (!m_controller.canBeAsked())
        m_empty->setSentence(tr("Press Run ({run}). %1").arg(shows));
    else if (!m_picker->isChosenInRun())
        m_empty->setSentence(tr("%1 is not in this run; it will be in the next.").arg(name));
    else if (m_taken && !m_taken->trouble.empty())
        m_empty->setSentence(tr("There is nothing to show: %1.").arg(QString::fromStdString(m_taken->trouble)));
    else
        m_empty->setSentence(tr("Waiting for the first snapshot of %1.").arg(name));
}

void SignalLensView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    ask(m_wanted);
    take();
}

void SignalLensView::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    ask({});
}

} // namespace unroll
