#pragma once
// Writes a TAR archive (POSIX ustar) member by member into an OutputFile. A member's size is known before its bytes.
// Archives of the same members are the same bytes: times are 0. Errors surface at the file's commit.

#include "core/base/output_file.hpp"

#include <cstdint>
#include <string_view>

namespace core {

class TarWriter {
public:
    explicit TarWriter(OutputFile& file) : file_(file) {}

    // The next member: a name of at most 99 bytes, and the bytes that will be written to the file before end_member.
    void begin_member(std::string_view name, std::uint64_t size);
    void end_member();  // pads to a block
    void finish();  // two empty blocks

private:
    OutputFile& file_;
    std::uint64_t size_ = 0;  // of the open member
};

}  // namespace core
