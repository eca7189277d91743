// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"
#include "app/studio/run/run_controller.h"

#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTextBrowser>

namespace unroll {

class Appearance;
class ForecastView;
class NumberField;

/// Text the network made up, newest first, and a line to ask for more. Of a network of numbers its forecast instead.
class SamplesPanel : public QWidget {
    Q_OBJECT
public:
    SamplesPanel(const Document& document, RunController& controller, const Appearance& appearance,
                 QWidget* parent = nullptr);

    bool isEmpty() const { return m_pages->currentIndex() == NoSamples || m_pages->currentIndex() == NoForecast; }
    ForecastView& forecast() const { return *m_forecast; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    enum Page { NoSamples, Samples, NoForecast, Forecasts };
    QWidget* controls();
    void showForecast();
    void takeSettings(bool all);
    void refresh();
    void showSamples();

    const Document& m_document;
    RunController& m_controller;
    const Appearance& m_appearance;
    QStackedWidget* m_pages;
    QTextBrowser* m_text;
    ForecastView* m_forecast;
    QWidget* m_controls = nullptr;
    QLineEdit* m_prompt = nullptr;
    NumberField* m_temperature = nullptr;
    QPushButton* m_ask = nullptr;
    TrainSettings m_settings;                     ///< as last seen
    std::pair<std::size_t, std::int64_t> m_shown; ///< count and newest step of what is shown
};

} // namespace unroll
