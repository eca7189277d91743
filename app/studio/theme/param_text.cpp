// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/param_text.h"

#include "app/studio/theme/translated.h"
#include "core/block/spec.h"

#include <QLocale>
#include <cmath>

namespace unroll {

namespace {} // namespace

QString exactText(const ParamValue& number)
{
    if (const auto* whole = std::get_if<std::int64_t>(&number))
        return QString::number(*whole);
    const double real = std::get<double>(number);
    const double size = std::abs(real);
    if (size == 0 || (size >= 1e-5 && size < 1e9))
        return QString::number(real, 'f', QLocale::FloatingPointShortest);
    return QString::number(real, 'e', QLocale::FloatingPointShortest).replace("e-0", "e-").replace("e+0", "e+");
}

QString paramValueText(const ParamValue& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? tr("on") : tr("off");
    if (const auto* text = std::get_if<std::string>(&value))
        return text->empty() ? tr("nothing") : QString::fromStdString(*text);
    if (std::holds_alternative<ByCopy>(value))
        return QString::fromStdString(paramText(value));
    return exactText(value);
}

QString nameText(const std::string& name)
{
    return QString::fromStdString(name).replace('_', ' ');
}

} // namespace unroll
