// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/kept_page.h"

#include "app/studio/lenses/reading_cursor.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"
#include "core/frames/figure_strip.h"

#include <QLabel>
#include <QVBoxLayout>

namespace unroll {

KeptPage::KeptPage(TrainingTime& time, const Appearance& appearance, ReadingCursor& cursor, QWidget* parent)
    : QStackedWidget(parent), m_time(time), m_appearance(appearance), m_cursor(cursor)
{
    connect(&time, &TrainingTime::changed, this, &KeptPage::refresh);
    connect(&time, &TrainingTime::keptChanged, this, &KeptPage::refresh);
    connect(&cursor, &ReadingCursor::changed, this, &KeptPage::share);
}

/// What is never gone back to needs no parts.
void KeptPage::make()
{
    m_empty = new EmptyState(m_appearance, "recent", tr("Nothing was kept"), {});
    m_words = new QLabel;
    m_view = new FigureView(m_appearance);
    m_words->setObjectName("keptText");
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(space::m, space::xs, space::m, 0);
    head->addWidget(m_words);
    column->addLayout(head);
    column->addWidget(m_view, 1);
    addWidget(m_empty);
    addWidget(page);
    join();
}

void KeptPage::join()
{
    const auto shared = [this](const auto& act) { // a strip's places are none of the reading
        return [this, act](auto... values) {
            if (!m_strip)
                act(values...);
        };
    };
    connect(m_view, &FigureView::stepPointed, this, shared([this](std::int64_t step) { m_cursor.pointAt(step); }));
    connect(m_view, &FigureView::stepHeld, this, shared([this](std::int64_t step) { m_cursor.hold(step); }));
    connect(m_view, &FigureView::released, this, shared([this] { m_cursor.release(); }));
    connect(m_view, &FigureView::spanBrushed, this,
            shared([this](std::int64_t from, std::int64_t to) { m_cursor.setSpan(from, to); }));
    connect(m_view, &FigureView::unitsChosen, this,
            [this](const std::string& node, const std::string& signal, const std::vector<std::int64_t>& units) {
                const bool own = node.empty() && signal.empty() && m_query;
                m_cursor.select({own ? m_query->node : node, own ? m_query->signal : signal, units});
            });
}

void KeptPage::setQuery(std::optional<LensQuery> query)
{
    const auto kept = [](const LensQuery& each) { return keptQuery(each, findLens(each.lens)->spec()); };
    const bool same = query.has_value() == m_query.has_value() && (!query || kept(*query) == kept(*m_query));
    m_query = std::move(query);
    if (!same) // the cursor makes no other frames
        refresh();
}

void KeptPage::showEvent(QShowEvent* event)
{
    QStackedWidget::showEvent(event);
    refresh();
}

QString KeptPage::updateText(std::int64_t shown, std::int64_t wished)
{
    return shown == wished ? tr("Update %1").arg(countText(shown))
                           : tr("Update %1, the nearest to %2 that was kept").arg(countText(shown), countText(wished));
}

QString KeptPage::reasonForNone(const LensQuery& query)
{
    const QString title = QString::fromStdString(findLens(query.lens)->spec().title);
    const QString of =
        query.node.empty()
            ? title
            : tr("%1 of %2 %3").arg(title, QString::fromStdString(query.node), QString::fromStdString(query.signal));
    return tr("No frame of %1 was kept with these settings. Frames are kept of what panels show while the run trains.")
        .arg(of);
}

/// What is hidden reads nothing.
void KeptPage::refresh()
{
    if (!isVisible() || m_time.isLive())
        return;
    if (m_view == nullptr)
        make();
    if (!m_query)
        return showReason(tr("No signal is chosen."));
    const KeptSeries* series = m_time.seriesOf(*m_query);
    if (series == nullptr || series->frames.empty()) {
        m_time.forget(*this);
        return showReason(reasonForNone(*m_query));
    }
    const bool strip = m_time.shows() == TrainingTime::Shows::Strip;
    const std::vector<std::int64_t> updates =
        strip ? spreadUpdates(series->frames, TrainingTime::kStripFrames)
              : std::vector{series->frames[nearestFrame(series->frames, m_time.update())].step};
    m_waits = true;
    m_time.fetch(*this, *series, updates,
                 [this, strip](const Result<TrainingTime::Frames>& frames) { take(frames, strip); });
}

void KeptPage::take(const Result<TrainingTime::Frames>& frames, bool strip)
{
    m_waits = false;
    if (!frames)
        return showReason(tr("The frame cannot be read. %1").arg(QString::fromStdString(frames.error().text())));
    if (!strip) {
        m_view->setFigure(std::make_shared<const Figure>(frames->front()->figure));
        m_words->setText(updateText(frames->front()->step, m_time.update()));
    } else if (auto figure = figureStrip(*frames)) {
        m_view->setFigure(std::make_shared<const Figure>(std::move(*figure)));
        m_words->setText(tr("%1 updates on one scale").arg(frames->size()));
    } else {
        return showReason(tr("No strip can be drawn: %1.").arg(QString::fromStdString(figure.error().message)));
    }
    m_strip = strip;
    m_step = frames->back()->step;
    setCurrentIndex(1);
    share();
    Q_EMIT drawn();
}

ShownFigure KeptPage::shown() const
{
    if (isEmpty() || !m_query)
        return {};
    return {m_view->figure(),
            {m_query->lens, findLens(m_query->lens)->spec().title, m_query->node, m_query->signal, m_query->settings,
             m_step}};
}

void KeptPage::showReason(const QString& sentence)
{
    m_waits = false;
    m_empty->setSentence(sentence);
    setCurrentIndex(0);
    Q_EMIT drawn();
}

void KeptPage::share()
{
    if (isEmpty())
        return;
    const auto& chosen = m_cursor.selection();
    const bool here = m_query && ((chosen.node.empty() && chosen.signal.empty()) || m_query->node.empty() ||
                                  (chosen.node == m_query->node && chosen.signal == m_query->signal));
    const auto units = here ? chosen.units : std::vector<std::int64_t>{};
    if (m_strip)
        return m_view->setShared({.units = units, .mark = {}});
    m_view->setShared({.step = m_cursor.step(),
                       .held = m_cursor.isHeld(),
                       .from = m_cursor.from(),
                       .to = m_cursor.to(),
                       .units = units,
                       .mark = {}});
}

} // namespace unroll
