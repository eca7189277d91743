// SPDX-License-Identifier: GPL-3.0-or-later
// What leaves the panel: files and the clipboard.
#include "app/studio/curves/curves_panel.h"
#include "app/studio/curves/curves_table.h"
#include "app/studio/plot/chart_image.h"
#include "core/runs/run_names.h"

#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>

namespace unroll {

namespace {

QString suffixOf(CurvesBar::Format format)
{
    switch (format) {
    case CurvesBar::Format::Png: return QStringLiteral("png");
    case CurvesBar::Format::Svg: return QStringLiteral("svg");
    default: return QStringLiteral("csv");
    }
}

} // namespace

void CurvesPanel::save(CurvesBar::Format format, const QString& path)
{
    if (const auto inRun = outsideRuns(path.toStdString()); !inRun) {
        Q_EMIT notSaved(QString::fromStdString(inRun.error().text()));
        return;
    }
    m_folder = QFileInfo(path).absolutePath();
    m_saving.save(path, bytesOf(format));
}

/// Pictures are drawn here and now; a table is made where it is written, from a copy of the numbers.
std::function<std::string()> CurvesPanel::bytesOf(CurvesBar::Format format)
{
    if (m_dirty)
        redraw();
    if (format == CurvesBar::Format::Csv)
        return [run = m_run, others = m_overlays, choice = m_bar->choice(), name = tr("this run").toStdString()] {
            return curvesTable(run, others, choice, name);
        };
    const QByteArray picture =
        format == CurvesBar::Format::Png ? chartPng(*m_chart, m_appearance) : chartSvg(*m_chart, m_appearance);
    return [picture] { return picture.toStdString(); };
}

void CurvesPanel::askForFile(CurvesBar::Format format)
{
    const QString suffix = suffixOf(format);
    auto* dialog = new QFileDialog(this, tr("Save the curves"), m_folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("%1 files (*.%2)").arg(suffix.toUpper(), suffix));
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(m_bar->choice().title.toLower().replace(' ', '-') + '.' + suffix);
    connect(dialog, &QFileDialog::fileSelected, this, [this, format](const QString& path) { save(format, path); });
    dialog->open();
}

void CurvesPanel::copyPicture()
{
    QGuiApplication::clipboard()->setImage(chartImage(*m_chart, m_appearance));
}

} // namespace unroll
