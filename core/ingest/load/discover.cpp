#include "core/ingest/load/discover.hpp"

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "core/base/platform/files.hpp"
#include "core/ingest/index_file/index_places.hpp"
#include "core/ingest/index_file/summary_file.hpp"
#include "core/ingest/load/formats.hpp"
#include "core/ingest/load/left_out.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <system_error>

namespace core {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSimulated = "ideal-";

class Search {
public:
    void add_named(const fs::path& path) { add_file(path, path.filename(), true); }
    void add_folder(const fs::path& folder) { add_folder(folder, {}, 0); }
    Discovery take() {
        const auto before = [](const fs::path& a, const fs::path& b) { return name_before(a.string(), b.string()); };
        std::ranges::sort(found_.files, before, &FoundFile::path);
        std::ranges::sort(found_.others, before);
        return std::move(found_);
    }

private:
    void add_file(const fs::path& path, const fs::path& inside, bool named) {
        std::error_code error;
        const fs::path real = fs::weakly_canonical(path, error);
        if (!seen_.insert(error ? path : real).second) return;
        const std::uintmax_t size = fs::file_size(path, error);
        const std::uint64_t bytes = error ? 0 : static_cast<std::uint64_t>(size);
        if (is_index_file(path.filename().string()))
            found_.files.push_back({.path = trace_of_index(path),
                                    .bytes = bytes,
                                    .named = named,
                                    .inside = trace_of_index(inside),
                                    .index = path});
        else
            found_.files.push_back({.path = path, .bytes = bytes, .named = named, .inside = inside, .index = {}});
    }
    void add_folder(const fs::path& folder, const fs::path& inside, int depth) {
        std::error_code error;
        const fs::path real = fs::weakly_canonical(folder, error);
        if (!seen_.insert(error ? folder : real).second) return;
        if (depth > kDeepestFolder)
            return found_.diagnostics.add(
                "folder-too-deep", folder.string() + ": more than " + std::to_string(kDeepestFolder) + " levels deep");
        if (is_made_by_system(folder)) return;  // /proc has a link to every folder of the machine
        std::vector<fs::path> traces, indices, others, unknown_files;
        fs::directory_iterator it(folder, error);
        for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
            const std::string name = it->path().filename().string();
            if (name.starts_with('.')) continue;
            std::error_code unknown;
            const bool is_folder = it->is_directory(unknown);
            std::error_code ignored;
            const bool is_regular = it->is_regular_file(ignored);
            if (is_folder)
                add_folder(it->path(), inside / it->path().filename(), depth + 1);
            else if (is_named_like_trace(name))
                (is_regular ? traces : others).push_back(it->path());
            else if (is_regular && is_index_file(name))
                indices.push_back(it->path());
            else if (is_regular && is_recognised_trace(it->path()))
                traces.push_back(it->path());
            else if (is_regular)
                unknown_files.push_back(it->path());
            else if (unknown && !it->is_symlink(ignored))
                add_unreadable(it->path(), unknown);
        }
        if (error) add_unreadable(folder, error);
        sort_out_lost_dumps(unknown_files, traces);
        leave_out_simulations(traces);
        leave_out_conversions(traces);
        for (const fs::path& path : traces.empty() ? indices : traces) add_file(path, inside / path.filename(), false);
        for (const fs::path& path : others) add_file(path, inside / path.filename(), false);
    }
    // A file named like a dump beside it, or as PyTorch names dumps, was one: an empty file, say, of a full disk. The
    // reader reports it.
    void sort_out_lost_dumps(const std::vector<fs::path>& unknown_files, std::vector<fs::path>& traces) {
        std::set<std::string> stems{"nccl_trace_rank_", "comm_lib_trace_rank_"};
        for (const fs::path& path : traces) {
            const std::string name = path.filename().string();
            const std::string stem(dump_stem(name));
            if (!stem.empty() && !stems.contains(stem) && is_recognised_dump(path)) stems.insert(stem);
        }
        for (const fs::path& path : unknown_files) {
            const std::string name = path.filename().string();
            (stems.contains(std::string(dump_stem(name))) ? traces : found_.others).push_back(path);
        }
    }
    // ideal-NAME beside NAME is what a simulation made of it: another run, and no rank of this one.
    void leave_out_simulations(std::vector<fs::path>& traces) {
        const std::set<fs::path> names(traces.begin(), traces.end());
        std::erase_if(traces, [&](const fs::path& path) {
            const std::string name = path.filename().string();
            if (!name.starts_with(kSimulated)) return false;
            const fs::path real = path.parent_path() / name.substr(kSimulated.size());
            if (!names.contains(real)) return false;
            found_.diagnostics.add("simulation-left-out",
                                   path.string() + ": open it as the candidate of " + real.string());
            return true;
        });
    }
    // HOST.trace.json.gz next to HOST.xplane.pb shows the same events, and not all of them.
    void leave_out_conversions(std::vector<fs::path>& traces) {
        constexpr std::string_view kEnding = ".xplane.pb";
        std::set<fs::path> converted;
        for (const fs::path& path : traces) {
            const std::string name = path.filename().string();
            if (!name.ends_with(kEnding)) continue;
            const std::string stem = name.substr(0, name.size() - kEnding.size());
            for (const std::string& json :
                 {stem + ".trace.json.gz", stem + ".trace.json", std::string("perfetto_trace.json.gz")})
                converted.insert(path.parent_path() / json);
        }
        std::erase_if(traces, [&](const fs::path& path) {
            if (!converted.contains(path)) return false;
            found_.diagnostics.add("conversion-left-out", path.string() + ": made of the .xplane.pb next to it");
            return true;
        });
    }
    void add_unreadable(const fs::path& folder, const std::error_code& error) {
        found_.diagnostics.add("folder-unreadable", folder.string() + ": " + error.message());
    }

