// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/palette/block_search.h"

#include "app/studio/palette/recent_blocks.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <set>

namespace unroll::test {

namespace {

QStringList found(const std::vector<BlockMatch>& matches)
{
    QStringList ids;
    for (const BlockMatch& match : matches)
        ids << QString::fromStdString(match.spec->id);
    return ids;
}

} // namespace

class BlockSearchTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theBestComesFirst_data()
    {
        QTest::addColumn<QString>("query");
        QTest::addColumn<QString>("first");
        const std::pair<const char*, const char*> rows[] = {{"gru", "gru"},
                                                            {"GRUM", "grumml"},
                                                            {"drop", "dropout"},
                                                            {"layer_norm", "layer_norm"},
                                                            {"MLGRU", "grumml"},
                                                            {"dense", "linear"},
                                                            {"residual", "add"},
                                                            {"lnm", "layer_norm"},
                                                            {"output head", "head"},
                                                            {"  HEAD ", "head"},
                                                            {"norm layer", "layer_norm"},
                                                            {"centres", "layer_norm"},
                                                            {"embedding", "embedding"}};
        for (const auto& [query, first] : rows)
            QTest::newRow(query) << QString::fromLatin1(query) << QString::fromLatin1(first);
    }
    void theBestComesFirst()
    {
        QFETCH(QString, query);
        QFETCH(QString, first);
        const BlockRegistry registry = allSpecs();
        const auto matches = searchBlocks(registry, query, {});
        QVERIFY(!matches.empty());
        QCOMPARE(found(matches).first(), first);
        QCOMPARE(found(searchBlocks(registry, query, {})), found(matches));
    }

    void everyNameFindsItsBlock()
    {
        const BlockRegistry registry = allSpecs();
        for (const BlockSpec* spec : registry.all()) {
            const QString id = QString::fromStdString(spec->id);
            if (spec->inputs.empty() && spec->outputs.empty())
                continue;
            QCOMPARE(found(searchBlocks(registry, id, {})).first(), id);
            QCOMPARE(found(searchBlocks(registry, QString::fromStdString(spec->title), {})).first(), id);
            for (const std::string& synonym : spec->synonyms)
                QVERIFY2(found(searchBlocks(registry, QString::fromStdString(synonym), {})).contains(id),
                         synonym.c_str());
        }
    }

    /// Category and summary count least, and only from their words' beginnings.
    void weakWordsComeLast()
    {
        const BlockRegistry registry = allSpecs();
        const QStringList combine = found(searchBlocks(registry, "combine", {}));
        QCOMPARE(combine, (QStringList{"add", "append_vector", "concat", "gate", "highway", "multiply"}));
        const QStringList recurrent = found(searchBlocks(registry, "recurrent", {}));
        QVERIFY(recurrent.indexOf("lru") < recurrent.indexOf("grumml")); // by its category alone
        QVERIFY(recurrent.contains("gru"));
        QVERIFY(searchBlocks(registry, "xyz", {}).empty());
        QVERIFY(searchBlocks(registry, "gru xyz", {}).empty());
        QVERIFY(!found(searchBlocks(registry, "ombin", {})).contains("add"));
    }

    void whatWasAskedForIsMarked()
    {
        const BlockRegistry registry = allSpecs();
        QCOMPARE(searchBlocks(registry, "lnm", {}).front().letters, (std::vector<int>{0, 6, 9})); // Layer norm
        QCOMPARE(searchBlocks(registry, "GRU", {})[1].letters, (std::vector<int>{0, 1, 2}));      // GRUMML
        const BlockMatch other = searchBlocks(registry, "mlgru", {}).front();
        QVERIFY(other.letters.empty());
        QCOMPARE(other.synonym, QStringLiteral("MLGRU"));
        QCOMPARE(searchBlocks(registry, "lstm", {}).front().synonym, QString());
    }

    void recentBlocksComeFirst()
    {
        const BlockRegistry registry = allSpecs();
        const auto all = searchBlocks(registry, " ", {"sru", "gone", "text"});
        QCOMPARE(found(all).mid(0, 2), (QStringList{"sru", "text"}));
        QVERIFY(all[0].isRecent && all[1].isRecent && !all[2].isRecent);
        const QStringList ids = found(all);
        QCOMPARE(static_cast<std::size_t>(std::set<QString>(ids.begin(), ids.end()).size()), all.size());
        QVERIFY(!ids.contains("group")); // nothing could be wired to an empty one
        for (std::size_t i = 3; i < all.size(); ++i) {
            const BlockSpec &a = *all[i - 1].spec, &b = *all[i].spec;
            QVERIFY(a.category <= b.category);
            QVERIFY(a.category != b.category ||
                    QString::fromStdString(a.title).compare(QString::fromStdString(b.title), Qt::CaseInsensitive) < 0);
        }
        // Among equals the recent one, but never before a better one.
        QCOMPARE(found(searchBlocks(registry, "norm", {"rms_norm"})).first(), QStringLiteral("rms_norm"));
        QCOMPARE(found(searchBlocks(registry, "norm", {})).first(), QStringLiteral("layer_norm"));
        QCOMPARE(found(searchBlocks(registry, "gru", {"grumml"})).first(), QStringLiteral("gru"));
    }

    void onlyWhatFitsIsFound()
    {
        const BlockRegistry registry = allSpecs();
        const auto ids = found(searchBlocks(registry, "", {}, fitting({PortType::Tokens, true})));
        QVERIFY(ids.contains("embedding"));
        QVERIFY(!ids.contains("lstm") && !ids.contains("text"));
        QStringList losses = found(searchBlocks(registry, "", {"lstm"}, fitting({PortType::Loss, false})));
        losses.sort();
        QCOMPARE(losses, QStringList({"adaptive_head", "bce", "head", "mse"}));
        QVERIFY(searchBlocks(registry, "lstm", {}, fitting({PortType::Tokens, true})).empty());
    }

    void aWireFindsItsPort()
    {
        const BlockRegistry registry = allSpecs();
        const BlockSpec& gru = *registry.find("gru");
        QCOMPARE(fittingPort(gru, {PortType::Sequence, true})->name, std::string("x"));
        QCOMPARE(fittingPort(gru, {PortType::State, true})->name,
                 std::string("state")); // optional, but there is no other
        QCOMPARE(fittingPort(gru, {PortType::Sequence, false})->name, std::string("y"));
        QCOMPARE(fittingPort(*registry.find("head"), {PortType::Targets, true})->name, std::string("targets"));
        QVERIFY(fittingPort(gru, {PortType::Tokens, true}) == nullptr);
        QVERIFY(fittingPort(gru, {PortType::Mask, false}) == nullptr);
        BlockSpec spec;
        spec.inputs = {
            {"may", PortType::Vector, "", true}, {"must", PortType::Vector, ""}, {"too", PortType::Vector, ""}};
        QCOMPARE(fittingPort(spec, {PortType::Vector, true})->name, std::string("must"));
    }

    void recentBlocksAreKept()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath("settings.ini");
        {
            QSettings settings(file, QSettings::IniFormat);
            RecentBlocks recent(settings);
            QVERIFY(recent.entries().isEmpty());
            for (const char* id : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "c"})
                recent.note(QString::fromLatin1(id));
        }
        QSettings settings(file, QSettings::IniFormat);
        QCOMPARE(RecentBlocks(settings).entries(), (QStringList{"c", "i", "h", "g", "f", "e", "d", "b"}));
    }
};

static const AreaOf<BlockSearchTest> blockSearchTestArea("blockSearch");

} // namespace unroll::test

#include "block_search_test.moc"
