// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/theme.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMetaEnum>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

Result<QVector<QColor>> readMap(const QJsonObject& maps, const QString& name, const std::string& place)
{
    QVector<QColor> colors;
    for (const auto& entry : maps[name].toArray())
        colors.append(QColor(entry.toString()));
    const bool valid = std::all_of(colors.begin(), colors.end(), [](const QColor& color) { return color.isValid(); });
    if (!valid || colors.size() < 2)
        return fail("map '" + name.toStdString() + "' needs at least two colours, written #rrggbb", place);
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
    QJsonParseError parse;
    const QJsonObject root = QJsonDocument::fromJson(json, &parse).object();
    if (parse.error != QJsonParseError::NoError)
        return fail(parse.errorString().toStdString() + " at byte " + std::to_string(parse.offset), place);
    Theme theme;
    theme.m_name = root["name"].toString();
    theme.m_dark = root["dark"].toBool();
    const QJsonObject colors = root["colors"].toObject();
    for (std::size_t i = 0; i < roleCount; ++i) {
        const QString key = roleKey(static_cast<Role>(i));
        theme.m_colors[i] = QColor(colors[key].toString());
        if (!theme.m_colors[i].isValid())
            return fail("colour '" + key.toStdString() + "' is missing or not written #rrggbb", place);
    }
    if (static_cast<std::size_t>(colors.size()) != roleCount)
        return fail("there are colours that no role uses", place);
    auto diverging = readMap(root["maps"].toObject(), "diverging", place);
    auto sequential = readMap(root["maps"].toObject(), "sequential", place);
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
