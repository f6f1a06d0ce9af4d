#include "core/ingest/load/find_other_runs.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace core {
namespace {

constexpr std::int64_t kNotStated = -1;

// One file, whose claims follow each other.
struct File {
    std::size_t first = 0, claims = 0;
    std::set<std::string> gpus, models;
    std::string host;
    RankRange window{};
    std::int64_t group_size = 0;  // as RankClaim
};

enum class Vendor : std::uint8_t { Nvidia, Amd, Intel, Huawei };

Vendor vendor_of(std::string_view model) {
    const auto has_any = [&](std::initializer_list<std::string_view> words) {
        return std::ranges::any_of(words, [&](std::string_view word) { return contains_any_case(model, word); });
    };
    if (has_any({"AMD", "Instinct", "Radeon", "gfx"})) return Vendor::Amd;
    if (has_any({"Intel"})) return Vendor::Intel;
    if (has_any({"Ascend"})) return Vendor::Huawei;
    return Vendor::Nvidia;
}

// "node1" of "node1_4711.1781012345678901234.pt.trace.json", whose process is 4711; else empty.
std::string host_in_name(const RankClaim& claim) {
    const std::string name = claim.path.filename().string();
    const std::size_t at = claim.process.empty() ? std::string::npos : name.find("_" + claim.process);
    return at == std::string::npos ? std::string() : name.substr(0, at);
}

std::int64_t wider(std::int64_t a, std::int64_t b) {
    return a == kNotStated || b == kNotStated ? kNotStated : std::max(a, b);
}

bool is_candidate(const RankClaim& claim, const RankIdentity& rank) {
    return rank.key.number < 0 && !claim.is_dump && !claim.gpus.numbers.empty() && !claim.window.empty();
}

std::vector<File> collect_files(std::span<const RankClaim> claims, std::span<const RankIdentity> ranks) {
    std::vector<File> files;
    for (std::size_t i = 0; i < claims.size();) {
        File file{.first = i, .claims = 0, .gpus = {}, .models = {}, .host = {}, .window = claims[i].window};
        bool fits = true;
        for (; i < claims.size() && claims[i].path == claims[file.first].path; ++i, ++file.claims) {
            const RankClaim& claim = claims[i];
            fits = fits && is_candidate(claim, ranks[i]);
            file.gpus.insert(claim.gpus.numbers);
            file.models.insert(claim.gpus.model);
            file.host = claim.gpus.host.empty() ? host_in_name(claim) : claim.gpus.host;
            file.window.begin = std::min(file.window.begin, claim.window.begin);
            file.window.end = std::max(file.window.end, claim.window.end);
            file.group_size = wider(file.group_size, claim.group_size);
        }
        if (fits) files.push_back(std::move(file));
    }
    return files;
}

using Files = std::vector<const File*>;

std::size_t count_claims(const Files& files) {
    std::size_t claims = 0;
    for (const File* const file : files) claims += file->claims;
    return claims;
}

// Whether their process groups have room in these files. Where none is stated, several ranks are enough.
bool are_whole(const Files& files, bool may_be_unknown) {
    std::int64_t widest = 0;
    bool unknown = false;
    for (const File* const file : files) {
        unknown = unknown || file->group_size == kNotStated;
        widest = std::max(widest, file->group_size);
    }
    return (!unknown || may_be_unknown) && widest <= static_cast<std::int64_t>(count_claims(files));
}

bool are_apart(Files files) {
    std::ranges::sort(files, {}, [](const File* file) { return file->window.begin; });
    for (std::size_t k = 1; k < files.size(); ++k)
        if (files[k]->window.begin < files[k - 1]->window.end) return false;
    return true;
}

// Ranks that only communicate among each other: on the GPUs of its host no second file can belong to their job,
// whatever its clock says.
bool has_all_members(const File* file) {
    return !file->host.empty() && file->claims > 1 && file->group_size > 1 && are_whole({file}, false);
}

class OtherRuns {
public:
    OtherRuns(std::span<const RankClaim> claims, std::span<const RankIdentity> ranks)
        : files_(collect_files(claims, ranks)), found_(claims.size()) {
        for (std::size_t i = 0; i < found_.size(); ++i) found_[i].of = i;
    }

