#pragma once
// Messages between processes that index a run together: the files that process 0 listed, and what each process made
// of those that it took. Bytes that are not whole are refused.

#include "core/ingest/load/discover.hpp"
#include "core/ingest/load/load_run.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

// The failure that stands for all: of the first file that is a trace, else of the first file.
struct FirstFailure {
    Error error{ErrorCode::NotFound, ""};
    std::size_t file = 0;
    void add(const Error& other, std::size_t other_file);
};
// It, and how many files there are.
Error all_failed_of(Error failure, std::size_t files);

struct Indexed {
    std::size_t arrived = 0;  // ranks
    FirstFailure failure{};
    std::vector<std::pair<std::size_t, IndexOutcome>> outcomes{};  // by number of the file in the list
};

std::string encode_files(const Result<std::vector<FoundFile>>&);
// The error that process 0 met, if it found none.
Result<std::vector<FoundFile>> decode_files(std::string_view);

// Messages of several processes may be put one after another.
std::string encode_indexed(const Indexed&);
// By file, a failure for those that no message mentions. Fails where no rank was read at all.
Result<std::vector<IndexOutcome>> decode_indexed(std::string_view, const std::vector<FoundFile>&);

}  // namespace core
