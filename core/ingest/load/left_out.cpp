#include "core/ingest/load/left_out.hpp"

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace core {
namespace {

namespace fs = std::filesystem;

std::string lower_name(const fs::path& path) {
    std::string name = path.filename().string();
    std::ranges::transform(name, name.begin(), lower_ascii);
    return name;
}

// "h0" of h0.xplane.pb and of h0.trace.json.gz: a recording is often written in several forms.
std::string recording_of(std::string name) {
    constexpr std::string_view kEndings[] = {".gz",
                                             ".zst",
                                             ".xz",
                                             ".bz2",
                                             ".zip",
                                             ".tar",
                                             ".tgz",
                                             ".7z",
                                             ".json",
                                             ".pt",
                                             ".trace",
                                             ".pftrace",
                                             ".proto",
                                             ".pb",
                                             ".xplane",
                                             ".db",
                                             ".rpd",
                                             ".sqlite",
                                             ".bak",
                                             ".old",
                                             ".orig",
                                             ".nsys-rep",
                                             ".qdrep",
                                             ".qdstrm",
                                             ".pickle",
                                             ".pkl",
                                             ".pfw",
                                             ".tmp",
                                             ".csv",
                                             ".parquet",
                                             ".perfetto-trace",
                                             ".chrometrace",
                                             "~"};
    for (bool cut = true; cut;) {
        cut = false;
        for (const std::string_view ending : kEndings) {
            if (name.size() <= ending.size() || !name.ends_with(ending)) continue;
            name.resize(name.size() - ending.size());
            cut = true;
        }
    }
    return name;
}

struct Group {
    const LeftOut* first;
    std::string names;
    std::uint64_t count = 0;
};

}  // namespace

bool is_named_like_others(std::string_view name) {
    constexpr std::string_view kEndings[] = {
        ".py",  ".pyc",  ".sh",  ".md",  ".rst",   ".yaml",        ".yml",  ".toml", ".cfg", ".ini",  ".png",
        ".jpg", ".jpeg", ".gif", ".svg", ".pdf",   ".html",        ".css",  ".js",   ".ts",  ".c",    ".cc",
        ".cpp", ".h",    ".hpp", ".cu",  ".cuh",   ".ipynb",       ".pt",   ".pth",  ".npy", ".npz",  ".ckpt",
        ".so",  ".a",    ".o",   ".whl", ".model", ".safetensors", ".lock", ".gguf", ".jar", ".docx", ".lockstep"};
    return std::ranges::any_of(kEndings, [&](std::string_view ending) { return name.ends_with(ending); });
}

std::vector<LeftOut> find_left_out(const Discovery& found) {
    std::map<std::pair<fs::path, std::string>, fs::path> read;
    for (const FoundFile& file : found.files)
        read.try_emplace({file.path.parent_path(), recording_of(lower_name(file.path))}, file.path);
    std::vector<LeftOut> left_out;
    std::size_t heads = 0;
    for (const fs::path& path : found.others) {
        const std::string name = lower_name(path);
        if (is_named_like_others(name)) continue;
        if (!is_named_like_profile(name) && ++heads > kMostHeads) continue;
        std::optional<UnreadKind> kind = find_unread_kind(path);
        if (!kind) continue;
        const auto same = read.find({path.parent_path(), recording_of(name)});
        left_out.push_back(
            {.path = path, .kind = *std::move(kind), .same = same == read.end() ? fs::path() : same->second});
    }
    return left_out;
}

std::string describe_left_out(std::span<const LeftOut> files) {
    constexpr std::size_t kMostNames = 8;
    std::vector<Group> groups;
    for (const LeftOut& file : files) {
        auto known = std::ranges::find_if(groups, [&](const Group& group) {
            return group.first->kind.one == file.kind.one && group.first->same.empty() == file.same.empty();
        });
        if (known == groups.end()) known = groups.insert(groups.end(), Group{.first = &file, .names = {}});
        if (known->count < kMostNames)
            known->names.append(known->count == 0 ? "" : ", ").append(file.path.filename().string());
        ++known->count;
    }
    std::ranges::stable_sort(groups, std::greater{}, &Group::count);
    std::string text;
    for (const Group& group : groups) {
        const LeftOut& first = *group.first;
        text.append(text.empty() ? "" : "; ").append(format_plural(group.count, first.kind.one, first.kind.many));
        text.append(" (").append(group.names);
        if (group.count > kMostNames) text.append(", ...");
        text.append(")");
        if (!first.same.empty())
            text.append(": the same recording as ").append(first.same.filename().string()).append(", which is read");
        else if (!first.kind.next.empty())
            text.append(group.count > 1 ? ": for each, " : ": ").append(first.kind.next);
    }
    return text;
}

void add_left_out(std::span<const LeftOut> files, Diagnostics& diagnostics) {
    const auto add = [&](std::string_view id, bool lost) {
        std::vector<LeftOut> some;
        std::ranges::copy_if(files, std::back_inserter(some),
                             [&](const LeftOut& file) { return (file.kind.is_profile && file.same.empty()) == lost; });
        if (!some.empty()) diagnostics.add(id, describe_left_out(some), some.size());
    };
    add("profile-left-out", true);
    add("file-left-out", false);
}

}  // namespace core
