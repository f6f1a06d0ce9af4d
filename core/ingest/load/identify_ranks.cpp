#include "core/ingest/load/identify_ranks.hpp"

#include "core/base/ascii.hpp"
#include "core/ingest/load/find_other_runs.hpp"
#include "core/ingest/load/number_captures.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace core {
namespace {

constexpr std::size_t kMostDigits = 7;
constexpr int kFoldersUp = 3;
constexpr std::int64_t kLeastDate =
    std::int64_t{86'400} * 365 * 1'000'000'000;  // a year: earlier times are not of a calendar

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

struct RankWord {
    std::string_view text;
    bool dashed = false;  // "TP-3" is a rank, "tp4" and "tp_4" the size of a group
};
constexpr RankWord kRankWords[] = {{"rank"}, {"worker"}, {"tp", true}, {"kineto"}, {"gpu"}};

// The number behind the word, with at most one separator between.
std::optional<int> number_after(std::string_view name, const RankWord& rank_word) {
    const std::string_view word = rank_word.text;
    for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
        if (at > 0 && is_letter(name[at - 1])) continue;
        std::size_t begin = at + word.size();
        const char behind = begin < name.size() ? name[begin] : '\0';
        if (rank_word.dashed ? behind == '-' : std::string_view("-_.=: [").find(behind) != std::string_view::npos)
            ++begin;
        else if (rank_word.dashed)
            continue;
        std::size_t end = begin;
        while (end < name.size() && is_digit(name[end])) ++end;
        if (end == begin || end - begin > kMostDigits) continue;
        return std::stoi(std::string(name.substr(begin, end - begin)));
    }
    return std::nullopt;
}

// Number of files below each folder, for the few levels that count.
std::map<std::filesystem::path, std::size_t> count_files(std::span<const RankClaim> claims) {
    std::map<std::filesystem::path, std::size_t> counts;
    for (const RankClaim& claim : claims) {
        std::filesystem::path folder = claim.path.parent_path();
        for (int up = 0; up < kFoldersUp && !folder.empty(); ++up, folder = folder.parent_path()) ++counts[folder];
    }
    return counts;
}

std::string text_of(RankSource source) {
    switch (source) {
        case RankSource::FileName:
            return "from its name";
        case RankSource::FolderName:
            return "from its folder's name";
        case RankSource::Order:
            return "from the order of names";
        default:
            return "as the file says";
    }
}

// "python3.2000.3.json" of process 2000, as unitrace names rank 3's file; "perfetto-trace-3.proto", as ROCm Systems
// Profiler does, whose number is the process's where it knows no rank.
std::optional<int> find_rank_by_process(const RankClaim& claim) {
    const std::string name = claim.path.filename().string();
    constexpr std::string_view kPerfetto = "perfetto-trace-";
    const auto number_of = [](std::string_view digits) -> std::optional<int> {
        if (digits.empty() || digits.size() > kMostDigits || !std::ranges::all_of(digits, is_digit))
            return std::nullopt;
        return std::stoi(std::string(digits));
    };
    if (name.starts_with(kPerfetto)) {
        const std::string_view rest = std::string_view(name).substr(kPerfetto.size());
        const std::string_view digits = rest.substr(0, std::min(rest.find('.'), rest.size()));
        return digits == claim.process ? std::nullopt : number_of(digits);
    }
    const std::string middle = "." + claim.process + ".";
    const std::size_t at = claim.process.empty() ? std::string::npos : name.find(middle);
    if (at == std::string::npos || at == 0) return std::nullopt;
    const std::string_view rest = std::string_view(name).substr(at + middle.size());
    return rest.ends_with(".json") || rest.ends_with(".json.gz") || rest.ends_with(".json.zst")
               ? number_of(rest.substr(0, rest.find('.')))
               : std::nullopt;
}

RankIdentity claim_number(const RankClaim& claim, const std::map<std::filesystem::path, std::size_t>& counts) {
    if (claim.is_log) {
        if (claim.stated) return {{*claim.stated, 0}, RankSource::DistributedInfo};
    } else if (claim.is_snapshot) {
        if (const auto rank = find_rank_of_snapshot(claim.path.filename().string()))
            return {{*rank, 0}, RankSource::FileName};
    } else if (claim.is_dump) {
        if (const auto rank = find_rank_of_dump(claim.path.filename().string()))
            return {{*rank, 0}, RankSource::FileName};
    }
    if (claim.stated) return {{*claim.stated, 0}, RankSource::DistributedInfo};
    if (claim.is_one_of_several) return {{-1, 0}, RankSource::Order};  // a name speaks of one rank
    if (const auto rank = find_rank_in_name(claim.path.filename().string())) return {{*rank, 0}, RankSource::FileName};
    if (const auto rank = find_rank_by_process(claim)) return {{*rank, 0}, RankSource::FileName};
    std::filesystem::path folder = claim.path.parent_path();
    for (int up = 0; up < kFoldersUp && !folder.empty(); ++up, folder = folder.parent_path()) {
        if (counts.at(folder) != 1) break;
        if (const auto rank = find_rank_in_name(folder.filename().string()))
            return {{*rank, 0}, RankSource::FolderName};
    }
    return {{-1, 0}, RankSource::Order};
}

std::string lower_of(std::string_view name) {
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return lower;
}

struct GridPlace {
    std::size_t claim = 0;
    int stage = 0, shard = 0;
};

// SGLang's "TP-1-PP-0", which says no rank by itself.
std::optional<GridPlace> find_grid_place(std::size_t i, const RankClaim& claim) {
    const std::string name = lower_of(claim.path.filename().string());
    if (number_after(name, {"rank"}) || number_after(name, {"worker"})) return std::nullopt;
    const std::optional<int> shard = number_after(name, {"tp", true}), stage = number_after(name, {"pp", true});
    if (!shard || !stage) return std::nullopt;
    return GridPlace{i, *stage, *shard};
}

// With several stages the number counts stage by stage, each as wide as the widest.
void number_grid(std::span<const RankClaim> claims, std::span<RankIdentity> ranks) {
    std::vector<GridPlace> places;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (ranks[i].source != RankSource::FileName || claims[i].is_dump) continue;
        if (const std::optional<GridPlace> place = find_grid_place(i, claims[i])) places.push_back(*place);
    }
    std::set<int> stages;
    int width = 0;
    for (const GridPlace& place : places) {
        stages.insert(place.stage);
        width = std::max(width, place.shard + 1);
    }
    constexpr int kMostRanks = 10'000'000;
    if (stages.size() < 2 || std::int64_t{*stages.rbegin() + 1} * width > kMostRanks) return;
    for (const GridPlace& place : places) ranks[place.claim].key.number = place.stage * width + place.shard;
}

