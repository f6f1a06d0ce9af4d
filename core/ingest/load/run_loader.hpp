#pragma once
// Reads the files of one run on several threads, or makes their index files, alone or together with other processes.

#include "core/cluster/claims.hpp"
#include "core/ingest/load/assemble_run.hpp"
#include "core/ingest/load/formats.hpp"
#include "core/ingest/load/hand_over.hpp"
#include "core/ingest/load/index_cache.hpp"
#include "core/ingest/load/index_messages.hpp"
#include "core/ingest/load/left_out.hpp"
#include "core/ingest/load/load_run.hpp"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace core {

// Work done together with other processes.
struct Sharing {
    Claims* claims = nullptr;  // of processes that share a folder; null: none
    Shard shard{};
    Handout* handout = nullptr;  // of processes that pass messages; null: none
};

// Used once. What it is given outlives it.
class RunLoader {
public:
    // With a keeper, index files are used. Then ranks can be let go as they arrive (Keep::Indices).
    enum class Keep { Ranks, Indices };
    RunLoader(Discovery found, std::string name, const LoadOptions& options, IndexCache* keeper, Keep keep,
              LoadProgress& progress, const JobContext& context, const Sharing& sharing = {});

    // Files of the folder that are not among those to read.
    void leave_out(std::vector<LeftOut> files) { left_out_ = std::move(files); }
    // Logs of GPUs, for every Run that is handed over.
    void add_companions(std::vector<Companion> companions) { companions_ = std::move(companions); }
    Result<RunPtr> load();
    Result<std::vector<IndexOutcome>> build_indices();
    Result<Indexed> build_own_indices();

private:
    struct Active {
        std::shared_ptr<TraceReader> reader;
        unsigned threads = 0;
    };

    void work();
    bool start_file(std::size_t& file);
    bool use_kept(std::size_t file);
    bool take_file(std::size_t& file);
    void load_file(std::size_t file);
    void read_file(std::size_t file, const IndexCache::Found& found);
    void open_index_alone(std::size_t file);
    Result<std::vector<RankIndexPtr>> read_ranks(std::size_t file);
    Result<std::vector<RankTracePtr>> read_traces(std::size_t file);
    void keep_index(std::size_t file, const RankIndexPtr& index, const IndexCache::Found& found);
    void finish_file(std::size_t file, IndexOutcome outcome);
    bool claim(std::size_t file);
    void release(std::size_t file, const IndexOutcome& outcome);
    void leave();
    bool take_up_again();
    void note(std::string_view kind, std::size_t file, const std::string& what);
    Result<bool> work_all();
    bool help();
    void work_on(const std::shared_ptr<TraceReader>& reader);
    std::optional<Error> find_failure(const std::shared_ptr<TraceReader>& reader);
    bool is_no_trace(std::size_t file, const Error& error) const {
        return error.code == ErrorCode::NotFound && !files_[file].named;
    }
    void file_failed(std::size_t file, const Error& error);
    enum class Then { Done, MayFollow };  // Done: load() itself returns the run of these ranks, at once
    void file_arrived(std::size_t file, const std::vector<RankIndexPtr>& ranks, Then then = Then::MayFollow);
    void keep_none(std::size_t file, std::size_t ranks);
    bool is_hand_over_due() const;
    void hand_over();
    void hand_over_rest();
    Error all_failed() const;
    RunPtr build_run() const;

    std::vector<FoundFile> files_;
    std::string name_;
    const LoadOptions& options_;
    LoadProgress& progress_;
    const JobContext context_;
    std::shared_ptr<InternedNames> names_;
    std::vector<std::size_t> largest_first_;
    IndexCache* keeper_;  // may be null
    Keep keep_;
    Claims* claims_;  // may be null
    Handout* handout_;  // may be null
    std::vector<bool> taken_{};  // by file, with a handout: by this process
    std::vector<std::filesystem::path> claimed_;  // by file; empty: not ours

    std::mutex mutex_;  // of all below
    std::condition_variable opened_;
    std::size_t next_ = 0;  // in largest_first_
    std::vector<std::size_t> left_;  // to other processes, for now
    std::chrono::milliseconds patience_{50};
    std::size_t opening_ = 0;
    std::vector<Active> active_;
    std::map<std::shared_ptr<TraceReader>, Error> failed_;  // by an exception
    std::vector<std::vector<LoadedRank>> loaded_;  // by file; empty: not (yet) read
    std::vector<IndexOutcome> outcomes_;
    std::size_t arrived_ = 0;
    HandOver handed_over_;
    std::chrono::steady_clock::time_point handed_over_at_{};
    Diagnostics troubles_;
    std::vector<LeftOut> left_out_;
    std::vector<Companion> companions_;
    FirstFailure first_failure_{};
    std::mutex publishing_;
};

// Folders that could not be searched are failures, too.
void add_unsearched(const Diagnostics&, std::vector<IndexOutcome>&);
// Announces the files before any is begun.
void expect(std::span<const FoundFile> files, LoadProgress&);

}  // namespace core
