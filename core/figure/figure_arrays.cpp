// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/figure_arrays.h"

#include "core/figure/array_names.h"

#include <cstring>
#include <type_traits>

namespace unroll {

namespace {

template <class Value>
constexpr format::DType dtypeOf()
{
    if constexpr (std::is_same_v<Value, float>)
        return format::DType::F32;
    else if constexpr (std::is_same_v<Value, double>)
        return format::DType::F64;
    else
        return format::DType::I64;
}

class Collector {
public:
    template <class Value>
    void add(const std::string& name, std::vector<std::int64_t> shape, const std::vector<Value>& values)
    {
        format::OwnedTensor array{name, dtypeOf<Value>(), std::move(shape), nullptr, values.size() * sizeof(Value)};
        array.data = std::make_unique<std::byte[]>(array.bytes);
        if (array.bytes > 0)
            std::memcpy(array.data.get(), values.data(), array.bytes);
        m_arrays.push_back(std::move(array));
    }

    template <class Value>
    void addRow(const std::string& name, const std::vector<Value>& values)
    {
        add(name, {std::ssize(values)}, values);
    }

    /// The same where there are values.
    template <class Value>
    void addSome(const std::string& name, const std::vector<Value>& values)
    {
        if (!values.empty())
            addRow(name, values);
    }

    void addSeries(const FigurePanel& panel, const FigureSeries& series)
    {
        const std::string name = m_names.take(panel.id, series.name, "series");
        addRow(name + ".x", series.x);
        addRow(name + ".y", series.y);
        addSome(name + ".low", series.low);
        addSome(name + ".high", series.high);
        addSome(name + ".shade", series.shade);
        addSome(name + ".units", series.units);
    }

    void addPanel(const FigurePanel& panel)
    {
        if (panel.cells) {
            const std::string name = m_names.take(panel.id, panel.cells->name, "cells");
            add(name, {panel.cells->rows, panel.cells->columns}, panel.cells->values);
            addSome(name + ".units", panel.cells->units);
        }
        for (const FigureSeries& series : panel.series)
            addSeries(panel, series);
        std::vector<double> circles, rules;
        for (const FigureCircle& circle : panel.circles)
            circles.insert(circles.end(), {circle.x, circle.y, circle.radius});
        for (const FigureRule& rule : panel.rules)
            rules.insert(rules.end(), {rule.vertical ? 1.0 : 0.0, rule.at});
        if (!circles.empty())
            add(m_names.take(panel.id, "circles", {}), {std::ssize(panel.circles), 3}, circles);
        if (!rules.empty())
            add(m_names.take(panel.id, "rules", {}), {std::ssize(panel.rules), 2}, rules);
    }

    void addArray(const FigureArray& array) { add(m_names.take({}, array.name, "array"), array.shape, array.values); }

    void addCount(const std::string& name, std::int64_t count)
    {
        add(m_names.take({}, name, {}), {}, std::vector<std::int64_t>{count});
    }

    std::vector<format::OwnedTensor> take() { return std::move(m_arrays); }

private:
    ArrayNames m_names;
    std::vector<format::OwnedTensor> m_arrays;
};

} // namespace

std::vector<format::OwnedTensor> figureArrays(const Figure& figure, const FigureSource& source)
{
    Collector all;
    all.addCount("missing", figure.missing);
    if (source.ofRun)
        all.addCount("training_step", source.step);
    for (const FigurePanel& panel : figure.panels)
        all.addPanel(panel);
    for (const FigureArray& array : figure.arrays)
        all.addArray(array);
    return all.take();
}

} // namespace unroll
