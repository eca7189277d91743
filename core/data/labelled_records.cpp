// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labelled_records.h"

#include "core/base/memory.h"
#include "core/base/number_text.h"
#include "core/data/labelled_folder.h"
#include "core/data/part_names.h"
#include "core/data/records.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace unroll {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostLabelsNamed = 20; // in a sentence

/// The column of texts where the user has named none: one called text or sentence, else the longest of those that are
/// left.
size_t columnOfTexts(const Records& records, size_t labels)
{
    for (const char* usual : {"text", "sentence", "review", "content", "message"})
        for (size_t column = 0; column < records.width(); ++column)
            if (column != labels && isCalled(records.names[column], {usual}))
                return column;
    std::vector<size_t> characters(records.width());
    for (const Records::Row& row : records.rows)
        for (size_t column = 0; column < records.width(); ++column)
            characters[column] += column == labels ? 0 : row.cells[column].size() + 1;
    return static_cast<size_t>(std::max_element(characters.begin(), characters.end()) - characters.begin());
}

struct Columns {
    size_t text = 0, label = 0;
};

/// One row, which neither the wishes nor the column that is asked for make a record of.
bool isHeaderAlone(const Records& records, const LabelledTextOptions& options)
{
    if (records.hasNames || records.rows.size() != 1 || !options.table.headerRows.empty())
        return false;
    const auto& cells = records.rows.front().cells;
    return options.labelColumn.empty() || std::find(cells.begin(), cells.end(), options.labelColumn) != cells.end();
}

Result<Columns> columnsOf(const Records& records, const LabelledTextOptions& options)
{
    if (records.width() < 2)
        return fail("has one column; two are needed, a text and a label, separated by comma, semicolon, tab or bar",
                    records.name);
    if (isHeaderAlone(records, options))
        return fail("has a header and no rows below it", records.name);
    const auto label = options.labelColumn.empty() ? columnOfLabels(records, RecordKind::Texts)
                                                   : columnCalled(records, options.labelColumn);
    if (!label)
        return fail(label.error().text(), "label_column");
    if (options.textColumn.empty())
        return Columns{columnOfTexts(records, *label), *label};
    const auto text = columnCalled(records, options.textColumn);
    if (!text)
        return fail(text.error().text(), "text_column");
    if (*text == *label)
        return fail(fmt::format("text and label are both column {}", records.names[*text]), "text_column");
    return Columns{*text, *label};
}

/// "3 records have no label, the first in line 7: left out."
void noteLeftOut(LabelledTexts& texts, int64_t count, const std::string& first, const char* lacking)
{
    if (count > 0)
        texts.notices.emplace_back("left-out",
                                   fmt::format("{} {} no {}, the first in {}: left out.", counted(count, "record"),
                                               count == 1 ? "has" : "have", lacking, first),
                                   true);
}

/// Records that lack a label or a text are left out. `file`: as sentences call it; empty: it is the only one.
Result<void> takeRecords(Records& records, const Columns& columns, const std::string& file, LabelledTexts& texts)
{
    const size_t before = texts.texts.size();
    int64_t unlabelled = 0, firstUnlabelled = 0, empty = 0, firstEmpty = 0;
    for (Records::Row& row : records.rows) {
        const std::string label(withoutBlanks(row.cells[columns.label]));
        if (label.empty()) {
            firstUnlabelled = unlabelled++ == 0 ? row.line : firstUnlabelled;
        } else if (withoutBlanks(row.cells[columns.text]).empty()) {
            firstEmpty = empty++ == 0 ? row.line : firstEmpty;
        } else {
            texts.texts.push_back(std::move(row.cells[columns.text]));
            texts.labels.push_back(label);
            texts.lines.push_back(row.line);
            if (!file.empty())
                texts.files.push_back(file);
        }
    }
    const auto line = [&](int64_t number) {
        return fmt::format("{}line {}", file.empty() ? file : file + ", ", grouped(number));
    };
    noteLeftOut(texts, unlabelled, line(firstUnlabelled), "label");
    noteLeftOut(texts, empty, line(firstEmpty), "text");
    if (texts.texts.size() == before)
        return fail(fmt::format("no record has a text in column {} and a label in column {}",
                                records.names[columns.text], records.names[columns.label]),
                    records.name);
    return {};
}

