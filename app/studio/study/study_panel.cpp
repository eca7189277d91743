// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/study/study_panel.h"

#include "app/studio/study/study_figures.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"

#include <QBuffer>
#include <QClipboard>
#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QVBoxLayout>
#include <utility>

namespace unroll {

namespace {

enum StudyPage { NoTrialsPage, TrialsPage };

constexpr double kWideStudy = 1.5; ///< width by height from which views and table stand side by side

} // namespace

StudyPanel::StudyPanel(const Appearance& appearance, const QString& commandLine, QWidget* parent)
    : QWidget(parent),
      m_appearance(appearance),
      m_commandLine(commandLine),
      m_bar(new StudyBar(appearance)),
      m_words(new ElidedLabel),
      m_pages(new QStackedWidget),
      m_empty(new EmptyState(appearance, "curves", tr("No trials yet"), {})),
      m_parts(new QSplitter),
      m_views(new QStackedWidget),
      m_across(new QScrollArea),
      m_parallel(new ParallelView(appearance)),
      m_slices(new SlicesView(appearance)),
      m_importance(new FigureView(appearance)),
      m_reading(new ElidedLabel),
      m_table(new StudyTableView(appearance))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::xs, 0, 0);
    column->setSpacing(0);
    m_words->setProperty("tone", "dim");
    m_words->setContentsMargins(space::m, 0, space::m, 0);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(makeResults());
    column->addWidget(m_bar);
    column->addWidget(m_words);
    column->addWidget(m_pages, 1);
    m_news.setInterval(kNewsMilliseconds);
    m_news.setSingleShot(true);
    connect(&m_news, &QTimer::timeout, this, &StudyPanel::refresh);
    connect(&m_process, &StudyProcess::changed, this, &StudyPanel::refresh);
    connect(&m_process, &StudyProcess::noted, this, &StudyPanel::failed);
    connect(&m_process, &StudyProcess::ended, this, [this](const QString& trouble) {
        m_trouble = trouble;
        refresh();
        showState();
    });
    connect(&m_disk, &DiskThread::failed, this, &StudyPanel::failed);
    connect(&m_saving, &FileSaving::failed, this, &StudyPanel::failed);
    connect(&m_saving, &FileSaving::saved, this, &StudyPanel::saved);
    connectBar();
    connectViews();
    showEmpty(tr("A study searches for good settings. Open its .toml file by File > Open Study, or drop it here."));
}

QWidget* StudyPanel::makeResults()
{
    m_across->setWidget(m_parallel);
    m_across->setWidgetResizable(true);
    m_across->setFrameShape(QFrame::NoFrame);
    m_across->setFocusPolicy(Qt::NoFocus);
    m_across->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (QWidget* view : std::initializer_list<QWidget*>{m_across, m_slices, m_importance})
        m_views->addWidget(view);
    m_reading->setProperty("tone", "dim");
    m_reading->setObjectName("studyReading");
    m_reading->setContentsMargins(space::m, 0, space::m, space::xs);
    auto* upper = new QWidget;
    auto* column = new QVBoxLayout(upper);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::xs);
    column->addWidget(m_views, 1);
    column->addWidget(m_reading);
    m_parts->addWidget(upper);
    m_parts->addWidget(m_table);
    m_parts->setChildrenCollapsible(false);
    m_parts->setStretchFactor(0, 3);
    m_parts->setStretchFactor(1, 2);
    return m_parts;
}

void StudyPanel::connectBar()
{
    connect(m_bar, &StudyBar::viewChanged, this, &StudyPanel::showView);
    connect(m_bar, &StudyBar::logChanged, this, [this] {
        m_watch.logValue = m_bar->isLog();
        m_watch.brushes.erase(m_plot.results() != nullptr ? m_plot.valueAxis() : 0); // its shares mean other values
        redraw();
    });
    connect(m_bar, &StudyBar::startAsked, this, &StudyPanel::start);
    connect(m_bar, &StudyBar::stopAsked, this, [this] {
        m_process.stop();
        showState();
    });
    connect(m_bar, &StudyBar::openAsked, this, &StudyPanel::askForStudy);
    connect(m_bar, &StudyBar::clearAsked, this, &StudyPanel::clearBrushes);
    connect(m_bar, &StudyBar::bestAsked, this, [this] {
        if (const auto best = m_results != nullptr ? m_results->best() : std::nullopt)
            openTrial(m_results->trials[*best].number);
    });
    connect(m_bar, &StudyBar::copyAsked, this,
            [this] { QGuiApplication::clipboard()->setText(m_table->asMarkdown()); });
    connect(m_bar, &StudyBar::pictureAsked, this, &StudyPanel::savePicture);
    connect(m_table, &StudyTableView::copyAsked, m_bar, &StudyBar::copyAsked);
}

