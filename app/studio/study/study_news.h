// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/study_results.h"

#include <QString>
#include <memory>

namespace unroll {

/// What a look at the files of a study has found.
struct StudyNews {
    QString path; ///< as it was asked for
    Result<StudyPlace> place;
    std::string stamp;    ///< of NAME.study.json; empty: it is not there
    bool isNew = false;   ///< another file than the one with the stamp before, and so read
    bool hasFile = false; ///< NAME.toml is there
    Result<std::shared_ptr<const StudyResults>> results;
};

/// Reads what has changed since the look with this stamp. Touches the disk.
StudyNews lookAtStudy(const QString& path, const std::string& stamp);

} // namespace unroll
