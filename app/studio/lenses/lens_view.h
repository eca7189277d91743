// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"
#include "app/studio/lenses/reading_cursor.h"
#include "app/studio/run/run_controller.h"
#include "core/lens/lens.h"

#include <QPointer>
#include <QWidget>
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

/// A lens that has a view of its own.
struct LensViewEntry {
    std::string id; ///< as LensSpec::id
    /// A new view, to be given a parent.
    LensView* (*make)(const LensDesk& desk);

    QString title() const;
};

/// Every one, in the order of the folders app/studio/lenses/<lens>/ that have a view.cpp. The list is made from them, see cmake/Lenses.cmake.
const std::vector<LensViewEntry>& lensViews();

} // namespace unroll