void noteForm(const Records& records, const Columns& columns, LabelledTexts& texts)
{
    texts.notices.emplace_back(fmt::format("Read as: {}; texts from column {}, labels from column {}.", records.form,
                                           records.names[columns.text], records.names[columns.label]));
}

Result<LabelledTexts> readFile(const fs::path& file, const LabelledTextOptions& options)
{
    auto records = openRecords(file, RecordKind::Texts, options.table, options.memoryLimit);
    if (!records)
        return tl::unexpected(records.error());
    const auto columns = columnsOf(*records, options);
    if (!columns)
        return tl::unexpected(columns.error());
    LabelledTexts texts;
    texts.name = records->name;
    noteForm(*records, *columns, texts);
    if (auto taken = takeRecords(*records, *columns, {}, texts); !taken)
        return tl::unexpected(taken.error());
    return texts;
}

Result<LabelledTexts> readFolderByLabel(const LabelledTextOptions& options)
{
    auto found =
        readLabelledFolder(options.file, options.memoryLimit == 0 ? availableMemory() / 8 : options.memoryLimit);
    if (!found)
        return tl::unexpected(found.error());
    LabelledTexts texts;
    texts.name = options.file.string();
    texts.notices.emplace_back(found->tests.empty() ? "Read as: a folder for each label."
                                                    : "Read as: a folder for each label, in train and in test.");
    if (found->unlabelled > 0)
        texts.notices.emplace_back(
            fmt::format("{} in unsup: unlabelled, left out.", counted(found->unlabelled, "file")));
    int64_t empty = 0;
    for (size_t i = 0; i < found->texts.size(); ++i) {
        if (withoutBlanks(found->texts[i]).empty()) {
            ++empty;
            continue;
        }
        texts.texts.push_back(std::move(found->texts[i]));
        texts.labels.push_back(std::move(found->labels[i]));
        texts.files.push_back(std::move(found->files[i]));
        texts.lines.push_back(0);
        if (!found->tests.empty())
            texts.parts.push_back(found->tests[i] ? Split::Test : Split::Train);
    }
    if (empty > 0)
        texts.notices.emplace_back("left-out", fmt::format("{} without text: left out.", counted(empty, "file")), true);
    return texts;
}

/// What of a folder may be data in files of records.
struct FolderFiles {
    std::vector<std::string> records; // names, in their order
    bool parquet = false;             // some are called .parquet
    bool folders = false;             // there are folders beside them
};

FolderFiles filesIn(const fs::path& folder)
{
    FolderFiles found;
    std::error_code error;
    for (fs::directory_iterator walk(folder, error); !error && walk != fs::directory_iterator();
         walk.increment(error)) {
        const std::string name = walk->path().filename().string(), ending = loweredName(walk->path().extension());
        if (name.starts_with('.'))
            continue;
        found.folders = found.folders || walk->is_directory(error);
        found.parquet = found.parquet || ending == ".parquet";
        for (const char* known : {".jsonl", ".ndjson", ".json", ".csv", ".tsv"})
            if (ending == known && walk->is_regular_file(error))
                found.records.push_back(name);
    }
    std::sort(found.records.begin(), found.records.end());
    return found;
}

/// Files of records, rather than a folder for each label.
bool holdsRecords(const fs::path& folder, const FolderFiles& files)
{
    std::error_code error;
    const auto trains = [](const std::string& name) { return hasWord(loweredName(name), kTrainWords.front()); };
    return !files.records.empty() && !fs::is_directory(folder / "train", error) &&
           (!files.folders || std::any_of(files.records.begin(), files.records.end(), trains));
}

/// The files of a folder, the training file first: its columns are those of the others.
class PartsReader {
public:
    explicit PartsReader(const LabelledTextOptions& options) : m_options(options), m_table(options.table)
    {
        m_texts.name = options.file.string();
    }

    Result<void> take(const std::string& file, Split part)
    {
        auto records = openRecords(m_options.file / file, RecordKind::Texts, m_table, m_options.memoryLimit);
        if (!records)
            return tl::unexpected(records.error());
        const auto columns = part == Split::Train ? columnsOf(*records, m_options) : columnsAsTrained(*records);
        if (!columns)
            return tl::unexpected(columns.error());
        if (part == Split::Train)
            begin(*records, *columns, file);
        else
            m_texts.notices.emplace_back(
                fmt::format("The {} part is {}.", part == Split::Test ? "test" : "validation", file));
        if (auto taken = takeRecords(*records, *columns, file, m_texts); !taken)
            return taken;
        const size_t before = m_texts.parts.size();
        m_texts.parts.resize(m_texts.texts.size(), part);
        return part == Split::Train ? Result<void>() : refuseOtherLabels(before);
    }
    LabelledTexts finish() { return std::move(m_texts); }

private:
    /// Whether the first row has names is the same in all tables.
    void begin(const Records& records, const Columns& columns, const std::string& file)
    {
        noteForm(records, columns, m_texts);
        m_first = file;
        m_names = {records.names[columns.text], records.names[columns.label]};
        if (m_table.headerRows.empty() || m_table.headerRows == "auto")
            m_table.headerRows = records.hasNames ? "1" : "0";
    }

