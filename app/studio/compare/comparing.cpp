// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/compare/comparing.h"

#include "app/studio/frames/training_time.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/number_text.h"
#include "core/figure/side_names.h"
#include "core/lens/edits.h"

#include <QApplication>
#include <QFileInfo>
#include <utility>

namespace unroll {

std::string nodeOf(const LensQuery& query)
{
    const auto node = query.settings.find("node");
    return query.node.empty() && node != query.settings.end() ? paramText(node->second) : query.node;
}

Comparing::Comparing(LensView& view, const CompareDesk& desk)
    : QObject(&view),
      m_view(view),
      m_desk(desk),
      m_run(&desk.lens.controller),
      m_menu(new CompareMenu(view, desk, &view)),
      m_button(new QToolButton)
{
    const Appearance& appearance = desk.lens.appearance;
    m_button->setObjectName("compare");
    m_button->setIcon(appearance.icon("compare"));
    m_button->setAccessibleName(tr("Compare with …"));
    m_button->setToolTip(tr("Compare with another run, a checkpoint, another copy, or the reading under edits"));
    m_button->setPopupMode(QToolButton::InstantPopup);
    m_button->setMenu(m_menu);
    view.addToBar(m_button);
    connect(&appearance, &Appearance::changed, this,
            [this] { m_button->setIcon(m_desk.lens.appearance.icon("compare")); });
    connect(m_menu, &CompareMenu::chosen, this, &Comparing::choose);
    connect(&view, &LensView::asked, this, &Comparing::follow);
    connect(m_run, &RunController::snapshotChanged, this, &Comparing::refresh);
    connect(m_run, &RunController::stateChanged, this, &Comparing::refresh);
    connect(m_run, &RunController::runChanged, this, [this] {
        m_shown = {};
        if (m_side.kind == SecondSide::Kind::Checkpoint && !m_run->continuesRun())
            choose({}); // it was of the last one
        refresh();
    });
    connect(&desk.lens.cursor, &ReadingCursor::changed, this, &Comparing::share);
    if (desk.lens.time != nullptr)
        connect(desk.lens.time, &TrainingTime::changed, this, &Comparing::refresh);
}

/// It goes when its view does, whose parts have gone already: it hears of nothing while it goes itself.
Comparing::~Comparing()
{
    m_work.reset();
    if (m_run)
        m_run->disconnect(this);
    if (m_second != nullptr)
        m_second->disconnect(this);
}

void Comparing::choose(const SecondSide& side)
{
    if (side == m_side)
        return;
    end();
    m_side = side;
    m_menu->setNow(side);
    if (side.kind == SecondSide::Kind::None)
        return leavePage();
    if (!m_page)
        makePage();
    m_page->setSide(side);
    if (side.isOnDisk()) {
        m_second = new SecondRun(m_desk.startRun, *m_run, side, this);
        connect(m_second, &SecondRun::changed, this, &Comparing::refresh);
    }
    if (side.kind == SecondSide::Kind::Touched && side.edit.empty())
        m_page->edit().setFocus();
    follow();
}

/// Who had the keyboard in the page has it at the button then.
void Comparing::leavePage()
{
    if (!m_page)
        return;
    const QWidget* focus = QApplication::focusWidget();
    const bool had = focus != nullptr && m_page->isAncestorOf(focus);
    m_view.setInstead(nullptr);
    m_page->hide();
    m_page->deleteLater();
    m_page = nullptr;
    offerOwnFiles(true);
    if (had)
        m_button->setFocus();
}

void Comparing::makePage()
{
    m_page = new ComparePage(m_desk.lens.appearance, QString::fromStdString(m_view.lens().title),
                             m_view.lens().matchesUnits);
    m_page->setWish(m_wish);
    connect(m_page, &ComparePage::left, this, [this] { choose({}); });
    connect(m_page, &ComparePage::editGiven, this, &Comparing::giveEdit);
    connect(m_page, &ComparePage::wished, this, [this] {
        m_wish = m_page->wish();
        refresh();
    });
    ReadingCursor& cursor = m_desk.lens.cursor;
    const FigureView& view = m_page->view();
    connect(&view, &FigureView::stepPointed, &cursor, &ReadingCursor::pointAt);
    connect(&view, &FigureView::stepHeld, &cursor, &ReadingCursor::hold);
    connect(&view, &FigureView::released, &cursor, &ReadingCursor::release);
    connect(&view, &FigureView::spanBrushed, &cursor, &ReadingCursor::setSpan);
    connect(&m_page->saving(), &FigureSaveButton::noted, &m_view, &LensView::noted);
    connect(&m_page->saving(), &FigureSaveButton::failed, &m_view, &LensView::failed);
    offerOwnFiles(false);
    m_view.setInstead(m_page);
}

/// What is saved is what is shown, by one button.
void Comparing::offerOwnFiles(bool offered)
{
    for (QToolButton* button : m_view.findChildren<QToolButton*>())
        if (button->property(kSavesViewProperty).toBool() && (!m_page || !m_page->isAncestorOf(button)))
            button->setVisible(offered);
}

/// The run that is left goes when it has been opened, so that nobody waits for it.
void Comparing::end()
{
    m_shown = {};
    if (m_run) {
        m_run->ask(m_first, {});
        m_run->ask(*this, {});
    }
    SecondRun* leaving = std::exchange(m_second, nullptr);
    if (leaving == nullptr)
        return;
    disconnect(leaving, nullptr, this, nullptr);
    if (leaving->frame() || !leaving->trouble().isEmpty())
        return leaving->deleteLater();
    connect(leaving, &SecondRun::changed, leaving, [leaving] {
        if (leaving->frame() || !leaving->trouble().isEmpty())
            leaving->deleteLater();
    });
}

/// Edits that are not understood are said at their field, and nothing changes.
void Comparing::giveEdit(const QString& words)
{
    if (m_side.kind != SecondSide::Kind::Touched || !m_page)
        return;
    const auto edits = parseEdits(words.toStdString());
    m_page->setEditWrong(edits ? QString() : QString::fromStdString(edits.error().message));
    if (!edits && m_page->isEmpty())
        m_page->setEmpty(tr("The edit is not understood: %1.").arg(QString::fromStdString(edits.error().message)));
    if (!edits)
        return;
    m_side.edit = writtenEdits(*edits);
    m_menu->setNow(m_side);
    follow();
}

std::optional<LensQuery> Comparing::secondQuery() const
{
    auto query = m_view.comparedQuery();
    if (!query)
        return query;
    if (m_side.kind == SecondSide::Kind::Node && m_view.lens().takesSignal)
        query->node = m_side.node;
    if (m_side.kind == SecondSide::Kind::Node && !m_view.lens().takesSignal)
        query->settings["node"] = m_side.node;
    if (m_side.kind == SecondSide::Kind::Touched)
        query->edit = m_side.edit;
    return query;
}

/// Both sides are asked what the view shows.
void Comparing::follow()
{
    if (m_side.kind == SecondSide::Kind::None)
        return;
    if (m_run)
        m_run->ask(m_first, m_view.comparedQuery());
    if (m_second != nullptr)
        m_second->ask(secondQuery());
    else if (m_run)
        m_run->ask(*this,
                   m_side.kind == SecondSide::Kind::Touched && m_side.edit.empty() ? std::nullopt : secondQuery());
    refresh();
}

std::shared_ptr<const LensFrame> Comparing::secondFrame() const
{
    if (m_second != nullptr)
        return m_second->frame();
    const auto query = secondQuery();
    const bool open = m_side.kind == SecondSide::Kind::Touched && m_side.edit.empty();
    return m_run && query && !open ? m_run->snapshot()->frameOf(*query) : nullptr;
}

/// What there is to wait for, or why nothing can come.
QString Comparing::waitingFor() const
{
    const QString other = m_side.isOnDisk() ? QFileInfo(QString::fromStdString(m_side.folder)).fileName() : QString();
    if (m_second != nullptr && !m_second->trouble().isEmpty())
        return tr("%1 cannot be shown: %2.").arg(other, m_second->trouble());
    if (m_side.kind == SecondSide::Kind::Touched && m_side.edit.empty())
        return tr(
            "Type an edit above, such as lstm.h[3] = 0 from 40: the reading under it is compared with the untouched "
            "one.");
    if (!m_run || !m_run->canBeAsked())
        return tr("Press Run ({run}): this network is the first side.");
    if (!m_view.query())
        return tr("Choose what is shown above: both sides show the same.");
    if (m_second != nullptr && !m_second->frame())
        return m_second->isOpen() ? tr("Waiting for %1 to read.").arg(other) : tr("Opening %1.").arg(other);
    return tr("Waiting for the first answer of both sides.");
}

void Comparing::refresh()
{
    if (!m_page || m_side.kind == SecondSide::Kind::None)
        return;
    if (const TrainingTime* time = m_desk.lens.time; time != nullptr && !time->isLive()) {
        m_shown = {};
        return m_page->setEmpty(tr("Only the newest state can be compared; the time bar shows %1. Press live there to "
                                   "compare, or Esc here to see what was kept.")
                                    .arg(time->shows() == TrainingTime::Shows::Strip
                                             ? tr("several updates")
                                             : tr("update %1").arg(countText(time->update()))));
    }
    const auto query = m_view.comparedQuery();
    const Asked asked{m_run && query ? m_run->snapshot()->frameOf(*query) : nullptr, secondFrame(), m_wish};
    if (!asked.first || !asked.second) {
        const bool waits = m_shown.first && query && m_shown.first->query.lens == query->lens && m_run &&
                           m_run->canBeAsked() && !(m_second != nullptr && !m_second->trouble().isEmpty());
        if (!waits) // the cursor moved: what is shown stays until the answer comes
            m_page->setEmpty(waitingFor());
        return;
    }
    if (asked == m_shown || m_joining)
        return;
    join(asked);
}

/// Where nothing is at the wish's place, the run's own: "this run".
std::pair<std::string, std::string> Comparing::namesOf(const Asked& asked) const
{
    const std::string own = m_run && !m_run->folder().empty() ? m_run->folder() : tr("this run").toStdString();
    const auto factsOf = [](const std::string& run, const LensFrame& frame) {
        return SideFacts{run, frame.step, nodeOf(frame.query), frame.query.edit, frame.query.signal};
    };
    return sideNames(factsOf(own, *asked.first),
                     factsOf(m_side.kind == SecondSide::Kind::Run ? m_side.folder : own, *asked.second));
}

void Comparing::join(const Asked& asked)
{
    m_joining = true;
    if (!m_work) {
        m_work = std::make_unique<DiskThread>();
        connect(m_work.get(), &DiskThread::failed, this, [this](const QString& sentence) {
            m_joining = false; // memory ran out, say: the next answer may fit
            if (m_page)
                m_page->setEmpty(tr("There is no comparison: %1.").arg(sentence));
        });
    }
    m_work->ask([this, asked, names = namesOf(asked), side = m_side](const std::stop_token&) -> DiskThread::Answer {
        auto made = std::make_shared<const Result<Figure>>(
            compared(ComparedFrame{asked.first, names.first}, ComparedFrame{asked.second, names.second}, asked.wish));
        return [this, asked, made, side] {
            m_joining = false;
            if (side == m_side) // else another side was chosen meanwhile
                show(asked, made);
            refresh();
        };
    });
}

void Comparing::show(const Asked& asked, const std::shared_ptr<const Result<Figure>>& made)
{
    if (!m_page || m_side.kind == SecondSide::Kind::None)
        return;
    m_shown = asked;
    if (!*made)
        return m_page->setEmpty(tr("There is no comparison: %1.").arg(QString::fromStdString(made->error().text())));
    const LensQuery& query = asked.first->query;
    const auto [first, second] = namesOf(asked);
    FigureSource source{query.lens, m_view.lens().title, query.node, query.signal, query.settings, asked.first->step};
    source.compared = ComparedSource{asked.wish.way == CompareWay::Beside ? "beside" : "difference", first, second,
                                     asked.second->step};
    m_page->setFigure({std::shared_ptr<const Figure>(made, &made->value()), std::move(source)});
    share();
}

/// The cursor of the window. Units are those of two signals, and are not selected here.
void Comparing::share()
{
    if (!m_page || m_page->isEmpty())
        return;
    const ReadingCursor& cursor = m_desk.lens.cursor;
    m_page->view().setShared({.step = cursor.step(),
                              .held = cursor.isHeld(),
                              .from = cursor.from(),
                              .to = cursor.to(),
                              .units = {},
                              .mark = {}});
}

} // namespace unroll
