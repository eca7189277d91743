// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/window/recovery_list.h"

#include <QObject>
#include <QPointer>

namespace unroll {

class Document;
class MessageBar;

/// Asks what the user alone can decide about the window's file, in a bar that holds up nothing: whether unsaved changes
/// that were found are wanted, and whether to read the file again when another program has written it. What is asked
/// for is left to the window.
class FileGuard : public QObject {
    Q_OBJECT
public:
    /// `window` is the parent of the list of changes.
    FileGuard(const Document& document, MessageBar& bar, QWidget* window);

    /// The file holds something else than when it was last read or written here.
    bool isChangedOnDisk() const;
    /// Checks this, and reports each change once. Call it when the window is activated.
    void look();
    /// Asks what shall become of them, of several in one list; those that say what their files say are removed without
    /// a word. `whileOpen`: they are of the document's file, and kept for as long as that is open; others for as long
    /// as the window lives. Then they wait for the next time.
    void offer(const SideFiles& found, bool whileOpen);

Q_SIGNALS:
    void reloadAsked();
    void restoreAsked(const std::shared_ptr<SideFile>& changes);

private:
    void documentReplaced();
    void fileChanged();
    bool isIdle(const SideFile& side) const;
    void ask();
    void showList();
    SideFiles offered() const;
    void restore(const SideFiles& chosen);
    void discard(const SideFiles& chosen);
    void forget(const SideFiles& chosen);
    void reload();

    const Document& m_document;
    MessageBar& m_bar;
    struct Offer {
        std::shared_ptr<SideFile> side;
        bool whileOpen;
    };
    std::vector<Offer> m_offered;
    QPointer<RecoveryList> m_list;
    QWidget* m_window;
    QByteArray m_reported; ///< the stamp last reported
    QString m_words;       ///< with which
};

} // namespace unroll
