// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/state_saving.h"

#include "app/studio/figure/figure_picture.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "core/format/npz.h"

#include <QBuffer>
#include <QPainter>
#include <fmt/format.h>

namespace unroll {

namespace {

std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char byte : text)
        out += byte == '"' ? std::string("\"\"") : std::string(1, byte);
    return out + '"';
}

std::string nameOf(const SignalFrame& signal)
{
    return signal.node + "." + signal.signal;
}

} // namespace

std::shared_ptr<const StateData> drawnIn(const HeatMapView& map)
{
    auto data = std::make_shared<StateData>();
    if (map.isEmpty())
        return data;
    const ProbeFrame& frame = map.data().frame();
    data->look.step = frame.step;
    data->look.characters = frame.characters;
    data->look.of = frame.of;
    data->look.signalFrames = {map.data().signal()};
    data->order = map.data().order();
    data->scale = map.data().unitScale();
    data->rows = map.data().rows();
    data->ranges = map.data().ranges();
    return data;
}

std::string stateCsv(const std::vector<std::shared_ptr<const StateData>>& signals)
{
    std::string csv = "signal,unit,step,label,value,drawn,phase\n";
    for (const auto& data : signals) {
        if (data->look.signalFrames.empty())
            continue;
        const SignalFrame& signal = data->look.signalFrames.front();
        const HeatCells cells = heatCells(signal), drawn = data->drawn();
        const std::vector<float> phases = phasesOf(signal);
        for (const std::int64_t unit : data->unitRowsDrawn())
            for (std::int64_t step = 0; step < cells.steps; ++step) {
                const auto at = static_cast<std::size_t>(step);
                const std::string label =
                    at < data->look.characters.size() ? quoted(data->look.characters[at]) : std::string();
                const std::string phase =
                    phases.empty() ? std::string()
                                   : fmt::format("{}", phases[static_cast<std::size_t>(step * cells.width + unit)]);
                csv += fmt::format("{},{},{},{},{},{},{}\n", quoted(nameOf(signal)), unit, step, label,
                                   cells.at(step, unit), drawn.at(step, unit), phase);
            }
    }
    return csv;
}

Result<void> writeStateNpz(const std::vector<std::shared_ptr<const StateData>>& signals, const std::string& path)
{
    std::vector<std::vector<float>> drawn;
    std::vector<std::vector<std::int64_t>> units;
    drawn.reserve(signals.size());
    units.reserve(signals.size());
    std::vector<format::TensorView> views;
    for (const auto& data : signals) {
        if (data->look.signalFrames.empty())
            continue;
        const SignalFrame& signal = data->look.signalFrames.front();
        views.push_back({nameOf(signal),
                         format::DType::F32,
                         {signal.steps, signal.width},
                         reinterpret_cast<const std::byte*>(signal.values.data()),
                         signal.values.size() * sizeof(float)});
        const HeatCells cells = data->drawn();
        units.push_back(data->unitRowsDrawn());
        auto& values = drawn.emplace_back();
        for (const std::int64_t unit : units.back())
            for (std::int64_t step = 0; step < cells.steps; ++step)
                values.push_back(cells.at(step, unit));
        views.push_back({nameOf(signal) + ".drawn",
                         format::DType::F32,
                         {cells.width, cells.steps},
                         reinterpret_cast<const std::byte*>(values.data()),
                         values.size() * sizeof(float)});
        views.push_back({nameOf(signal) + ".units",
                         format::DType::I64,
                         {cells.width},
                         reinterpret_cast<const std::byte*>(units.back().data()),
                         units.back().size() * sizeof(std::int64_t)});
    }
    const auto written = format::writeNpz(path, views);
    return written ? Result<void>() : tl::unexpected(written.error());
}

QByteArray stateSvg(const std::vector<std::shared_ptr<const StateData>>& signals, const Appearance& appearance,
                    int width)
{
    auto whole = std::make_shared<Figure>();
    for (const auto& data : signals) {
        Figure one = data->figure();
        if (whole->panels.empty())
            whole->shows = std::move(one.shows);
        whole->missing += one.missing;
        for (FigurePanel& panel : one.panels)
            whole->panels.push_back(std::move(panel));
    }
    return figurePicture(whole, appearance, width, FigureFormat::Svg);
}

QByteArray statePng(const StateStack& stack, const QString& shows, const Appearance& appearance)
{
    const QImage signalsPicture = stack.picture();
    const QFont font = appearance.font(Type::Body);
    const QRect room(space::m, space::s, static_cast<int>(signalsPicture.width() / 2.0) - 2 * space::m, 1000);
    const int head = QFontMetrics(font).boundingRect(room, Qt::TextWordWrap, shows).height() + 2 * space::s;
    QImage image(signalsPicture.width(), signalsPicture.height() + 2 * head, QImage::Format_RGB32);
    image.setDevicePixelRatio(2);
    image.fill(appearance.theme()[Theme::Role::Panel]);
    QPainter painter(&image);
    painter.setFont(font);
    painter.setPen(appearance.theme()[Theme::Role::Text]);
    painter.drawText(room, Qt::TextWordWrap, shows);
    painter.drawImage(QPointF(0, head), signalsPicture);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

} // namespace unroll
