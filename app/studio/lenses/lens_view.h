// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"
#include "app/studio/lenses/reading_cursor.h"
#include "app/studio/run/run_controller.h"
#include "core/lens/lens.h"

#include <QJsonObject>
#include <QPointer>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

class Appearance;

/// What a view of a lens is made from; outlives it, but for the run, which may go first.
struct LensDesk {
    Document& document;
    RunController& controller;
    const Appearance& appearance;
    ReadingCursor& cursor;
};

/// What shows the frames of one lens. It has one query open at a time, or none.
class LensView : public QWidget {
    Q_OBJECT
public:
    /// `lens` is the id of one that there is.
    LensView(const std::string& lens, RunController& controller, QWidget* parent = nullptr);

    const LensSpec& lens() const { return m_spec; }
    const std::optional<LensQuery>& query() const { return m_query; }
    /// What it was set to, for the next start; what is as it was at first is left out.
    virtual QJsonObject choices() const { return {}; }
    /// What of these it knows and can be is set; the rest is passed over.
    virtual void takeChoices(const QJsonObject& /*choices*/) {}

Q_SIGNALS:
    void told(const QString& words); ///< to be said in the window: a file was saved
    void failed(const QString& sentence);

protected:
    /// The run is asked this from now on and nothing else; nothing: it is asked nothing.
    void ask(std::optional<LensQuery> query);
    /// The newest frame of the query; null: there is none.
    std::shared_ptr<const LensFrame> newest() const;

private:
    const LensSpec& m_spec;
    QPointer<RunController> m_run;
    std::optional<LensQuery> m_query;
};

/// How a lens is seen.
struct LensViewEntry {
    std::string id; ///< as LensSpec::id
    /// A new view, to be given a parent.
    std::function<LensView*(const LensDesk& desk)> make;

    QString title() const;
};

/// Every lens, in the order of their folders: with the view of its folder app/studio/lenses/<lens>/ where that has a view.cpp, else with the general
/// one (figure_lens_view.h).
const std::vector<LensViewEntry>& lensViews();

/// The lenses that have a view of their own. The list is made from the folders, see app/studio/CMakeLists.txt.
const std::vector<LensViewEntry>& ownLensViews();

} // namespace unroll