// The host of a file of devices: what it states, else the name before the format's ending.
std::string host_of(const RankClaim& claim) {
    if (!claim.gpus.host.empty()) return claim.gpus.host;
    const std::string name = claim.path.filename().string();
    return name.substr(0, std::min(name.find(".xplane.pb"), name.find(".trace.json")));
}

// Hosts that were recorded at one time.
struct Recording {
    std::filesystem::path folder;  // of its first file
    RankRange window;
    std::map<std::string, std::int32_t> base_of_host;  // number of a host's first device
    std::int32_t next = 0;
};

bool overlap(const RankRange& a, const RankRange& b) { return a.begin < b.end && b.begin < a.end; }

// Times that count from the start of the recording place no file among others.
bool is_dated(const RankRange& window) { return !window.empty() && ns_of(window.begin) > kLeastDate; }

// The recording that a file of devices belongs to: one of the same time; without dates, one of the same folder that
// lacks its host.
Recording* find_recording(std::vector<Recording>& recordings, const std::filesystem::path& folder,
                          const RankRange& window, const std::string& host) {
    for (Recording& recording : recordings) {
        const bool are_dated = is_dated(recording.window) && is_dated(window);
        const bool belongs = are_dated ? overlap(recording.window, window)
                                       : recording.folder == folder && !recording.base_of_host.contains(host);
        if (belongs) return &recording;
    }
    return nullptr;
}

