#include "core/ingest/load/file_reader.hpp"

#include "core/ingest/index_file/thin_rank.hpp"
#include "core/ingest/load/formats.hpp"

#include <algorithm>
#include <utility>

namespace core {
namespace {

// Runs a step in reading one file; an exception in it is an error of that file alone.
template <class Step>
auto result_of(const Step& step) -> decltype(step()) {
    try {
        return step();
    } catch (const std::exception& exception) {
        return reader_error(exception);
    }
}

}  // namespace

void FileReader::expect() {
    const std::lock_guard lock(mutex_);
    ++expected_;
}

void FileReader::skip() {
    {
        const std::lock_guard lock(mutex_);
        --expected_;
    }
    opened_.notify_all();
}

Result<std::vector<RankIndexPtr>> FileReader::read(const FoundFile& file) {
    Result<std::vector<RankTracePtr>> traces = read_traces(file);
    if (!traces) return std::move(traces).error();
    return result_of([&]() -> Result<std::vector<RankIndexPtr>> {
        std::vector<RankIndexPtr> ranks(traces->size());
        const bool of_summary = summary_of(*traces->front()) != nullptr;
        job_.parallel_for(ranks.size(), [&](std::size_t i) {
            ranks[i] = of_summary ? index_of_summary((*traces)[i])
                                  : std::make_shared<const RankIndex>(std::move((*traces)[i]), rules_, job_);
        });
        return ranks;
    });
}

Result<std::vector<RankTracePtr>> FileReader::read_traces(const FoundFile& file) {
    Result<std::unique_ptr<TraceReader>> opened = result_of([&] { return open_trace(file.path, progress_); });
    ReaderPtr reader;
    if (opened) {
        reader = std::move(*opened);
        reader->choose_steps(step_marks_);
    }
    {
        const std::lock_guard lock(mutex_);
        if (reader) active_.push_back({reader, 1});
        --expected_;
    }
    opened_.notify_all();
    if (!reader) {
        progress_.bytes_done += file.bytes;
        return std::move(opened).error();
    }
    work_on(reader);
    if (std::optional<Error> failed = find_failure(reader)) return *std::move(failed);
    Result<std::vector<RankTracePtr>> traces = result_of([&] { return reader->finish_ranks(job_); });
    if (std::optional<Error> failed = find_failure(reader)) return *std::move(failed);
    return traces;
}

std::optional<Error> FileReader::find_failure(const ReaderPtr& reader) {
    const std::lock_guard lock(mutex_);
    const auto failed = failed_.find(reader);
    return failed == failed_.end() ? std::nullopt : std::optional(failed->second);
}

void FileReader::work_on(const ReaderPtr& reader) {
    const Result<bool> worked = result_of([&]() -> Result<bool> {
        reader->work(job_);
        return true;
    });
    const std::lock_guard lock(mutex_);
    if (!worked) failed_.try_emplace(reader, worked.error());
    std::erase_if(active_, [&](const Active& active) { return active.reader == reader; });
}

bool FileReader::help() {
    ReaderPtr reader;
    {
        std::unique_lock lock(mutex_);
        opened_.wait(lock, [&] { return !active_.empty() || expected_ == 0; });
        const auto fewest = std::ranges::min_element(active_, {}, &Active::threads);
        if (fewest == active_.end()) return false;
        ++fewest->threads;
        reader = fewest->reader;
    }
    work_on(reader);
    return true;
}

}  // namespace core
