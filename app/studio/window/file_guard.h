// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/side_file.h"

#include <QObject>

namespace unroll {

class Document;
class MessageBar;

/// Asks what the user alone can decide about the window's file, in a bar that holds up nothing: whether unsaved changes that were found are
/// wanted, and whether to read the file again when another program has written it. What is asked for is left to the window.
class FileGuard : public QObject {
    Q_OBJECT
public:
    FileGuard(const Document& document, MessageBar& bar, QObject* parent = nullptr);

    /// The file holds something else than when it was last read or written here.
    bool isChangedOnDisk() const;
    /// Looks whether it does, and says so once for each change. To be called when the user comes back to the window.
    void look();
    /// Asks one after the other; those that say what the document says are removed without a word. Those of a file are kept for as long as
    /// it is open, those of untitled experiments for as long as the window lives; then they wait for the next time.
    void offer(const std::vector<std::shared_ptr<SideFile>>& found);

Q_SIGNALS:
    void reloadAsked();
    void restoreAsked(const std::shared_ptr<SideFile>& changes);

private:
    void documentReplaced();
    void fileChanged();
    bool isIdle(const SideFile& side) const;
    void askNext();
    void answer(bool restores);
    void reload();

    const Document& m_document;
    MessageBar& m_bar;
    std::vector<std::shared_ptr<SideFile>> m_offered; ///< the first one is being asked about
    QByteArray m_told;                                ///< the stamp that was spoken of last
    QString m_words;                                  ///< with which
};

} // namespace unroll
