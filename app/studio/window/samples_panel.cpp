// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/samples_panel.h"

#include "app/studio/document/forecasts.h"
#include "app/studio/inspector/number_field.h"
#include "app/studio/lenses/forecast/forecast_view.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/empty_state.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/style.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>
#include <algorithm>

namespace unroll {

namespace {

/// What a temperature may be is said once.
const ParamSpec& temperatureSetting()
{
    const auto& specs = trainSettingSpecs();
    return *std::find_if(specs.begin(), specs.end(),
                         [](const auto& spec) { return spec.name == "sample_temperature"; });
}

} // namespace

SamplesPanel::SamplesPanel(const Document& document, RunController& controller, const Appearance& appearance,
                           QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_controller(controller),
      m_appearance(appearance),
      m_pages(new QStackedWidget),
      m_text(new QTextBrowser),
      m_forecast(new ForecastView(appearance))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(0);
    m_pages->addWidget(new EmptyState(appearance, "samples", tr("No samples yet"),
                                      tr("Generated text, or predicted labels, appear here during training.")));
    m_pages->addWidget(m_text);
    m_pages->addWidget(new EmptyState(
        appearance, "curves", tr("No forecast yet"),
        tr("Press Run ({run}): predictions on the first validation window are drawn here beside the actual values.")));
    m_pages->addWidget(m_forecast); // in the order of Page
    m_text->setAccessibleName(tr("Samples"));
    m_text->document()->setDocumentMargin(space::m - kFocusRing);
    column->addWidget(m_pages, 1);
    column->addWidget(m_controls = controls());
    connect(&controller, &RunController::snapshotChanged, this, &SamplesPanel::refresh);
    connect(&controller, &RunController::stateChanged, this, &SamplesPanel::refresh);
    connect(&controller, &RunController::runChanged, this, &SamplesPanel::refresh);
    connect(&document, &Document::replaced, this, [this] { takeSettings(true); });
    connect(&document, &Document::settingsChanged, this, [this] { takeSettings(false); });
    connect(&document, &Document::checkedChanged, this, &SamplesPanel::refresh);
    connect(&appearance, &Appearance::changed, this, &SamplesPanel::showSamples);
    takeSettings(true);
    refresh();
}

QWidget* SamplesPanel::controls()
{
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(space::m, space::xs, space::m, space::s);
    row->setSpacing(space::s);
    m_prompt = new QLineEdit;
    m_prompt->setPlaceholderText(tr("prompt"));
    m_prompt->setAccessibleName(tr("Prompt"));
    m_temperature = new NumberField(NumberKind::Real);
    m_temperature->setAccessibleName(tr("Temperature"));
    m_temperature->setToolTip(tr(
        "Temperature: 0 takes the likeliest character, 1 samples from the model's distribution. Top k, top p and the "
        "stop text are training settings."));
    const ParamSpec& setting = temperatureSetting();
    m_temperature->setRange(setting.minimum, setting.maximum, true);
    m_appearance.follow(*m_temperature, [this] {
        m_temperature->setFixedWidth(m_temperature->fontMetrics().horizontalAdvance("0.00") + 2 * space::l + space::s);
    });
    m_ask = new QPushButton(tr("Sample"));
    row->addWidget(m_prompt, 1);
    row->addWidget(m_temperature);
    row->addWidget(m_ask);
    const auto ask = [this] {
        const auto temperature = m_temperature->number();
        m_temperature->finish(); // what will not do is said, and nothing is drawn with another one
        if (!m_ask->isEnabled() || !temperature)
            return;
        SamplingRule rule = m_document.training().samplingRule(); // what has no field here is among the settings
        rule.temperature = std::get<double>(*temperature);
        m_controller.sample(m_prompt->text().toStdString(), m_document.training().sampleTokens, rule);
    };
    connect(m_ask, &QPushButton::clicked, this, ask);
    connect(m_prompt, &QLineEdit::returnPressed, this, ask);
    return bar;
}

/// What is written here lasts until that setting changes, or another experiment comes.
void SamplesPanel::takeSettings(bool all)
{
    const TrainSettings now = m_document.training();
    if (all || now.samplePrompt != m_settings.samplePrompt)
        m_prompt->setText(QString::fromStdString(now.samplePrompt));
    if (all || now.sampleTemperature != m_settings.sampleTemperature)
        m_temperature->setNumber(now.sampleTemperature);
    m_settings = now;
}

void SamplesPanel::refresh()
{
    const bool drawn = forecasts(m_document);
    m_controller.ask(*this, drawn ? std::optional(forecastQuery()) : std::nullopt);
    m_controls->setVisible(!drawn);
    for (QWidget* ofText :
         std::initializer_list<QWidget*>{m_prompt, m_temperature}) // series have their labels told as they are
        ofText->setVisible(!m_document.readsNumbers());
    m_ask->setEnabled(m_controller.canBeAsked() && !drawn);
    if (drawn)
        return showForecast();
    const auto& samples = m_controller.snapshot()->samples;
    const std::pair<std::size_t, std::int64_t> now(samples.size(), samples.empty() ? -1 : samples.back().step);
    m_pages->setCurrentIndex(samples.empty() ? NoSamples : Samples);
    if (now == m_shown)
        return;
    m_shown = now;
    showSamples();
}

/// Drawn where somebody sees it; what comes while it is hidden is drawn when it is shown.
void SamplesPanel::showForecast()
{
    const auto forecast = dataOf<ForecastData>(m_controller.snapshot()->frameOf(forecastQuery()));
    m_pages->setCurrentIndex(forecast ? Forecasts : NoForecast);
    if (isVisible() || !forecast)
        m_forecast->setForecast(forecast);
}

void SamplesPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void SamplesPanel::showSamples()
{
    const Theme& theme = m_appearance.theme();
    const QFont mono = m_appearance.font(Type::Mono);
    QString html;
    const auto& samples = m_controller.snapshot()->samples;
    for (auto sample = samples.rbegin(); sample != samples.rend(); ++sample) {
        html += QStringLiteral("<p style='margin:0 0 %1px 0; color:%2; font-size:%3px'>%4</p>")
                    .arg(space::xs)
                    .arg(theme[Theme::Role::TextDim].name())
                    .arg(m_appearance.font(Type::Caption).pixelSize())
                    .arg(tr("step %1").arg(countText(sample->step)));
        html += QStringLiteral("<p style='margin:0 0 %1px 0; font-family:\"%2\"; font-size:%3px; white-space:pre-wrap; "
                               "line-height:130%'>%4</p>")
                    .arg(space::m)
                    .arg(mono.families().join("\",\""))
                    .arg(mono.pixelSize())
                    .arg(QString::fromStdString(sample->text).trimmed().toHtmlEscaped());
    }
    const int scrolled = m_text->verticalScrollBar()->value();
    m_text->setHtml(html);
    m_text->verticalScrollBar()->setValue(scrolled);
}

} // namespace unroll