    Discovery found_;
    std::set<fs::path> seen_;
};

}  // namespace

bool is_named_like_trace(std::string_view file_name) {
    std::string name(file_name);
    std::ranges::transform(name, name.begin(), lower_ascii);
    if (name == "truth.json" || name == "lockstep.json") return false;
    std::string_view stem = name;
    if (stem.ends_with(".gz")) stem.remove_suffix(3);
    if (stem.ends_with(".zst")) stem.remove_suffix(4);
    if (stem.ends_with(".raw.json")) return false;  // a memory timeline, which is opened by its name alone
    return has_format_ending(stem);
}

bool name_before(std::string_view a, std::string_view b) {
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (!is_digit(a[i]) || !is_digit(b[j])) {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i;
            ++j;
            continue;
        }
        const auto number = [](std::string_view text, std::size_t& at) {
            while (at < text.size() && text[at] == '0') ++at;
            const std::size_t begin = at;
            while (at < text.size() && is_digit(text[at])) ++at;
            return text.substr(begin, at - begin);
        };
        const std::string_view x = number(a, i);
        const std::string_view y = number(b, j);
        if (x.size() != y.size()) return x.size() < y.size();
        if (x != y) return x < y;
    }
    if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
    return a < b;
}

Result<Discovery> discover_files(std::span<const fs::path> paths) {
    Search search;
    for (const fs::path& path : paths) {
        std::error_code error;
        const fs::file_status status = fs::status(path, error);
        if (!fs::exists(status)) return Error{ErrorCode::NotFound, path.string() + ": does not exist"};
        if (fs::is_directory(status))
            search.add_folder(path);
        else
            search.add_named(path);
    }
    return search.take();
}

Error no_trace_in(std::span<const std::filesystem::path> paths, const Discovery& found) {
    std::string text = paths.empty() ? "" : paths.front().string() + ": ";
    text += "no file here is named like a trace (.json, .json.gz, .pfw.gz, .trace, .sqlite, .pftrace)";
    const std::vector<LeftOut> left_out = find_left_out(found);
    std::vector<std::filesystem::path> rest;
    std::ranges::copy_if(found.others, std::back_inserter(rest), [&](const std::filesystem::path& path) {
        return std::ranges::find(left_out, path, &LeftOut::path) == left_out.end();
    });
    if (!left_out.empty()) text += "; found " + describe_left_out(left_out);
    if (!rest.empty()) text += (left_out.empty() ? "; found " : "; and ") + describe_kinds(rest);
    for (const Diagnostic& entry : found.diagnostics.entries()) {
        if (entry.kind->severity != Severity::Loss) continue;
        text += "; " + format_plural(entry.count, "folder was", "folders were") + " not searched: " + entry.first;
    }
    return {ErrorCode::NotFound, text};
}

InputFiles run_inputs(std::vector<fs::path> paths, std::vector<fs::path> others) {
    return InputFiles([paths = std::move(paths), others = std::move(others)] {
        std::vector<fs::path> inputs = others;
        inputs.insert(inputs.end(), paths.begin(), paths.end());
        for (const fs::path& path : paths) inputs.push_back(path / kSummaryFileName);
        const Result<Discovery> found = discover_files(paths);
        if (!found) return inputs;
        for (const FoundFile& file : found->files)
            for (const fs::path& read : {file.path, file.index, index_beside(file.path), index_in_cache(file.path),
                                         file.path.parent_path() / kSummaryFileName})
                if (!read.empty()) inputs.push_back(read);
        return inputs;
    });
}

}  // namespace core