    Result<Columns> columnsAsTrained(const Records& records) const
    {
        std::array<size_t, 2> found{};
        for (size_t i = 0; i < found.size(); ++i) {
            const auto column = columnCalled(records, m_names[i]);
            if (!column)
                return fail(fmt::format("has no column {}, which {} has; it has {}", m_names[i], m_first,
                                        fmt::join(records.names, ", ")),
                            records.name);
            found[i] = *column;
        }
        return Columns{found[0], found[1]};
    }

    /// A label that is not trained on cannot be learned. What a trained model reads is compared with its own labels.
    Result<void> refuseOtherLabels(size_t before) const
    {
        std::set<std::string> known;
        for (size_t i = 0; i < m_texts.labels.size(); ++i) {
            if (m_texts.parts[i] == Split::Train)
                known.insert(m_texts.labels[i]);
            else if (i >= before && m_options.labels.empty() && !known.contains(m_texts.labels[i]))
                return fail(fmt::format("{}: no record of {} has the label {}; it has {}", m_texts.place(i), m_first,
                                        m_texts.labels[i],
                                        listed(std::vector(known.begin(), known.end()), kMostLabelsNamed)),
                            m_texts.name);
        }
        return {};
    }

    const LabelledTextOptions& m_options;
    TableWishes m_table;
    LabelledTexts m_texts;
    std::string m_first;                // the training file
    std::array<std::string, 2> m_names; // its columns of texts and of labels
};

Result<LabelledTexts> readParts(const std::vector<std::string>& files, const LabelledTextOptions& options)
{
    const auto roles = partRoles(files, options.file.string());
    if (!roles)
        return tl::unexpected(roles.error());
    if (files.size() == 1)
        return readFile(options.file / files.front(), options);
    PartsReader reader(options);
    for (const auto& [role, part] :
         {std::pair(roles->train, Split::Train), {roles->validation, Split::Validation}, {roles->test, Split::Test}})
        if (role < files.size())
            if (auto taken = reader.take(files[role], part); !taken)
                return tl::unexpected(taken.error());
    LabelledTexts texts = reader.finish();
    for (size_t i = 0; i < files.size(); ++i)
        if (i != roles->train && i != roles->validation && i != roles->test)
            texts.notices.emplace_back(fmt::format("{} is called neither train, valid nor test: left out.", files[i]));
    return texts;
}

Result<LabelledTexts> readFolder(const LabelledTextOptions& options)
{
    const FolderFiles files = filesIn(options.file);
    if (holdsRecords(options.file, files))
        return readParts(files.records, options);
    if (files.parquet && !files.folders)
        return fail("contains Parquet files: unroll-cli prepare FOLDER --out OTHER writes them as JSON Lines",
                    options.file.string());
    return readFolderByLabel(options);
}

LabelledTexts bundledTexts()
{
    LabelledTexts texts;
    texts.name = "bundled sentences";
    texts.bundled = true;
    for (LabelledSentence& sentence : makeLabelledSentences()) {
        texts.texts.push_back(std::move(sentence.text));
        texts.labels.push_back(std::move(sentence.label));
        texts.lines.push_back(std::ssize(texts.texts));
    }
    return texts;
}

} // namespace

std::string LabelledTexts::place(size_t i) const
{
    if (files.empty())
        return fmt::format("line {}", lines[i]);
    return lines[i] == 0 ? files[i] : fmt::format("{}, line {}", files[i], lines[i]);
}

Result<LabelledTexts> readLabelledTexts(const LabelledTextOptions& options)
{
    if (options.file.empty())
        return bundledTexts();
    std::error_code error;
    return fs::is_directory(options.file, error) ? readFolder(options) : readFile(options.file, options);
}

} // namespace unroll
