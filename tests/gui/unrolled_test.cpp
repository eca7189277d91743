// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes drawn over time on the canvas, and the canvas as a picture.
#include "app/studio/canvas/canvas_picture.h"
#include "app/studio/window/picture_command.h"
#include "core/experiment/gallery.h"
#include "tests/gui/area.h"
#include "tests/gui/desk.h"

#include <QMenu>
#include <QXmlStreamReader>

namespace unroll::test {

namespace {

std::optional<Unrolled> unrolledNode(Studio& studio, const std::string& node)
{
    const Graph& graph = studio.window.scene().shown();
    return unrolled(*graph.findByName(node), studio.registry, nullptr);
}

int cellIndexIn(const Unrolled& what, const QString& name)
{
    for (std::size_t i = 0; i < what.cells.size(); ++i)
        if (what.cells[i].name == name)
            return static_cast<int>(i);
    return -9;
}

bool hasLink(const Unrolled& what, const QString& from, const QString& to, const QString& delay = {})
{
    const UnrolledLink wanted{from.isEmpty() ? UnrolledLink::kInput : cellIndexIn(what, from),
                              to.isEmpty() ? UnrolledLink::kOutput : cellIndexIn(what, to), delay};
    return std::find(what.links.begin(), what.links.end(), wanted) != what.links.end();
}

/// The loop of a GRU built by hand as one group.
void groupTheGruByHand(Studio& studio)
{
    QVERIFY(studio.window.files().open(QString::fromStdString(findExperiment("gru-by-hand")->string())));
    std::set<NodeId> loop;
    for (const auto& [id, node] : studio.graph().nodes)
        if (node->name != "text" && node->name != "embedding" && node->name != "head")
            loop.insert(id);
    QVERIFY(studio.window.document().apply(edits::makeGroup(loop, "gru")));
}

QImage cardImage(const UnrolledItem& item, double ratio)
{
    QImage image((item.drawing().size() * ratio).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    item.drawing().paint(painter);
    return image;
}

QRgb pixelAt(const QImage& image, const QPointF& place)
{
    return image.pixel((place * image.devicePixelRatio()).toPoint());
}

} // namespace

class UnrolledTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aCellStandsAtFiveStepsWithItsStateBetween()
    {
        Studio studio;
        const auto what = unrolledNode(studio, "lstm");
        QVERIFY(what.has_value());
        QCOMPARE(what->cells.size(), std::size_t{1});
        QCOMPARE(what->cells.front().state, QString("h, c"));
        QVERIFY(!what->cells.front().isBothWays);
        QVERIFY(hasLink(*what, {}, "lstm") && hasLink(*what, "lstm", {}));
        QVERIFY(!unrolledNode(studio, "head").has_value());
        QVERIFY(studio.window.document().apply(edits::setParam(studio.id("lstm"), "bidirectional", true)));
        QVERIFY(unrolledNode(studio, "lstm")->cells.front().isBothWays);
    }

    /// Between two steps arrows are in the colour of states; below and above the cell in that of sequences.
    void itIsDrawnInBothThemesAndScales()
    {
        for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
            Studio studio;
            studio.appearance.setChoice(choice);
            studio.window.scene().select({studio.id("lstm")});
            studio.window.actions().unrolled->trigger();
            const UnrolledItem* item = studio.window.scene().unrolled().item(studio.id("lstm"));
            QVERIFY(item != nullptr);
            const UnrolledDrawing& drawing = item->drawing();
            const Theme& theme = studio.appearance.theme();
            for (const double ratio : {1.0, 2.0}) {
                const QImage image = cardImage(*item, ratio);
                for (int step = 0; step < kUnrolledSteps; ++step) {
                    const QRectF cell = drawing.cellAt(step, 0);
                    QCOMPARE(pixelAt(image, cell.topLeft() + QPointF(6, 4)),
                             theme.categoryFill(Category::Recurrent).rgb());
                    const QColor state = theme.portColor(PortType::State),
                                 sequence = theme.portColor(PortType::Sequence);
                    const auto near = [&](QPointF place, const QColor& color) {
                        for (int dx = -2; dx <= 2; ++dx)
                            for (int dy = -2; dy <= 2; ++dy) {
                                const QColor seen(pixelAt(image, place + QPointF(dx, dy) / ratio));
                                if (std::abs(seen.red() - color.red()) + std::abs(seen.green() - color.green()) +
                                        std::abs(seen.blue() - color.blue()) <
                                    150)
                                    return true;
                            }
                        return false;
                    };
                    QVERIFY2(near({cell.right() + 12, cell.center().y()}, state), "state to the right");
                    QVERIFY2(near({cell.center().x(), cell.bottom() + 14}, sequence), "x below");
                    QVERIFY2(near({cell.center().x(), cell.top() - 14}, sequence), "y above");
                }
            }
        }
    }

