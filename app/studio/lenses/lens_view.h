// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"
#include "app/studio/lenses/reading_cursor.h"
#include "app/studio/run/run_controller.h"
#include "core/lens/lens.h"

#include <QJsonObject>
#include <QPointer>
#include <QStackedWidget>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

class Appearance;
class TrainingTime;

/// Of a button: it saves what the view itself shows, and gives way while something else stands there.
inline constexpr const char* kSavesViewProperty = "savesView";

/// What a view of a lens is made from; outlives it, but for the run, which may go first.
struct LensDesk {
    Document& document;
    RunController& controller;
    const Appearance& appearance;
    ReadingCursor& cursor;
    QPointer<TrainingTime> time = {}; ///< may go first too; null: the view shows the newest alone
};

/// What shows the frames of one lens. It has one query open at a time, or none.
class LensView : public QWidget {
    Q_OBJECT
public:
    /// `lens` is the id of one that there is.
    LensView(const std::string& lens, RunController& controller, QWidget* parent = nullptr);

    const LensSpec& lens() const { return m_spec; }
    const std::optional<LensQuery>& query() const { return m_query; }
    /// What both sides of a comparison answer: the same, with all of how the view draws it. Where that changes, asked()
    /// says so.
    virtual std::optional<LensQuery> comparedQuery() const { return m_query; }
    /// Where the commands of the view stand, one more.
    virtual void addToBar(QWidget* part) = 0;
    /// Shows a page in place of the lens's own picture, which the view takes; null: that picture again, and the page
    /// has no parent any more.
    void setInstead(QWidget* page);
    bool hasInstead() const { return m_instead != nullptr; }
    /// What it was set to, for the next start; what is as it was at first is left out.
    virtual QJsonObject choices() const { return {}; }
    /// What of these it knows and can be is set; the rest is skipped.
    virtual void takeChoices(const QJsonObject& /*choices*/) {}

Q_SIGNALS:
    void asked();                     ///< query() is another one
    void noted(const QString& words); ///< to be said in the window: a file was saved
    void failed(const QString& sentence);

protected:
    /// The run is asked this from now on and nothing else; nothing: it is asked nothing.
    void ask(std::optional<LensQuery> query);
    /// The newest frame of the query; null: there is none.
    std::shared_ptr<const LensFrame> newest() const;
    bool hasRun() const { return m_run != nullptr; } ///< else it has gone, and the window's other parts with it
    /// The pages that the view chooses from: 0 says why there is nothing, 1 is the picture.
    void usePages(QStackedWidget* pages);
    void showPage(int page); ///< behind what stands instead
    int shownPage() const { return m_page; }

private:
    const LensSpec& m_spec;
    QPointer<RunController> m_run;
    std::optional<LensQuery> m_query;
    QPointer<QStackedWidget> m_pages;
    QPointer<QWidget> m_instead;
    int m_page = 0;
};

/// How a lens is seen.
struct LensViewEntry {
    std::string id; ///< as LensSpec::id
    /// A new view, to be given a parent.
    std::function<LensView*(const LensDesk& desk)> make;

    QString title() const;
};

/// Every lens, in the order of their folders: with the view of its folder app/studio/lenses/<lens>/ where that has a
/// view.cpp, else with the general one (figure_lens_view.h).
const std::vector<LensViewEntry>& lensViews();

/// The lenses that have a view of their own. The list is made from the folders, see app/studio/CMakeLists.txt.
const std::vector<LensViewEntry>& ownLensViews();

} // namespace unroll
