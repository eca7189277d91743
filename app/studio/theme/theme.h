// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/block/spec.h"

#include <QColor>
#include <QObject>
#include <QVector>
#include <array>

namespace unroll {

/// Every colour of the studio, read from resources/themes/<name>.json. A plain value.
class Theme {
    Q_GADGET
public:
    /// In the file under the same name with a small first letter. Text roles stand on the surface in their comment with
    /// a contrast of at least 4.5, marks and lines that carry meaning with at least 3 (see theme_test).
    enum class Role {
        // Surfaces
        Window,
        Panel,
        Field,
        FieldBorder,
        Border,
        Hover,
        Pressed,
        Selection,
        // Text on any of the surfaces
        Text,
        TextDim,
        TextDisabled,
        Link,
        Accent,
        AccentHover,
        TextOnAccent,
        Focus,
        Tooltip,
        TooltipText,
        ScrollHandle,
        ScrollHandleHover,
        // What went wrong or right: a mark, a fill, text on that fill
        Error,
        ErrorFill,
        ErrorText,
        Warning,
        WarningFill,
        WarningText,
        Good,
        Note,
        NoteFill,
        BadgeText,
        // Canvas
        Canvas,
        CanvasDot,
        NodeBody,
        NodeBorder,
        NodeShadow,
        NodeSelected,
        WireLabel,
        BoxSelect,
        // Comments on the canvas: what is behind the nodes, the strip of the title, the edge, the title
        FrameFill,
        FrameTitle,
        FrameLine,
        FrameText,
        // Charts
        ChartGrid,
        ChartAxis,
        ChartRaw,
        ChartTrain,
        ChartValidation,
        ChartFloor,
        ChartOverlay1, // runs drawn beside this one
        ChartOverlay2,
        ChartOverlay3,
        ChartOverlay4,
        ChartOverlay5,
        ChartOverlay6,
        ChartOverlay7,
        ChartOverlay8,
        Crosshair,
        // Heat maps
        HeatMissing,
        HeatFrame,
        // Node headers by category: fill, text on it, a stronger line
        CategoryData,
        CategoryDataText,
        CategoryDataLine,
        CategoryEmbedding,
        CategoryEmbeddingText,
        CategoryEmbeddingLine,
        CategoryRecurrent,
        CategoryRecurrentText,
        CategoryRecurrentLine,
        CategoryAttention,
        CategoryAttentionText,
        CategoryAttentionLine,
        CategoryLayer,
        CategoryLayerText,
        CategoryLayerLine,
        CategoryCombine,
        CategoryCombineText,
        CategoryCombineLine,
        CategoryOutput,
        CategoryOutputText,
        CategoryOutputLine,
        CategoryGroup,
        CategoryGroupText,
        CategoryGroupLine,
        // Ports and wires by type, and the letter inside a port
        TypeTokens,
        TypeSequence,
        TypeVector,
        TypeState,
        TypeMask,
        TypeTargets,
        TypeTargetValues,
        TypeLoss,
        TypeTable,
        TypeLetter,
    };
    Q_ENUM(Role)
    static constexpr std::size_t kRoleCount = static_cast<std::size_t>(Role::TypeLetter) + 1;

    /// Errors: not JSON, a role that is missing, unknown, or not a colour.
    static Result<Theme> fromJson(const QByteArray& json, const QString& source);
    static QString roleKey(Role role); ///< the role's name in the file

    QColor color(Role role) const { return m_colors[static_cast<std::size_t>(role)]; }
    QColor operator[](Role role) const { return color(role); }
    QColor categoryFill(Category category) const;
    QColor categoryText(Category category) const;
    QColor categoryLine(Category category) const;
    QColor portColor(PortType type) const;
    bool isDark() const { return m_dark; }
    const QString& name() const { return m_name; }
    /// Control colours of the heat maps, from the least value to the greatest; the diverging map's middle one is zero.
    const QVector<QColor>& divergingMap() const { return m_diverging; }
    const QVector<QColor>& sequentialMap() const { return m_sequential; }

private:
    QString m_name;
    bool m_dark = false;
    std::array<QColor, kRoleCount> m_colors;
    QVector<QColor> m_diverging;
    QVector<QColor> m_sequential;
};

/// A channel of sRGB, 0..1, as linear light: IEC 61966-2-1.
double linearChannel(double channel);
/// Contrast of two opaque colours, 1..21: WCAG 2.1, relative luminance.
double contrastRatio(const QColor& a, const QColor& b);

} // namespace unroll
