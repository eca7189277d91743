// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/csv_parser.h"

#include <csv.h>

namespace unroll {

namespace {

unsigned char csvOptions(const CsvParser::Options& options)
{
    return static_cast<unsigned char>((options.strict ? CSV_STRICT | CSV_STRICT_FINI : 0) |
                                      (options.emptyIsNull ? CSV_EMPTY_IS_NULL : 0) |
                                      (options.emptyRecords ? CSV_REPALL_NL : 0));
}

void giveCsvCell(void* cell, std::size_t size, void* taker)
{
    static_cast<CsvParser::Taker*>(taker)->takeCell(static_cast<const char*>(cell), cell == nullptr ? 0 : size);
}

void giveCsvRecord(int, void* taker)
{
    static_cast<CsvParser::Taker*>(taker)->takeRecord();
}

} // namespace

CsvParser::CsvParser(Taker& taker, const Options& options)
    : m_taker(taker), m_options(csvOptions(options)), m_parser(std::make_unique<csv_parser>())
{
    csv_init(m_parser.get(), m_options);
    csv_set_delim(m_parser.get(), options.delimiter);
    csv_set_quote(m_parser.get(), options.quote);
    if (options.onlyLineFeeds) {
        csv_set_space_func(m_parser.get(), [](unsigned char c) { return static_cast<int>(c == '\r'); });
        csv_set_term_func(m_parser.get(), [](unsigned char c) { return static_cast<int>(c == '\n'); });
    }
}

CsvParser::~CsvParser()
{
    csv_free(m_parser.get());
}

std::size_t CsvParser::parse(std::string_view text)
{
    return csv_parse(m_parser.get(), text.data(), text.size(), giveCsvCell, giveCsvRecord, &m_taker);
}

std::size_t CsvParser::feed(std::string_view text)
{
    return parse(text);
}

bool CsvParser::lacksMemory() const
{
    return csv_error(m_parser.get()) != CSV_EPARSE;
}

void CsvParser::feedAsItIs(char sign)
{
    csv_set_opts(m_parser.get(), static_cast<unsigned char>(m_options & ~CSV_STRICT));
    parse({&sign, 1});
    csv_set_opts(m_parser.get(), m_options);
}

bool CsvParser::isQuoted() const
{
    return m_parser->quoted != 0;
}

bool CsvParser::end()
{
    return csv_fini(m_parser.get(), giveCsvCell, giveCsvRecord, &m_taker) == 0;
}

} // namespace unroll