void StudyPanel::connectViews()
{
    connect(m_parallel, &ParallelView::pointedAt, m_reading, &ElidedLabel::setText);
    connect(m_parallel, &ParallelView::brushed, this, &StudyPanel::setBrush);
    connect(m_parallel, &ParallelView::brushesCleared, this, &StudyPanel::clearBrushes);
    connect(m_parallel, &ParallelView::chosen, this, &StudyPanel::choose);
    connect(m_parallel, &ParallelView::openAsked, this, &StudyPanel::openTrial);
    connect(m_parallel, &ParallelView::shown, this,
            [this](const QPoint& at) { m_across->ensureVisible(at.x(), at.y(), space::xl, 0); });
    connect(m_slices, &SlicesView::pointedAt, m_reading, &ElidedLabel::setText);
    connect(m_slices, &SlicesView::chosen, this, &StudyPanel::choose);
    connect(m_slices, &SlicesView::openAsked, this, &StudyPanel::openTrial);
    connect(m_table, &StudyTableView::chosen, this, &StudyPanel::choose);
    connect(m_table, &StudyTableView::openAsked, this, &StudyPanel::openTrial);
}

void StudyPanel::open(const QString& path)
{
    m_path = QDir::cleanPath(QFileInfo(path).absoluteFilePath());
    m_file.clear();
    m_hasFile = false;
    m_stamp.clear();
    m_trouble.clear();
    m_results.reset();
    m_watch = {.brushes = {}, .chosen = {}, .logValue = m_bar->isLog()};
    m_plot = {};
    refresh();
    Q_EMIT opened();
}

void StudyPanel::start()
{
    if (!isFree() || !m_hasFile)
        return;
    m_trouble.clear();
    m_process.start(m_commandLine, m_file, m_bar->workers());
    showState();
    refresh();
}

/// A look at a time: what comes meanwhile is looked for afterwards.
void StudyPanel::refresh()
{
    if (m_path.isEmpty())
        return;
    if (std::exchange(m_isReading, true)) {
        m_isStale = true;
        return;
    }
    m_isStale = false;
    m_disk.ask([this, path = m_path, stamp = m_stamp](const std::stop_token&) -> DiskThread::Answer {
        return [this, news = lookAtStudy(path, stamp)] { take(news); };
    });
}

void StudyPanel::take(const StudyNews& news)
{
    m_isReading = false;
    if (news.path != m_path)
        return refresh();
    m_hasFile = news.hasFile;
    m_file = news.place ? QString::fromStdString(news.place->file.string()) : QString();
    const QString name = QFileInfo(m_file).fileName();
    if (!news.place || news.stamp.empty() || !news.results) {
        m_results.reset();
        m_stamp = news.stamp;
        showEmpty(!news.place ? tr("No study can be shown: %1.").arg(QString::fromStdString(news.place.error().text()))
                  : !news.stamp.empty()
                      ? tr("This study cannot be shown. %1").arg(QString::fromStdString(news.results.error().text()))
                      : tr("%1 has no results yet. Start trains its trials.").arg(name));
    } else if (news.isNew) {
        if (m_results != nullptr && m_results->axes.size() != (*news.results)->axes.size())
            m_watch.brushes.clear(); // they are of other axes
        m_results = *news.results;
        m_stamp = news.stamp;
        m_pages->setCurrentIndex(TrialsPage);
        redraw();
    }
    showState();
    if (m_isStale)
        refresh();
    else if (isVisible() && news.place)
        m_news.start();
}

void StudyPanel::showEmpty(const QString& sentence)
{
    m_sentence = sentence;
    m_empty->setSentence(sentence);
    m_pages->setCurrentIndex(NoTrialsPage);
    m_bar->showResults(false, false);
    showState();
}

QString StudyPanel::shownText() const
{
    return isEmpty() && m_words->text().isEmpty() ? m_sentence : m_words->text();
}

/// It said so when it wrote, and it has written since.
bool StudyPanel::isTrainedElsewhere() const
{
    const double now = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000;
    return isFree() && m_results->isRunning && now - m_results->written < kSilentSeconds;
}

QString StudyPanel::progressText() const
{
    const auto done = static_cast<std::int64_t>(m_results->doneCount());
    if (m_process.isStopping())
        return tr("Stopping");
    if (m_process.isRunning())
        return tr("Training");
    if (isTrainedElsewhere())
        return tr("Trained by another program");
    if (m_results->isRunning)
        return tr("Interrupted at %1")
            .arg(QDateTime::fromSecsSinceEpoch(static_cast<qint64>(m_results->written))
                     .toString(QStringLiteral("yyyy-MM-dd HH:mm")));
    return m_results->wanted && done >= *m_results->wanted ? tr("Done") : tr("Stopped");
}

QString StudyPanel::stateText() const
{
    const std::size_t done = m_results->doneCount();
    QString words = progressText() + QStringLiteral(", ");
    words += m_results->wanted ? tr("%1 of %2 trials.").arg(done).arg(*m_results->wanted) : tr("%1 trials.").arg(done);
    words += ' ' + (m_results->maximize ? tr("%1 of %2, maximized by %3.") : tr("%1 of %2, minimized by %3."))
                       .arg(QString::fromStdString(m_results->metric), QString::fromStdString(m_results->experiment),
                            QString::fromStdString(m_results->sampler));
    if (!m_watch.brushes.empty())
        words += ' ' + tr("%1 trials are within the ranges.").arg(m_plot.withinCount());
    return m_trouble.isEmpty() ? words : m_trouble + ' ' + words;
}

