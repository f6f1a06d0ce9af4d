#include "core/base/format.hpp"
#include "core/cluster/claims.hpp"
#include "core/ingest/load/discover.hpp"
#include "core/ingest/load/index_cache.hpp"
#include "core/ingest/load/index_messages.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/ingest/load/run_loader.hpp"
#include "core/ingest/remote/remote_run.hpp"

#include <algorithm>
#include <map>

namespace core {
namespace {

// Two traces whose index files would be one.
std::optional<Error> find_clash(const std::vector<FoundFile>& files) {
    std::map<std::filesystem::path, std::filesystem::path> by_place;
    for (const FoundFile& file : files) {
        const auto [first, fresh] = by_place.try_emplace(file.inside.lexically_normal(), file.path);
        if (fresh) continue;
        return Error{ErrorCode::BadInput, first->second.string() + " and " + file.path.string() +
                                              ": both would have the index file " + file.inside.string()};
    }
    return std::nullopt;
}

Result<Discovery> find_traces_to_index(std::span<const std::filesystem::path> paths, const BuildIndexOptions& options) {
    if (const auto remote = std::ranges::find_if(paths, is_remote_path); remote != paths.end()) {
        const RemotePath path = *parse_remote_path(remote->string());
        return bad_input(remote->string() + ": index files are made where the traces are: ssh " + path.host +
                         " lockstep index " + quote_for_shell(path.path));
    }
    Result<Discovery> found = discover_files(paths);
    if (!found) return found;
    std::erase_if(found->files, [](const FoundFile& file) { return !file.index.empty(); });
    if (found->files.empty()) return no_trace_in(paths, *found);
    if (!options.folder.empty()) {
        if (std::optional<Error> clash = find_clash(found->files)) return std::move(*clash);
    }
    return found;
}

Result<std::vector<IndexOutcome>> build_index_files_together(std::span<const std::filesystem::path> paths,
                                                             const BuildIndexOptions& options, LoadProgress& progress,
                                                             const JobContext& context) {
    Team& team = *options.team;
    Diagnostics unsearched;
    std::string list;
    if (team.is_first()) {
        const Result<Discovery> found = find_traces_to_index(paths, options);
        if (found) unsearched = found->diagnostics;
        list = found ? encode_files(found->files) : encode_files(found.error());
    }
    const Result<std::string> sent = team.broadcast(std::move(list), context.stop);
    if (!sent) return sent.error();
    const Result<std::vector<FoundFile>> files = decode_files(*sent);
    if (!files) return files.error();
    LoadOptions load;
    load.threads = options.threads;
    load.rules = options.rules;
    IndexCache keeper(load.rules, options.folder);
    keeper.use_cache(options.cache_first, 0);
    const Result<Indexed> own = [&]() -> Result<Indexed> {
        Handout handout(team, files->size(), 1, context.stop);
        Discovery taken;
        taken.files = *files;
        return RunLoader(std::move(taken), "", load, &keeper, RunLoader::Keep::Counts, progress, context,
                         {.handout = &handout})
            .build_own_indices();
    }();
    if (!own) return own.error();
    const Result<std::string> all = team.reduce(
        encode_indexed(*own), [](std::string& into, std::string_view more) { into += more; }, context.stop);
    if (!all) return all.error();
    if (!team.is_first()) return std::vector<IndexOutcome>();
    Result<std::vector<IndexOutcome>> outcomes = decode_indexed(*all, *files);
    if (outcomes) add_unsearched(unsearched, *outcomes);
    return outcomes;
}

}  // namespace

Result<std::vector<IndexOutcome>> build_index_files(std::span<const std::filesystem::path> paths,
                                                    const BuildIndexOptions& options, LoadProgress& progress,
                                                    const JobContext& context) {
    if (options.team && !options.team->is_alone()) return build_index_files_together(paths, options, progress, context);
    Result<Discovery> found = find_traces_to_index(paths, options);
    if (!found) return std::move(found).error();
    expect(found->files, progress);
    LoadOptions load;
    load.threads = options.threads;
    load.rules = options.rules;
    IndexCache keeper(load.rules, options.folder);
    keeper.use_cache(options.cache_first, 0);
    std::optional<Claims> claims;
    if (options.shard) claims.emplace(options.claim_timeout);
    const Sharing sharing{.claims = claims ? &*claims : nullptr, .shard = options.shard.value_or(Shard{})};
    return RunLoader(std::move(*found), "", load, &keeper, RunLoader::Keep::Counts, progress, context, sharing)
        .build_indices();
}

MissingIndexFiles find_missing_index_files(std::span<const std::filesystem::path> paths,
                                           const BuildIndexOptions& options) {
    constexpr std::size_t kNamed = 3;
    const Result<Discovery> found = find_traces_to_index(paths, options);
    if (!found) return {};
    const IndexCache keeper(options.rules, options.folder);
    MissingIndexFiles missing{.of = found->files.size()};
    for (const FoundFile& file : found->files) {
        std::error_code ignored;
        const std::vector<std::filesystem::path> places = keeper.places_of(file);
        const auto exists = [&](const std::filesystem::path& place) { return std::filesystem::exists(place, ignored); };
        if (std::ranges::any_of(places, exists)) continue;
        if (missing.count++ < kNamed) missing.first.push_back(file.path);
    }
    return missing;
}

}  // namespace core
