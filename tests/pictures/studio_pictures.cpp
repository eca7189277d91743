// SPDX-License-Identifier: GPL-3.0-or-later
// The studio in every state that it can be in, one picture each, light and dark, for eyes that judge the look:
//   unroll_studio_pictures FOLDER [--only NAME] [--theme light|dark] [--font-scale 1.5] [--size 1024x720] [--sheet]
// QT_SCALE_FACTOR=2 makes them twice as sharp.
#include "tests/gui/states.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QPainter>
#include <QStandardPaths>
#include <clocale>
#include <cstdio>

namespace unroll::test {

namespace {

struct Wish {
    QDir folder;
    QStringList only; ///< empty: all; beginnings of names
    QList<ThemeChoice> themes{ThemeChoice::Light, ThemeChoice::Dark};
    QSize size; ///< empty: as it comes
    bool sheet = false;

    bool wants(const QString& name) const
    {
        return only.isEmpty() ||
               std::any_of(only.begin(), only.end(), [&](const QString& each) { return name.startsWith(each); });
    }
};

struct Picture {
    QString name;
    QImage image;
};

QImage take(const StudioState& state, ThemeChoice theme, const Wish& wish)
{
    Studio studio;
    studio.appearance.setChoice(theme);
    if (!wish.size.isEmpty()) {
        studio.window.resize(wish.size);
        studio.window.arrange("train");
    }
    state.reach(studio);
    if (!state.passes)
        settle(studio.window);
    return pictureOf(studio);
}

/// Small pictures side by side with their names: what they have in common shows, and what does not.
QImage contactSheet(const std::vector<Picture>& pictures)
{
    constexpr int columns = 3, wide = 640, high = 400, gap = 12, caption = 24;
    const int rows = (static_cast<int>(pictures.size()) + columns - 1) / columns;
    QImage sheet(columns * (wide + gap) + gap, rows * (high + gap + caption) + gap, QImage::Format_RGB32);
    sheet.fill(QColor(128, 128, 128));
    QPainter painter(&sheet);
    painter.setPen(Qt::white);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const int at = static_cast<int>(i);
        const QPoint corner(gap + at % columns * (wide + gap), gap + at / columns * (high + gap + caption));
        painter.drawText(QRect(corner, QSize(wide, caption)), Qt::AlignLeft | Qt::AlignVCenter, pictures[i].name);
        painter.drawImage(corner + QPoint(0, caption),
                          pictures[i].image.scaled(wide, high, Qt::KeepAspectRatio, Qt::SmoothTransformation));
    }
    return sheet;
}

bool takeAll(const Wish& wish)
{
    bool written = true;
    for (const ThemeChoice theme : wish.themes) {
        const QString themeName = theme == ThemeChoice::Dark ? "dark" : "light";
        std::vector<Picture> pictures;
        for (const StudioState& state : studioStates()) {
            const QString name = QString::fromLatin1(state.name);
            if (!wish.wants(name))
                continue;
            const QString file = wish.folder.filePath(QStringLiteral("%1-%2.png").arg(name, themeName));
            std::printf("%s\n", qPrintable(file));
            std::fflush(stdout);
            pictures.push_back({name, take(state, theme, wish)});
            written = pictures.back().image.save(file) && written;
        }
        if (wish.sheet)
            written = contactSheet(pictures).save(wish.folder.filePath("sheet-" + themeName + ".png")) && written;
    }
    return written;
}

bool readSize(const QString& text, QSize& size)
{
    const QStringList sides = text.split('x');
    if (sides.size() != 2)
        return false;
    size = {sides[0].toInt(), sides[1].toInt()};
    return size.width() >= 400 && size.height() >= 300;
}

/// Nothing: the words on the command line are not understood.
std::optional<Wish> readWish(const QStringList& arguments)
{
    QCommandLineParser parser;
    parser.addPositionalArgument("FOLDER", {});
    parser.addOptions(
        {{"only", {}, "name"}, {"theme", {}, "name"}, {"font-scale", {}, "factor", "1"}, {"size", {}, "WxH"}});
    parser.addOption({"sheet", {}});
    if (!parser.parse(arguments) || parser.positionalArguments().size() != 1)
        return {};
    Wish wish;
    wish.folder = QDir(parser.positionalArguments().front());
    wish.only = parser.values("only");
    wish.sheet = parser.isSet("sheet");
    if (parser.isSet("theme"))
        wish.themes = {parser.value("theme") == "dark" ? ThemeChoice::Dark : ThemeChoice::Light};
    qputenv("UNROLL_TEXT_SCALE", parser.value("font-scale").toUtf8());
    const bool sized = !parser.isSet("size") || readSize(parser.value("size"), wish.size);
    if (!sized || !QDir().mkpath(wish.folder.path()))
        return {};
    return wish;
}

} // namespace

} // namespace unroll::test

int main(int argc, char** argv)
{
    QApplication app(argc, argv);
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setStyle("Fusion");
    QStandardPaths::setTestModeEnabled(true);
    const auto wish = unroll::test::readWish(QApplication::arguments());
    if (!wish) {
        std::fprintf(stderr, "usage: unroll_studio_pictures FOLDER [--only NAME] [--theme light|dark] [--font-scale F] "
                             "[--size WxH] [--sheet]\n\n");
        for (const auto& state : unroll::test::studioStates())
            std::fprintf(stderr, "  %s\n", state.name.constData());
        return 2;
    }
    return unroll::test::takeAll(*wish) ? 0 : 1;
}
