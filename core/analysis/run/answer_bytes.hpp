#pragma once
// Answers, and so partials, as bytes for other processes of the same program. A reader gives back what was written,
// cell for cell, doubles to the bit; bytes that are not whole or not possible are refused. Not a format to keep: it has
// no version, processes compare theirs before they work together.

#include "core/analysis/engine/analysis.hpp"
#include "core/cluster/byte_codec.hpp"

namespace core {

// Several answers, one after another: columns that occur again are written once.
class AnswerWriter {
public:
    void write(ByteWriter&, const Answer&);

private:
    void write_columns(ByteWriter&, const std::vector<Column>&);
    std::vector<std::vector<Column>> known_;
};

class AnswerReader {
public:
    Result<Answer> read(ByteReader&);

private:
    const std::vector<Column>* read_columns(ByteReader&);
    Table read_table(ByteReader&);
    std::vector<std::vector<Column>> known_;
};

}  // namespace core
