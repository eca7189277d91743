// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/import/weight_mapping.h"
#include "app/studio/run/cli_process.h"

namespace unroll {

/// What is to be imported.
struct ImportWish {
    QString weights;    ///< file of another package
    QString experiment; ///< .unroll file whose nodes take them
    bool all = false;   ///< every node whose name the file has
    QStringList nodes;  ///< NODE, or NODE=PREFIX of its names in the file
    QString out;        ///< .safetensors file to write; empty: the mapping is only shown
};

/// `unroll-cli import --json` as a process.
class ImportProcess : public QObject {
    Q_OBJECT
public:
    explicit ImportProcess(QObject* parent = nullptr);

    /// In place of what is going on, whose answer does not come.
    void start(const ImportWish& wish);

Q_SIGNALS:
    void done(const unroll::WeightMapping& mapping);
    void failed(const QString& sentence);

private:
    void begin();
    void end(const CliEnd& end);

    CliProcess m_process;
    ImportWish m_wish;
    WeightMapping m_mapping;
    bool m_isStale = false; ///< another one was asked for since the process began
};

} // namespace unroll
