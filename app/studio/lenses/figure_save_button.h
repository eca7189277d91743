// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/file_saving.h"
#include "app/studio/figure/figure_picture.h"
#include "app/studio/lenses/lens_view.h"
#include "core/figure/figure_source.h"

#include <QToolButton>

namespace unroll {

/// What a view shows, and where it is from.
struct ShownFigure {
    std::shared_ptr<const Figure> figure; ///< null: nothing is shown
    FigureSource source = {};
};

/// The figure of this answer; null or without data: nothing.
ShownFigure shownFigure(const std::shared_ptr<const LensFrame>& frame);

/// A menu that saves what a view shows: as a picture, or as the numbers that the command line writes.
class FigureSaveButton : public QToolButton {
    Q_OBJECT
public:
    explicit FigureSaveButton(const Appearance& appearance, QWidget* parent = nullptr);

    /// `width` of a picture, pixels, is that of the view.
    void setShown(ShownFigure shown, const QWidget& view);
    /// Writes it; noted() or failed() says how it went. Only while there is something, and none is being written.
    void save(FigureFormat format, const QString& path);

Q_SIGNALS:
    void noted(const QString& words);
    void failed(const QString& sentence);

private:
    void askForFile(FigureFormat format);

    const Appearance& m_appearance;
    ShownFigure m_shown;
    const QWidget* m_view = nullptr;
    FileSaving m_saving;
    QString m_folder; ///< where a file was saved last
};

} // namespace unroll
