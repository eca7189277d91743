// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/run/run_elsewhere.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/shot.h"
#include "app/studio/window/studio_options.h"
#include "core/experiment/data_cache.h"
#include "core/model/builders.h"

#include <QApplication>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <clocale>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace unroll;

int refuse(const Error& error)
{
    std::fprintf(stderr, "unroll: %s\n\n%s", error.text().c_str(), qPrintable(usageText()));
    return 2;
}

bool hasDisplay()
{
#if defined(Q_OS_LINUX)
    return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") ||
           !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
#else
    return true;
#endif
}

/// Pictures are drawn without a display, so that none flashes up. Before the application object is made.
void preparePicture(const StudioOptions& options)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", QByteArray::number(options.scale));
}

ThemeChoice themeOf(const StudioOptions& options, const QSettings& settings)
{
    const int stored = settings.value("theme", static_cast<int>(ThemeChoice::System)).toInt();
    return options.theme.value_or(stored >= 0 && stored <= 2 ? static_cast<ThemeChoice>(stored) : ThemeChoice::System);
}

/// The offscreen platform says for every window that it cannot pass on size hints: no news to anybody.
void writeMessage(QtMsgType type, const QMessageLogContext& context, const QString& message)
{
    if (!message.contains("propagateSizeHints"))
        std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, context, message)));
    if (type == QtFatalMsg)
        std::abort();
}

/// A picture shows nothing of the user's own and leaves nothing behind: its settings are of its own.
int pictureStudio(const StudioOptions& options)
{
    const BlockRegistry registry = allSpecs();
    DataCache data(allBuilders());
    const QTemporaryDir folder;
    QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
    Appearance appearance(themeOf(options, settings));
    StudioContext studio{registry, data, appearance, settings, sessionRuns(registry, allBuilders(), &data), false};
    const auto taken = takeShot(options, studio);
    if (!taken)
        std::fprintf(stderr, "unroll: %s\n", taken.error().text().c_str());
    return taken ? 0 : 1;
}

int runStudio(QApplication& app, const StudioOptions& options)
{
    const BlockRegistry registry = allSpecs();
    DataCache data(allBuilders());
    QSettings settings;
    Appearance appearance(themeOf(options, settings));
    StudioContext studio{registry, data, appearance, settings, {}, true};
    studio.startRun = chosenRuns(registry, sessionRuns(registry, allBuilders(), &data),
                                 [&studio] { return studio.preferences->choices().ownProcess; });
    studio.autosave.folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + "/autosave";
    MainWindow window(studio);
    window.arrange(options.layout);
    window.startMode().show();
    window.show();
    if (options.file.isEmpty())
        window.files().offerAbandoned();
    else if (const auto opened = openAsked(options, window); !opened)
        window.messages().showError(QString::fromStdString(opened.error().text()));
    return app.exec();
}

} // namespace

int main(int argc, char** argv)
{
    QStringList arguments;
    for (int i = 1; i < argc; ++i)
        arguments << QString::fromLocal8Bit(argv[i]);
    const auto options = readArguments(arguments);
    if (!options)
        return refuse(options.error());
    if (options->help || options->version) {
        std::fputs(options->help ? qPrintable(usageText()) : "unroll " UNROLL_VERSION "\n", stdout);
        return 0;
    }
    if (!options->shot.isEmpty())
        preparePicture(*options);
    else if (!hasDisplay()) {
        std::fputs("unroll: no display. unroll --shot OUT.png renders the studio to an image; unroll-cli trains "
                   "without a window.\n",
                   stderr);
        return 1;
    }
    qInstallMessageHandler(writeMessage);
    QApplication app(argc, argv); // ends the program where the display cannot be opened
    if (options->probeDisplay)
        return 0;
    std::setlocale(LC_NUMERIC, "C"); // Qt takes over the user's locale; our files and numbers keep the point
    QApplication::setOrganizationName("Unroll");
    QApplication::setApplicationName("unroll");
    QApplication::setApplicationVersion(UNROLL_VERSION);
    QApplication::setStyle("Fusion");
    return options->shot.isEmpty() ? runStudio(app, *options) : pictureStudio(*options);
}