    void aDelayGoesToTheNextStepAndAGroupShowsItsNodes()
    {
        Studio studio;
        groupTheGruByHand(studio);
        const auto what = unrolledNode(studio, "gru");
        QVERIFY(what.has_value() && what->isGroup);
        QCOMPARE(cellIndexIn(*what, "before"), -9); // the delay is an arrow
        QVERIFY(hasLink(*what, "h", "back", "before"));
        QVERIFY(hasLink(*what, "h", "h", "before"));
        QVERIFY(hasLink(*what, {}, "input") && hasLink(*what, "h", {}));
        for (const UnrolledLink& link : what->links)
            if (link.delay.isEmpty() && link.from >= 0 && link.to >= 0)
                QVERIFY(link.from < link.to); // within a step upwards
    }

    void betweenTwoTurnsOfTimeTheStateGoesBack()
    {
        Studio studio;
        QVERIFY(studio.window.files().open(QString::fromStdString(findExperiment("adding-both-ways")->string())));
        QVERIFY(studio.window.document().apply(
            edits::makeGroup({studio.id("from_start"), studio.id("turned"), studio.id("from_end"),
                              studio.id("turned_back"), studio.id("both")},
                             "ways")));
        const auto what = unrolledNode(studio, "ways");
        const auto cell = [&](const char* name) {
            return what->cells[static_cast<std::size_t>(cellIndexIn(*what, name))];
        };
        QVERIFY(!cell("from_start").isBackward);
        QVERIFY(cell("from_end").isBackward);
        QVERIFY(!cell("both").isBackward);
    }

    void itIsAViewAndNoEdit()
    {
        Studio studio;
        MainWindow& window = studio.window;
        const Graph before = studio.graph();
        QAction& command = *window.actions().unrolled;
        window.scene().select({studio.id("head")});
        QVERIFY(!command.isEnabled());
        window.scene().select({studio.id("lstm")});
        QVERIFY(command.isEnabled() && !command.isChecked());
        studio.key(Qt::Key_U);
        QVERIFY(command.isChecked());
        QVERIFY(window.scene().unrolled().isShown(studio.id("lstm")));
        QVERIFY(studio.graph() == before);
        QVERIFY(!window.document().canUndo() && !window.document().isModified());
        QVERIFY(window.scene().contentRect().contains(window.scene().unrolled().rect()));
        for (const NodeItem* node : window.scene().nodeItems())
            QVERIFY(!window.scene().unrolled().rect().intersects(node->mapRectToScene(node->geometry().body())));
        studio.key(Qt::Key_U);
        QVERIFY(!command.isChecked());
        QVERIFY(window.scene().unrolled().item(studio.id("lstm")) == nullptr);
        window.scene().select({}); // then it means all that the canvas shows
        studio.key(Qt::Key_U);
        QVERIFY(window.scene().unrolled().isShown(studio.id("lstm")));
        QVERIFY(window.scene().unrolled().isShown(studio.id("lstm_2")));
        const QRectF first = window.scene().unrolled().item(studio.id("lstm"))->body();
        QVERIFY(!first.intersects(window.scene().unrolled().item(studio.id("lstm_2"))->body()));
    }

