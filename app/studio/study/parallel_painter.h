// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/plot/colour_map.h"
#include "app/studio/study/parallel_places.h"

class QPainter;

namespace unroll {

class Appearance;

/// Colours of finished trials: stronger is better, in all views of a study.
QColor trialColour(const ColourMap& map, double rank);

/// Paints parallel coordinates once.
class ParallelPainter {
public:
    static constexpr std::size_t kMostLines = 2000; ///< the best of them are drawn

    ParallelPainter(QPainter& painter, const StudyPlot& plot, const ParallelPlaces& places,
                    const Appearance& appearance);

    void paintLines();                            ///< of all trials; those outside the brushes behind the others
    void paintAxes(const StudyWatch& watch);      ///< with their names and brushes
    void paintLine(std::size_t trial, bool held); ///< one that is pointed at or chosen, over the others
    void paintCursor(std::size_t axis, double share);

private:
    void paintTitle(std::size_t axis);
    void paintTicks(std::size_t axis);
    void paintBrush(std::size_t axis, const StudyBrush& brush);
    void paintPieces(std::size_t trial, const QPen& pen);
    void paintLabel(double right, double y, const QString& words);

    QPainter& m_painter;
    const StudyPlot& m_plot;
    const ParallelPlaces& m_places;
    const Appearance& m_appearance;
};

} // namespace unroll