    std::vector<OtherRun> find() && {
        std::map<std::set<std::string>, Files> by_model;
        for (const File& file : files_) by_model[file.models].push_back(&file);
        const bool models_differ = are_of_other_models(by_model);
        Files all;
        std::vector<Files> classes;
        for (const auto& [models, files] : by_model) {
            all.insert(all.end(), files.begin(), files.end());
            if (models_differ) classes.push_back(files);
        }
        if (!models_differ) classes.push_back(std::move(all));
        std::ranges::sort(classes, {}, [](const Files& files) { return files.empty() ? 0 : files.front()->first; });
        for (const Files& files : classes) find_repeats(files);
        for (std::size_t c = 1; c < classes.size(); ++c) pair(classes[0], classes[c]);
        for (OtherRun& other : found_) other.of = found_[other.of].of;
        return std::move(found_);
    }

private:
    static bool are_of_other_models(const std::map<std::set<std::string>, Files>& by_model) {
        if (by_model.size() < 2) return false;
        std::set<Vendor> vendors;
        for (const auto& [models, files] : by_model) {
            if (models.size() != 1 || models.begin()->empty()) return false;
            vendors.insert(vendor_of(*models.begin()));
        }
        const bool may_be_unknown = vendors.size() == by_model.size();  // libraries of two vendors do not communicate
        return std::ranges::all_of(by_model, [&](const auto& of) { return are_whole(of.second, may_be_unknown); });
    }

    // The same GPUs at other times, in the order of names.
    void find_repeats(const Files& files) {
        std::map<std::pair<std::string, std::set<std::string>>, Files> by_gpus;
        for (const File* const file : files) by_gpus[{file->host, file->gpus}].push_back(file);
        for (const auto& [gpus, same] : by_gpus) {
            const auto is_whole = [](const File* file) { return are_whole({file}, file->claims > 1); };
            if (same.size() < 2 || !std::ranges::all_of(same, is_whole)) continue;
            if (!are_apart(same) && !std::ranges::all_of(same, has_all_members)) continue;
            for (const File* const file : same)
                for (std::size_t k = 0; k < std::min(file->claims, same.front()->claims); ++k)
                    if (file != same.front())
                        found_[file->first + k] = {same.front()->first + k, "the same GPUs at another time"};
        }
    }

    // The ranks of one class of GPUs are those of the first one in another run, by order.
    void pair(const Files& first, const Files& other) {
        const std::vector<std::size_t> base = collect_own(first), own = collect_own(other);
        for (std::size_t k = 0; k < std::min(base.size(), own.size()); ++k)
            found_[own[k]] = {base[k], "GPUs of another model"};
    }
    std::vector<std::size_t> collect_own(const Files& files) const {
        std::vector<std::size_t> own;
        for (const File* const file : files)
            for (std::size_t i = file->first; i < file->first + file->claims; ++i)
                if (found_[i].of == i) own.push_back(i);
        std::ranges::sort(own);
        return own;
    }

    std::vector<File> files_;
    std::vector<OtherRun> found_;
};

}  // namespace

UsedGpus find_gpus(const RankTrace& trace) {
    UsedGpus gpus{.numbers = {}, .model = {}, .host = trace.info.host};
    std::set<std::int32_t> used;
    for (const Track& track : trace.tracks)
        if (track.kind == TrackKind::Stream && trace.processes[track.process].device >= 0)
            used.insert(trace.processes[track.process].device);
    std::set<std::string> models, known_models;
    for (const Device& device : trace.info.devices) known_models.insert(device.name);
    for (const std::int32_t device : used) {
        gpus.numbers += (gpus.numbers.empty() ? "" : ",") + std::to_string(device);
        const auto known = std::ranges::find(trace.info.devices, std::int64_t{device}, &Device::id);
        if (known != trace.info.devices.end()) models.insert(known->name);
    }
    if (models.empty()) models = known_models;  // ROCm numbers events and properties differently
    if (models.size() == 1) gpus.model = *models.begin();
    return gpus;
}

std::int64_t find_group_size(const RankIndex& index) {
    std::int64_t widest = index.trace().info.world_size.value_or(0);
    for (const ProcessGroup& group : index.trace().info.groups) widest = std::max(widest, group.size);
    for (const MemberGroup& group : index.members().groups()) widest = std::max(widest, group.size);
    return widest == 0 && !index.members().events().empty() ? kNotStated : std::max<std::int64_t>(widest, 0);
}

std::vector<OtherRun> find_other_runs(std::span<const RankClaim> claims, std::span<const RankIdentity> ranks) {
    return OtherRuns(claims, ranks).find();
}

}  // namespace core
