// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/start/gallery_card.h"
#include "app/studio/start/start_row.h"
#include "tests/gui/desk.h"
#include "tests/gui/parts.h"
#include "tests/gui/waiting.h"

namespace unroll::test {

/// A window on its start page, and files of the user's beside it.
struct StartDesk : Desk {
    StartPage& page = window.startPage();

    StartDesk()
    {
        window.startMode().show();
        waitUntilFilled(page);
    }
    static void waitUntilFilled(StartPage& page)
    {
        QVERIFY(comes([&] { return page.isFilled(); }));
        comeToRest(page);
    }
    GalleryCard& card(const QString& name)
    {
        for (GalleryCard* card : page.cards())
            if (QFileInfo(card->item().path).completeBaseName() == name)
                return *card;
        qFatal("no card %s", qPrintable(name));
    }
    /// "emptyCanvas", "ownData", "pastedText".
    StartRow& way(const char* name) { return partNamed<StartRow>(page, name); }
    /// As a hand does, with the card in view.
    void click(QWidget& widget)
    {
        page.ensureWidgetVisible(&widget);
        QTest::mouseClick(&widget, Qt::LeftButton);
    }
    std::string textFile() { return std::get<std::string>(graph().findByName("text")->params.at("file")); }
    QString writeTales(const QString& name)
    {
        const QString path = place + '/' + name;
        writeContent(path, QByteArray("Once there was a fox and a hen. ").repeated(2000));
        return path;
    }
};

} // namespace unroll::test