// Devices count on from host to host of one recording, in the order of the names of their files; each recording counts
// from 0, as its hosts did.
void number_devices(std::span<const RankClaim> claims, std::span<RankIdentity> ranks) {
    std::vector<Recording> recordings;
    std::map<std::string, std::int32_t> base_of_host;  // of all recordings, the first that has it
    for (std::size_t first = 0; first < claims.size();) {
        std::size_t last = first;
        RankRange window = claims[first].window;
        std::int32_t most = -1;
        for (; last < claims.size() && claims[last].path == claims[first].path; ++last) {
            if (!claims[last].is_device) continue;
            most = std::max(most, ranks[last].key.number);
            window = {std::min(window.begin, claims[last].window.begin), std::max(window.end, claims[last].window.end)};
        }
        if (most >= 0) {
            const std::string host = host_of(claims[first]);
            const std::filesystem::path folder = claims[first].path.parent_path();
            Recording* recording = find_recording(recordings, folder, window, host);
            if (recording == nullptr) {
                recordings.push_back({.folder = folder, .window = window, .base_of_host = {}, .next = 0});
                recording = &recordings.back();
            }
            // Several processes of one host, too, count on.
            const auto known = base_of_host.find(host);
            const bool is_again = known != base_of_host.end() && !recording->base_of_host.contains(host);
            const std::int32_t base = is_again ? known->second : recording->next;
            base_of_host.try_emplace(host, base);
            recording->base_of_host.try_emplace(host, base);
            recording->next = std::max(recording->next, base + most + 1);
            recording->window = {std::min(recording->window.begin, window.begin),
                                 std::max(recording->window.end, window.end)};
            for (std::size_t i = first; i < last; ++i)
                if (claims[i].is_device) ranks[i].key.number += base;
        }
        first = last;
    }
}

// The part that the names of all windows of one process share: "node1_4711" of
// "node1_4711.1781012345678901234.pt.trace.json" and of "libkineto_trace_node1_4711.json". Empty: nothing tells the
// process.
std::string find_process_in_name(const RankClaim& claim) {
    constexpr std::size_t kFewestTimeDigits = 10;
    if (claim.process.empty()) return {};
    std::string name = claim.path.filename().string();
    name.resize(std::min(name.find(".pt.trace"), name.find(".json")) == std::string::npos
                    ? 0
                    : std::min(name.find(".pt.trace"), name.find(".json")));
    const std::size_t dot = name.rfind('.');
    const std::string_view time =
        dot == std::string::npos ? std::string_view() : std::string_view(name).substr(dot + 1);
    if (time.size() >= kFewestTimeDigits && std::ranges::all_of(time, is_digit)) name.resize(dot);
    return name.ends_with("_" + claim.process) ? name : std::string();
}

// Whether they follow one another.
bool are_apart(std::span<const RankClaim> claims, std::vector<std::size_t> files) {
    std::ranges::sort(files, {}, [&](std::size_t i) { return claims[i].window.begin; });
    for (std::size_t k = 0; k < files.size(); ++k) {
        if (claims[files[k]].window.empty()) return false;
        if (k > 0 && claims[files[k]].window.begin < claims[files[k - 1]].window.end) return false;
    }
    return true;
}

// For each claim the first one that is a window of the same process, where no number tells the rank.
std::vector<std::size_t> find_first_windows(std::span<const RankClaim> claims, std::span<const RankIdentity> ranks) {
    std::map<std::string, std::vector<std::size_t>> windows;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (ranks[i].key.number >= 0 || claims[i].is_one_of_several || claims[i].is_dump) continue;
        if (std::string process = find_process_in_name(claims[i]); !process.empty())
            windows[std::move(process)].push_back(i);
    }
    std::vector<std::size_t> first(claims.size());
    std::iota(first.begin(), first.end(), std::size_t{0});
    for (const auto& [process, files] : windows)
        if (are_apart(claims, files))
            for (const std::size_t i : files) first[i] = files.front();
    return first;
}

}  // namespace

std::optional<int> find_rank_in_name(std::string_view name) {
    const std::string lower = lower_of(name);
    for (const RankWord& word : kRankWords) {
        if (const std::optional<int> number = number_after(lower, word)) return number;
    }
    return std::nullopt;
}

std::optional<int> find_rank_of_dump(std::string_view name) {
    if (const std::optional<int> rank = find_rank_in_name(name)) return rank;
    const std::string_view stem = name.substr(0, name.find('.', 1));
    std::size_t begin = stem.size();
    while (begin > 0 && is_digit(stem[begin - 1])) --begin;
    const std::string digits(stem.substr(begin));
    if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
    return std::stoi(digits);
}