void StudyPanel::showState()
{
    const QString words = m_results != nullptr    ? stateText()
                          : !m_trouble.isEmpty()  ? m_trouble
                          : m_process.isRunning() ? tr("Training")
                                                  : QString();
    m_words->setText(words);
    m_words->setVisible(!words.isEmpty());
    const bool isDone = m_results != nullptr && m_results->wanted &&
                        static_cast<std::int64_t>(m_results->doneCount()) >= *m_results->wanted;
    const QString why = m_path.isEmpty() ? tr("No study is open.")
                        : !m_hasFile     ? tr("The study's .toml file is not there.")
                                         : tr("All trials of the study are done.");
    m_bar->showDoing(m_process.isStopping()  ? StudyBar::Doing::Stopping
                     : m_process.isRunning() ? StudyBar::Doing::Running
                                             : StudyBar::Doing::Nothing,
                     m_hasFile && !isDone, why);
    m_bar->showResults(m_results != nullptr, m_results != nullptr && m_plot.canBeLog());
    m_bar->showBrushed(m_results != nullptr && !m_watch.brushes.empty());
    showBest();
}

void StudyPanel::showBest()
{
    const auto best = m_results != nullptr ? m_results->best() : std::nullopt;
    if (!best)
        return m_bar->showBest({}, {});
    const StudyTrial& trial = m_results->trials[*best];
    m_bar->showBest(tr("Best %1").arg(readingText(*trial.value)), tr("Open the run of trial %1").arg(trial.number));
}

void StudyPanel::redraw()
{
    if (m_results == nullptr)
        return;
    m_plot = StudyPlot(m_results, m_watch);
    m_table->setPlot(m_plot, m_watch);
    showView();
    showState();
}

/// What is not seen is drawn when it is.
void StudyPanel::showView()
{
    if (m_plot.results() == nullptr)
        return;
    m_views->setCurrentIndex(static_cast<int>(m_bar->view()));
    switch (m_bar->view()) {
    case StudyBar::View::Parallel: m_parallel->setPlot(m_plot, m_watch); break;
    case StudyBar::View::Slices: m_slices->setPlot(m_plot, m_watch); break;
    case StudyBar::View::Importance:
        m_importance->setFigure(std::make_shared<const Figure>(studyImportances(m_plot)));
        break;
    }
}

void StudyPanel::openTrial(std::int64_t number)
{
    const auto trial = m_plot.indexOf(number);
    if (!trial)
        return;
    const StudyTrial& of = m_results->trials[*trial];
    const QString folder = QString::fromStdString(of.run.string());
    if (folder.isEmpty() || !QFileInfo::exists(folder))
        Q_EMIT failed(of.failure.empty() ? tr("Trial %1 has no run here: %2 is missing.").arg(number).arg(folder)
                                         : tr("Trial %1 has no run: %2").arg(number).arg(of.failure.c_str()));
    else
        Q_EMIT runAsked(folder);
}

void StudyPanel::setBrush(std::size_t axis, const std::optional<StudyBrush>& brush)
{
    brush ? void(m_watch.brushes[axis] = *brush) : void(m_watch.brushes.erase(axis));
    redraw();
}

void StudyPanel::clearBrushes()
{
    m_watch.brushes.clear();
    redraw();
}

void StudyPanel::choose(std::optional<std::int64_t> trial)
{
    if (trial == m_watch.chosen)
        return;
    m_watch.chosen = trial;
    redraw();
}

void StudyPanel::savePicture()
{
    auto* dialog = new QFileDialog(this, tr("Save"), QFileInfo(m_file).path(), tr("Images (*.png)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(QFileInfo(m_file).completeBaseName() + ".png");
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        constexpr int kPixelsAUnit = 2;
        QWidget& view = *m_views->currentWidget();
        QImage image(view.size() * kPixelsAUnit, QImage::Format_RGB32);
        image.setDevicePixelRatio(kPixelsAUnit);
        image.fill(m_appearance.theme()[Theme::Role::Panel]);
        view.render(&image);
        QBuffer bytes;
        bytes.open(QIODevice::WriteOnly);
        image.save(&bytes, "PNG");
        if (!m_saving.isBusy())
            m_saving.save(path, [data = bytes.data().toStdString()] { return data; });
    });
    dialog->open();
}

void StudyPanel::askForStudy()
{
    auto* dialog =
        new QFileDialog(this, tr("Open a study"), m_file.isEmpty() ? QDir::homePath() : QFileInfo(m_file).path(),
                        tr("Studies (*.toml *.study.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &StudyPanel::open);
    dialog->open();
}

void StudyPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void StudyPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const Qt::Orientation wanted = width() > kWideStudy * height() ? Qt::Horizontal : Qt::Vertical;
    if (m_isDivided && m_parts->orientation() == wanted)
        return;
    m_parts->setOrientation(wanted);
    m_parts->setSizes({3, 2}); // until a hand moves the handle
    m_isDivided = true;
}

} // namespace unroll
