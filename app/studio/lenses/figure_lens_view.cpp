// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/figure_lens_view.h"

#include "app/studio/lenses/kept_page.h"
#include "app/studio/theme/appearance.h"
#include "core/figure/figure_csv.h"
#include "core/runs/run_names.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace unroll {

FigureLensView::FigureLensView(const std::string& lens, const LensDesk& desk, QWidget* parent)
    : FigureLensView(lens, desk, new FigureView(desk.appearance), parent)
{}

FigureLensView::FigureLensView(const std::string& lens, const LensDesk& desk, FigureView* view, QWidget* parent)
    : SignalLensView(lens, desk, view, "heat", parent), m_view(view)
{
    addToBar(saveButton());
    join();
    share();
}

void FigureLensView::join()
{
    ReadingCursor& cursor = desk().cursor;
    connect(&cursor, &ReadingCursor::changed, this, &FigureLensView::share);
    connect(m_view, &FigureView::stepPointed, &cursor, &ReadingCursor::pointAt);
    connect(m_view, &FigureView::stepHeld, &cursor, &ReadingCursor::hold);
    connect(m_view, &FigureView::released, &cursor, &ReadingCursor::release);
    connect(m_view, &FigureView::spanBrushed, &cursor, &ReadingCursor::setSpan);
    connect(m_view, &FigureView::unitsChosen, this, &FigureLensView::choose);
    connect(&m_saving, &FileSaving::saved, this,
            [this](const QString& path) { Q_EMIT told(tr("The view is saved in %1").arg(path)); });
    connect(&m_saving, &FileSaving::failed, this,
            [this](const QString& sentence) { Q_EMIT failed(tr("The view could not be saved. %1").arg(sentence)); });
}

void FigureLensView::draw(const std::shared_ptr<const LensFrame>& frame)
{
    m_view->setFigure(std::make_shared<const Figure>(frame->data->figure()));
    m_save->setEnabled(true);
    share();
}

/// Units of another signal are none of what is shown.
void FigureLensView::share()
{
    const ReadingCursor& cursor = desk().cursor;
    m_view->setShared({.step = cursor.step(),
                       .held = cursor.isHeld(),
                       .from = cursor.from(),
                       .to = cursor.to(),
                       .units = isSelectionHere() ? cursor.selection().units : std::vector<std::int64_t>{},
                       .mark = {}});
}

void FigureLensView::choose(std::string node, std::string signal, const std::vector<std::int64_t>& units)
{
    const bool own = node.empty() && signal.empty();
    desk().cursor.select({own ? this->node() : std::move(node), own ? this->signal() : std::move(signal), units});
}

QToolButton* FigureLensView::saveButton()
{
    m_save = new QToolButton;
    m_save->setObjectName("saveFigure");
    m_save->setIcon(desk().appearance.icon("save"));
    m_save->setPopupMode(QToolButton::InstantPopup);
    m_save->setAccessibleName(tr("Save the view"));
    m_save->setToolTip(tr("Save the view as an image or as numbers"));
    auto* menu = new QMenu(m_save);
    for (const auto& [words, format] :
         {std::pair{tr("Image (PNG) …"), FigureFormat::Png}, std::pair{tr("Drawing (SVG) …"), FigureFormat::Svg},
          std::pair{tr("Numbers (CSV) …"), FigureFormat::Csv}})
        connect(menu->addAction(words), &QAction::triggered, this, [this, format = format] { askForFile(format); });
    m_save->setMenu(menu);
    m_save->setEnabled(false);
    return m_save;
}

void FigureLensView::askForFile(FigureFormat format)
{
    const QString suffix = suffixOf(format);
    auto* dialog = new QFileDialog(this, tr("Save the view"), m_folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("%1 files (*.%2)").arg(suffix.toUpper(), suffix));
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(QString::fromStdString(lens().id).replace('_', '-') + '.' + suffix);
    connect(dialog, &QFileDialog::fileSelected, this, [this, format](const QString& path) { save(format, path); });
    dialog->open();
}

/// Pictures are drawn here and now; numbers are written where the file is, from the figure as it was.
void FigureLensView::save(FigureFormat format, const QString& path)
{
    if (const auto inRun = outsideRuns(path.toStdString()); !inRun) {
        Q_EMIT failed(tr("The view could not be saved. %1").arg(QString::fromStdString(inRun.error().text())));
        return;
    }
    const auto* kept = qobject_cast<const KeptPage*>(past());
    const auto figure = kept != nullptr ? kept->figure() : m_view->figure();
    if (!figure || m_saving.isBusy())
        return;
    m_folder = QFileInfo(path).absolutePath();
    if (format == FigureFormat::Csv)
        return m_saving.save(path, [figure] { return figureCsv(*figure); });
    const QByteArray picture = figurePicture(figure, desk().appearance, m_view->width(), format);
    m_saving.save(path, [picture] { return picture.toStdString(); });
}

/// Own views come before the general one.
const std::vector<LensViewEntry>& lensViews()
{
    static const std::vector<LensViewEntry> all = [] {
        std::vector<LensViewEntry> views;
        for (const auto& lens : allLenses()) {
            const std::string& id = lens->spec().id;
            const auto& own = ownLensViews();
            const auto found =
                std::find_if(own.begin(), own.end(), [&](const LensViewEntry& entry) { return entry.id == id; });
            views.push_back(found != own.end() ? *found : LensViewEntry{id, [id](const LensDesk& desk) {
                                                                            return new FigureLensView(id, desk);
                                                                        }});
        }
        return views;
    }();
    return all;
}

} // namespace unroll