std::optional<int> find_rank_of_snapshot(std::string_view name) {
    const std::size_t step = name.find("_step_");
    const std::string_view number = name.substr(0, step);
    const bool is_number = step != std::string_view::npos && !number.empty() && number.size() <= kMostDigits &&
                           std::ranges::all_of(number, is_digit);
    if (is_number) return std::stoi(std::string(number));
    return find_rank_in_name(name);
}

std::string find_label_in_path(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    for (const std::string_view phase : {"EXTEND", "DECODE"}) {
        const std::size_t at = name.find("-" + std::string(phase));
        if (at == std::string::npos) continue;
        const std::size_t end = at + 1 + phase.size();
        if (end == name.size() || name[end] == '.' || name[end] == '-') return std::string(phase);
    }
    constexpr std::string_view kIteration = "iteration_";
    const std::string folder = path.parent_path().filename().string();
    const std::string_view number = std::string_view(folder).substr(std::min(folder.size(), kIteration.size()));
    if (folder.starts_with(kIteration) && !number.empty() && number.size() <= kMostDigits &&
        std::ranges::all_of(number, is_digit))
        return "iteration " + std::string(number);
    return {};
}

std::vector<RankIdentity> identify_ranks(std::span<const RankClaim> claims, Diagnostics& diagnostics) {
    const auto counts = count_files(claims);
    std::vector<RankIdentity> ranks;
    std::set<std::int32_t> certain, taken;
    for (const RankClaim& claim : claims) {
        ranks.push_back(claim_number(claim, counts));
        if (claim.stated && !claim.is_log) certain.insert(*claim.stated);
    }
    number_grid(claims, ranks);
    number_devices(claims, ranks);
    // A guess must not look like a second capture of a certain rank.
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        RankIdentity& rank = ranks[i];
        const bool guessed = rank.source != RankSource::DistributedInfo && !claims[i].is_dump;
        if (guessed && certain.contains(rank.key.number)) rank = {{-1, 0}, RankSource::Order};
        if (rank.key.number >= 0) taken.insert(rank.key.number);
    }
    const std::vector<std::size_t> first_windows = find_first_windows(claims, ranks);
    const std::vector<OtherRun> other_runs = find_other_runs(claims, ranks);
    const auto has_own_number = [&](std::size_t i) { return first_windows[i] == i && other_runs[i].of == i; };
    std::int32_t next = 0;
    std::vector<std::size_t> without_own;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i].key.number >= 0) continue;
        if (!has_own_number(i)) {
            without_own.push_back(i);
            continue;
        }
        while (taken.contains(next)) ++next;
        ranks[i].key.number = next++;
    }
    for (const std::size_t i : without_own) {
        const std::size_t of = first_windows[i] == i ? i : first_windows[i];
        ranks[i].key.number = ranks[other_runs[of].of].key.number;
    }
    std::map<std::pair<std::int32_t, bool>, std::size_t> first_of;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const RankIdentity& rank = ranks[i];
        const std::string file = claims[i].path.filename().string();
        const std::string number = std::to_string(rank.key.number);
        const bool by_writer = claims[i].is_dump && !claims[i].is_log && rank.source == RankSource::FileName;
        if (rank.source != RankSource::DistributedInfo && !by_writer) {
            diagnostics.add("rank-guessed", file + ": rank " + number + ", " + text_of(rank.source));
        }
        const auto [first, is_first] = first_of.try_emplace({rank.key.number, claims[i].is_dump}, i);
        if (!is_first) {
            const std::string other = claims[first->second].path.filename().string();
            const OtherRun& run = other_runs[i].of == i ? other_runs[first->second] : other_runs[i];
            if (run.reason.empty() || first_windows[i] < i)
                diagnostics.add("rank-duplicate", other + " and " + file + " both are rank " + number);
            else
                diagnostics.add("runs-apart", file + " beside " + other + ": " + run.reason);
        }
    }
    number_captures(claims, ranks);
    return ranks;
}

void apply_identities(std::span<const RankIdentity> identities, std::span<RankSlot> ranks) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        ranks[i].key = identities[i].key;
        ranks[i].source = identities[i].source;
    }
}

}  // namespace core
