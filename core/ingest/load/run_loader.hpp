#pragma once
// Reads the files of one run, or makes their index files, on several threads: decides for each file whether to reuse
// ranks of an earlier load, to open its index file, or to read it. A WorkQueue says which file is next, a FileReader
// reads it, and a RunPublisher collects the ranks.

#include "core/cluster/work_queue.hpp"
#include "core/ingest/load/file_reader.hpp"
#include "core/ingest/load/index_cache.hpp"
#include "core/ingest/load/index_messages.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/ingest/load/run_publisher.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace core {

// Used once. Its arguments outlive it.
class RunLoader {
public:
    using Keep = RunPublisher::Keep;
    // With a keeper, index files are used. Then ranks need not be stored (Keep::Counts).
    RunLoader(Discovery found, std::string name, const LoadOptions& options, IndexCache* keeper, Keep keep,
              LoadProgress& progress, const JobContext& context, const Sharing& sharing = {});

    // Files of the folder that are not among those to read.
    void leave_out(std::vector<LeftOut> files) { publisher_.leave_out(std::move(files)); }
    // Logs of GPUs, for every Run that is published.
    void add_companions(std::vector<Companion> companions) { publisher_.add_companions(std::move(companions)); }
    // Files that answers about the run can depend on, besides those to read.
    void depend_on(std::vector<std::filesystem::path> others) { others_ = std::move(others); }
    Result<RunPtr> load();
    Result<std::vector<IndexOutcome>> build_indices();
    Result<Indexed> build_own_indices();  // of the files that this process was handed

private:
    std::optional<std::size_t> start_file();
    void work();
    Result<bool> work_all();
    void load_file(std::size_t file);
    bool reuse_ranks(std::size_t file);
    void open_index_alone(std::size_t file);
    bool claim(std::size_t file);
    void read_file(std::size_t file, const IndexCache::Found& found);
    void add_ranks(std::size_t file, const std::vector<RankIndexPtr>& ranks,
                   RunPublisher::Then then = RunPublisher::Then::Publish);
    void add_opened(std::size_t file, const RankIndexPtr& index);
    void keep_index(std::size_t file, const RankIndexPtr& index, const IndexCache::Found& found);
    void keep_none(std::size_t file, std::size_t ranks);
    void finish_file(std::size_t file, IndexOutcome outcome);
    std::shared_ptr<const RunFiles> describe_own_files() const;

    const std::vector<FoundFile> files_;
    const LoadOptions& options_;
    LoadProgress& progress_;
    const JobContext context_;
    IndexCache* const keeper_;  // may be null
    const bool shares_folder_;
    const bool handed_out_;
    const Diagnostics found_;
    const std::unique_ptr<WorkQueue> queue_;
    FileReader reader_;
    RunPublisher publisher_;
    std::vector<IndexOutcome> outcomes_;  // by file; each is written by the thread that has the file
    std::vector<unsigned char> taken_;    // likewise
    std::vector<std::optional<SourceIdentity>> sources_;  // likewise; absent: unknown
    std::vector<std::filesystem::path> others_{};
};

// Folders that could not be searched are failures, too.
void add_unsearched(const Diagnostics&, std::vector<IndexOutcome>&);
// Announces the files before any is begun.
void expect(std::span<const FoundFile> files, LoadProgress&);

}  // namespace core
