// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/theme.h"

#include "core/base/json.h"

#include <QMetaEnum>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

const Json* memberOf(const Json* object, const std::string& key)
{
    return object == nullptr ? nullptr : object->find(key);
}

QColor colorOf(const Json* value)
{
    const std::string* text = value == nullptr ? nullptr : value->asString();
    return text == nullptr ? QColor() : QColor(QString::fromStdString(*text));
}

Result<QVector<QColor>> readMap(const Json* maps, const std::string& name, const std::string& place)
{
    QVector<QColor> colors;
    const Json* map = memberOf(maps, name);
    if (const JsonArray* entries = map == nullptr ? nullptr : map->asArray())
        for (const Json& entry : *entries)
            colors.append(colorOf(&entry));
    const bool valid = std::all_of(colors.begin(), colors.end(), [](const QColor& color) { return color.isValid(); });
    if (!valid || colors.size() < 2)
        return fail("map '" + name + "' needs at least two colours, written #rrggbb", place);
    return colors;
}

Theme::Role roleAt(Theme::Role first, int offset)
{
    return static_cast<Theme::Role>(static_cast<int>(first) + offset);
}

double luminance(const QColor& color)
{
    return 0.2126 * linearChannel(color.redF()) + 0.7152 * linearChannel(color.greenF()) +
           0.0722 * linearChannel(color.blueF());
}

} // namespace

QString Theme::roleKey(Role role)
{
    QString key = QString::fromLatin1(QMetaEnum::fromType<Role>().valueToKey(static_cast<int>(role)));
    key[0] = key[0].toLower();
    return key;
}

Result<Theme> Theme::fromJson(const QByteArray& json, const QString& source)
{
    const std::string place = source.toStdString();
    const auto root = readJson({json.constData(), static_cast<std::size_t>(json.size())}, place);
    if (!root)
        return tl::unexpected(root.error());
    Theme theme;
    if (const Json* name = root->find("name"); name != nullptr && name->asString() != nullptr)
        theme.m_name = QString::fromStdString(*name->asString());
    if (const Json* dark = root->find("dark"); dark != nullptr && dark->asBool() != nullptr)
        theme.m_dark = *dark->asBool();
    const Json* colors = root->find("colors");
    for (std::size_t i = 0; i < kRoleCount; ++i) {
        const std::string key = roleKey(static_cast<Role>(i)).toStdString();
        theme.m_colors[i] = colorOf(memberOf(colors, key));
        if (!theme.m_colors[i].isValid())
            return fail("colour '" + key + "' is missing or not written #rrggbb", place);
    }
    if (colors->asObject()->size() != kRoleCount)
        return fail("there are colours that no role uses", place);
    const Json* maps = root->find("maps");
    auto diverging = readMap(maps, "diverging", place);
    auto sequential = readMap(maps, "sequential", place);
    if (!diverging || !sequential)
        return tl::unexpected(diverging ? sequential.error() : diverging.error());
    theme.m_diverging = *diverging;
    theme.m_sequential = *sequential;
    return theme;
}

QColor Theme::categoryFill(Category category) const
{
    return color(roleAt(Role::CategoryData, 3 * static_cast<int>(category)));
}

QColor Theme::categoryText(Category category) const
{
    return color(roleAt(Role::CategoryDataText, 3 * static_cast<int>(category)));
}

QColor Theme::categoryLine(Category category) const
{
    return color(roleAt(Role::CategoryDataLine, 3 * static_cast<int>(category)));
}

QColor Theme::portColor(PortType type) const
{
    return color(roleAt(Role::TypeTokens, static_cast<int>(type)));
}

double linearChannel(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double contrastRatio(const QColor& a, const QColor& b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

} // namespace unroll
