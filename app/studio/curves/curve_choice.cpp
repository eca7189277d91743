// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/curves/curve_choice.h"

#include <QCoreApplication>
#include <cmath>
#include <numbers>

namespace unroll {

namespace {

std::vector<CurveChoice> makeChoices()
{
    using Best = CurveChoice::Best;
    using Scale = CurveChoice::Scale;
    const auto tr = [](const char* text) { return QCoreApplication::translate("CurvesPanel", text); };
    return {
        {.title = tr("Loss"),
         .axis = tr("nats/token"),
         .rawName = tr("train"),
         .raw = "train/loss",
         .marked = "val/loss",
         .best = Best::Least,
         .hasFloor = true},
        {.title = tr("Validation loss"),
         .axis = tr("nats/token"),
         .rawName = {},
         .raw = {},
         .marked = "val/loss",
         .best = Best::Least,
         .hasFloor = true},
        {.title = tr("Perplexity"),
         .axis = tr("perplexity per token"),
         .rawName = tr("train"),
         .raw = "train/loss",
         .marked = "val/loss",
         .best = Best::Least,
         .hasFloor = true,
         .scale = Scale::Perplexity},
        {.title = tr("Bits per character"),
         .axis = tr("bits/character"),
         .rawName = tr("train"),
         .raw = "train/loss",
         .marked = "val/loss",
         .best = Best::Least,
         .hasFloor = true,
         .scale = Scale::Bits},
        {.title = tr("Accuracy"),
         .axis = tr("fraction correct"),
         .rawName = {},
         .raw = {},
         .marked = "val/acc",
         .best = Best::Greatest},
        {.title = tr("Gradient norm"), .axis = tr("norm"), .rawName = tr("norm"), .raw = "optim/grad_norm"},
        {.title = tr("Learning rate"), .axis = tr("rate"), .rawName = tr("rate"), .raw = "optim/lr", .isNoisy = false},
        {.title = tr("Speed"), .axis = tr("tokens/s"), .rawName = tr("speed"), .raw = "perf/tokens_per_s"}};
}

} // namespace

double CurveChoice::shown(double measured) const
{
    switch (scale) {
    case Scale::Perplexity: return std::exp(measured);
    case Scale::Bits: return measured / std::numbers::ln2;
    case Scale::AsMeasured: break;
    }
    return measured;
}

std::string CurveChoice::column(const std::string& metric) const
{
    const std::string loss = "loss";
    if (scale == Scale::AsMeasured || !metric.ends_with(loss))
        return metric;
    return metric.substr(0, metric.size() - loss.size()) + (scale == Scale::Bits ? "bpc" : "ppl");
}

const std::vector<CurveChoice>& curveChoices()
{
    static const auto* list = new std::vector<CurveChoice>(makeChoices());
    return *list;
}

} // namespace unroll
