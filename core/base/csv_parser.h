// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

struct csv_parser; // libcsv's

namespace unroll {

/// libcsv, driven here alone: text is fed in pieces of any size, cells and records come out. Which lines are records
/// and what is said of one that is wrong is the caller's.
class CsvParser {
public:
    /// What takes cells and records, in the order of the text, while it is fed.
    class Taker {
    public:
        /// `text` is null where a cell is empty and Options::emptyIsNull; two quotes with nothing between are a text.
        virtual void takeCell(const char* text, std::size_t size) = 0;
        virtual void takeRecord() = 0;

    protected:
        ~Taker() = default;
    };

    struct Options {
        unsigned char delimiter = ',';
        unsigned char quote = '"';
        bool strict = false; ///< a sign that stands wrong beside a quote stops feed(); else it is a sign like others
        bool emptyIsNull = false;
        bool emptyRecords = false;  ///< an empty line is a record
        bool onlyLineFeeds = false; ///< lines end in LF, with or without a CR before it; blanks around a cell count
    };

    CsvParser(Taker& taker, const Options& options); ///< the taker outlives it
    ~CsvParser();
    CsvParser(const CsvParser&) = delete;
    CsvParser& operator=(const CsvParser&) = delete;

    /// How many bytes were taken. Less than all: the next one stands wrong, or there is no memory for its cell.
    std::size_t feed(std::string_view text);
    bool lacksMemory() const;   ///< that is why feed() has stopped
    void feedAsItIs(char sign); ///< takes the one that stands wrong
    bool isQuoted() const;      ///< the cell that is open began with a quote
    bool end();                 ///< of the text. False: a quote was never closed, where it is strict

private:
    std::size_t parse(std::string_view text);

    Taker& m_taker;
    unsigned char m_options;
    std::unique_ptr<csv_parser> m_parser;
};

} // namespace unroll