    /// What is drawn follows the document; a node that goes takes its card along, and brings it back.
    void itFollowsTheDocument()
    {
        Studio studio;
        MainWindow& window = studio.window;
        const NodeId lstm = studio.id("lstm");
        window.scene().select({lstm});
        studio.key(Qt::Key_U);
        UnrolledCards& cards = window.scene().unrolled();
        QVERIFY(window.document().apply(edits::renameNode(lstm, "cell")));
        QCOMPARE(cards.item(lstm)->drawing().what().name, QString("cell"));
        QVERIFY(window.document().apply(edits::removeNodes({lstm})));
        QVERIFY(cards.item(lstm) == nullptr && cards.rect().isEmpty());
        window.document().undo();
        QVERIFY(cards.item(lstm) != nullptr);
        QVERIFY(window.document().apply(edits::makeGroup({lstm, studio.id("lstm_2")}, "body")));
        QVERIFY(cards.rect().isEmpty());
    }

    void theCardStandsForItsNode()
    {
        Studio studio;
        GraphScene& scene = studio.window.scene();
        const NodeId lstm = studio.id("lstm");
        scene.select({lstm});
        studio.key(Qt::Key_U);
        scene.select({});
        const QPoint middle = studio.window.canvas().mapFromScene(scene.unrolled().item(lstm)->body().center());
        QTest::mouseClick(studio.window.canvas().viewport(), Qt::LeftButton, {}, middle);
        QCOMPARE(scene.selection(), std::set<NodeId>{lstm});
        scene.select({});
        studio.window.canvas().menuAsked(middle);
        auto* menu = studio.window.findChild<QMenu*>("contextMenu");
        QVERIFY(menu != nullptr && menu->actions().contains(studio.window.actions().unrolled));
        QCOMPARE(scene.selection(), std::set<NodeId>{lstm});
        menu->close();
    }

    void itComesAgainWithTheFile()
    {
        Desk studio;
        {
            const auto window = studio.open(studio.file);
            window->scene().select({window->document().graph().findByName("lstm")->id});
            window->actions().unrolled->trigger();
            QVERIFY(!window->scene().unrolled().all().empty());
            QVERIFY(!window->document().isModified());
        }
        const auto again = studio.open(studio.file);
        const NodeId lstm = again->document().graph().findByName("lstm")->id;
        QVERIFY(again->scene().unrolled().isShown(lstm));
        again->files().openDefault();
        QVERIFY(again->scene().unrolled().all().empty());
        studio.context.settings.setValue("window/unrolled", "not what was written");
        const auto third = studio.open(studio.file);
        QVERIFY(third->scene().unrolled().all().empty());
    }

    void thePictureOfTheCanvasHasIt()
    {
        Studio studio;
        GraphScene& scene = studio.window.scene();
        const auto picture = [&] {
            return QImage::fromData(canvasPicture(scene, studio.appearance, PictureFormat::Png));
        };
        scene.select({studio.id("lstm")});
        const Picked picked = scene.picked();
        const QImage marked = picture();
        QVERIFY(scene.picked() == picked);
        scene.select({});
        const QImage without = picture();
        QCOMPARE(marked, without); // what is selected is not marked in a picture
        scene.select({studio.id("lstm")});
        studio.window.actions().unrolled->trigger();
        const QImage with = picture();
        QVERIFY(with.height() > without.height());
        QVERIFY(with.width() >= 2 * scene.unrolled().rect().width());
        const QByteArray svg = canvasPicture(scene, studio.appearance, PictureFormat::Svg);
        QVERIFY(svg.contains("lstm unrolled"));
        QXmlStreamReader reader(svg);
        while (!reader.atEnd())
            reader.readNext();
        QVERIFY(!reader.hasError());
        auto* command = studio.window.findChild<PictureCommand*>();
        const QString file = studio.folder.filePath("canvas.png");
        command->save(file);
        QTRY_VERIFY(says(studio.window.messages(), file));
        QCOMPARE(QImage(file), with);
        command->save(studio.folder.filePath("canvas.txt"));
        QVERIFY(studio.window.messages().shownText().contains("canvas.txt"));
        QVERIFY(!QFile::exists(studio.folder.filePath("canvas.txt")));
    }
};

static const AreaOf<UnrolledTest> unrolledTestArea("unrolled");

} // namespace unroll::test

#include "unrolled_test.moc"
