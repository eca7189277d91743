// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/figure_save_button.h"

#include "app/studio/theme/appearance.h"
#include "core/export/place.h"
#include "core/figure/figure_csv.h"
#include "core/figure/write_figure.h"
#include "core/runs/run_names.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <utility>

namespace unroll {

ShownFigure shownFigure(const std::shared_ptr<const LensFrame>& frame)
{
    if (!frame || !frame->data)
        return {};
    const LensQuery& query = frame->query;
    const Lens* lens = findLens(query.lens);
    return {std::make_shared<const Figure>(frame->data->figure()),
            {query.lens, lens != nullptr ? lens->spec().title : query.lens, query.node, query.signal, query.settings,
             frame->step}};
}

FigureSaveButton::FigureSaveButton(const Appearance& appearance, QWidget* parent)
    : QToolButton(parent), m_appearance(appearance)
{
    setObjectName("saveFigure");
    setProperty(kSavesViewProperty, true);
    setIcon(appearance.icon("save"));
    setPopupMode(QToolButton::InstantPopup);
    setAccessibleName(tr("Save the view"));
    setToolTip(tr("Save the view as a picture or as numbers"));
    auto* menu = new QMenu(this);
    for (const auto& [words, format] :
         {std::pair{tr("Image (PNG) …"), FigureFormat::Png}, std::pair{tr("Drawing (SVG) …"), FigureFormat::Svg},
          std::pair{tr("Numbers (CSV) …"), FigureFormat::Csv}, std::pair{tr("Arrays (npz) …"), FigureFormat::Npz}})
        connect(menu->addAction(words), &QAction::triggered, this, [this, format = format] { askForFile(format); });
    setMenu(menu);
    setEnabled(false);
    connect(&m_saving, &FileSaving::saved, this,
            [this](const QString& path) { Q_EMIT noted(tr("The view is saved in %1").arg(path)); });
    connect(&m_saving, &FileSaving::failed, this,
            [this](const QString& sentence) { Q_EMIT failed(tr("The view could not be saved. %1").arg(sentence)); });
}

void FigureSaveButton::setShown(ShownFigure shown, const QWidget& view)
{
    m_shown = std::move(shown);
    m_view = &view;
    setEnabled(m_shown.figure != nullptr);
}

void FigureSaveButton::askForFile(FigureFormat format)
{
    const QString suffix = suffixOf(format);
    auto* dialog = new QFileDialog(this, tr("Save the view"), m_folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("%1 files (*.%2)").arg(suffix.toUpper(), suffix));
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(QString::fromStdString(m_shown.source.lens).replace('_', '-') + '.' + suffix);
    connect(dialog, &QFileDialog::fileSelected, this, [this, format](const QString& path) { save(format, path); });
    dialog->open();
}

/// Pictures are drawn here and now; numbers are written where the file is, from the figure as it was.
void FigureSaveButton::save(FigureFormat format, const QString& path)
{
    if (const auto inRun = outsideRuns(path.toStdString()); !inRun) {
        Q_EMIT failed(tr("The view could not be saved. %1").arg(QString::fromStdString(inRun.error().text())));
        return;
    }
    if (!m_shown.figure || m_saving.isBusy())
        return;
    m_folder = QFileInfo(path).absolutePath();
    const auto figure = m_shown.figure;
    if (format == FigureFormat::Csv)
        return m_saving.save(path, [figure] { return figureCsv(*figure); });
    if (format == FigureFormat::Npz)
        return m_saving.write(path, [figure, source = m_shown.source, file = path.toStdString()] {
            return writeFigureArrays(file, *figure, source, own::kSignals);
        });
    const QByteArray picture = figurePicture(figure, m_appearance, m_view->width(), format);
    m_saving.save(path, [picture] { return picture.toStdString(); });
}

} // namespace unroll
