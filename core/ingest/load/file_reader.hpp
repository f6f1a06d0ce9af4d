#pragma once
// Reads trace files on several threads at once: a thread without a file of its own helps with the one that has the
// fewest threads. An exception in any of them is an error of that file alone. Any thread.

#include "core/base/jobs.hpp"
#include "core/index/rank_index.hpp"
#include "core/ingest/load/discover.hpp"
#include "core/ingest/source/load_progress.hpp"
#include "core/ingest/source/trace_reader.hpp"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace core {

class FileReader {
public:
    // step_marks: see LoadOptions. The arguments outlive the reader.
    FileReader(const ClassRules& rules, const std::string& step_marks, LoadProgress& progress, const JobContext& job)
        : rules_(rules), step_marks_(step_marks), progress_(progress), job_(job) {}

    // Called before a file is taken, so that threads without one wait for it. Followed by read() or skip().
    void expect();
    void skip();  // there was no file, or it needs no reading
    // Its ranks with their indices, never empty.
    Result<std::vector<RankIndexPtr>> read(const FoundFile&);
    // Works on another thread's file. False: none is being read or expected.
    bool help();

private:
    using ReaderPtr = std::shared_ptr<TraceReader>;
    struct Active {
        ReaderPtr reader;
        unsigned threads = 0;
    };

    Result<std::vector<RankTracePtr>> read_traces(const FoundFile&);
    void work_on(const ReaderPtr& reader);
    std::optional<Error> find_failure(const ReaderPtr& reader);

    const ClassRules& rules_;
    const std::string& step_marks_;
    LoadProgress& progress_;
    const JobContext& job_;
    std::mutex mutex_;  // of all below
    std::condition_variable opened_;
    std::size_t expected_ = 0;
    std::vector<Active> active_;
    std::map<ReaderPtr, Error> failed_;  // by an exception
};

}  // namespace core
