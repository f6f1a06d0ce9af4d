#pragma once
// The lines of a text file, one at a time. Holds one block and one line; a longer line is cut.

#include "core/ingest/source/byte_source.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace core {

class LineReader {
public:
    explicit LineReader(ByteSource& source, std::size_t most_bytes = std::size_t{1} << 20)
        : source_(source), most_bytes_(most_bytes) {}

    // The next line without its end, valid until the next call; false at the end of the file. An error is that of the
    // file, after all lines before it.
    Result<bool> next(std::string_view& line);
    bool is_cut() const { return cut_; }  // the line is longer than most_bytes
    bool is_last_open() const { return last_open_; }  // the file ended within the line
    std::uint64_t number() const { return number_; }  // of the line, from 1

private:
    Result<bool> fill();

    ByteSource& source_;
    std::size_t most_bytes_;
    std::vector<char> block_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    std::string line_;
    std::uint64_t number_ = 0;
    bool cut_ = false;
    bool last_open_ = false;
    bool ended_ = false;
};

}  // namespace core
