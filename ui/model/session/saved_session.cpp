#include "ui/model/session/saved_session.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/whatif/what_if_choice.hpp"
#include "core/base/path_text.hpp"
#include "core/base/small_file.hpp"
#include "core/base/small_json.hpp"
#include "core/ingest/remote/remote_path.hpp"
#include "core/query/filter_text.hpp"
#include "ui/model/panel.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kAlignKinds = {"first-step", "step", "start", "moments"};
constexpr std::size_t kMostPaths = 100'000;
constexpr std::size_t kMostRows = 10'000;
constexpr std::int64_t kMostCacheGb = 1'000'000;

template <class T>
std::optional<T> get(const json& object, const char* key) {
    if (!object.is_object()) return std::nullopt;
    const auto found = object.find(key);
    if (found == object.end()) return std::nullopt;
    if constexpr (std::is_same_v<T, bool>) {
        if (!found->is_boolean()) return std::nullopt;
    } else if constexpr (std::is_arithmetic_v<T>) {
        if (!found->is_number()) return std::nullopt;
        if constexpr (std::is_integral_v<T>)
            if (!found->is_number_integer()) return std::nullopt;
    } else {
        if (!found->is_string()) return std::nullopt;
    }
    return found->get<T>();
}

const json& child(const json& object, const char* key) {
    static const json kNone;
    if (!object.is_object()) return kNone;
    const auto found = object.find(key);
    return found == object.end() ? kNone : *found;
}

template <class T>
void read_member(const json& object, const char* key, T& value) {
    if (const std::optional<T> found = get<T>(object, key)) value = *found;
}

void read_size(const json& object, const char* key, float& value, float least, float most) {
    const std::optional<double> found = get<double>(object, key);
    if (found && std::isfinite(*found)) value = std::clamp(static_cast<float>(*found), least, most);
}

// Ignores ids of unknown panels, and of panels that only exist while they have something to show.
void read_panel(const json& object, const char* key, std::string& id) {
    const std::optional<std::string> found = get<std::string>(object, key);
    if (found && find_panel(*found) && !find_panel(*found)->on_demand) id = *found;
}

template <class T, std::size_t kCount>
void read_named(const json& object, const char* key, const T (&known)[kCount], T& value) {
    const std::optional<std::string> name = get<std::string>(object, key);
    for (const T one : known)
        if (name == name_of(one)) value = one;
}

core::Duration duration_of(const json& object, const char* key) {
    constexpr std::int64_t kMost = std::int64_t{1} << 61;  // added to a run's start, it is still a valid time
    return core::Duration{std::clamp(get<std::int64_t>(object, key).value_or(0), -kMost, kMost)};
}

// Relative path, if the folder contains it; else empty.
fs::path below(const fs::path& path, const fs::path& folder) {
    const fs::path relative = path.lexically_relative(folder);
    return relative.empty() || *relative.begin() == ".." ? fs::path() : relative;
}

// Writes the absolute path and, for files below the session's folder, the relative one, which is tried first: a moved
// or copied folder then opens its own traces.
json write_path(const fs::path& path, const fs::path& folder) {
    if (core::is_remote_path(path)) return {{"path", core::path_to_text(path)}};
    std::error_code error;
    const fs::path full = fs::absolute(path, error).lexically_normal();
    json written{{"path", core::path_to_text(error ? path : full)}};
    if (const fs::path relative = below(full, folder); !error && !relative.empty())
        written["beside"] = core::path_to_text(relative);
    return written;
}

fs::path read_path(const json& written, const fs::path& folder) {
    std::error_code ignored;
    if (const auto beside = core::path_from_text(get<std::string>(written, "beside").value_or("")))
        if (fs::exists(folder / *beside, ignored)) return folder / *beside;
    return core::path_from_text(get<std::string>(written, "path").value_or("")).value_or(fs::path());
}

json write_mark(const SavedMark& mark) {
    json written{{"begin_ns", mark.begin.count()}, {"end_ns", mark.end.count()}, {"note", mark.note.text}};
    if (!mark.note.author.empty()) written["author"] = mark.note.author;
    if (mark.note.written_s > 0) written["written_s"] = mark.note.written_s;
    return written;
}

std::optional<SavedMark> read_mark(const json& written) {
    SavedMark mark{.begin = duration_of(written, "begin_ns"), .end = duration_of(written, "end_ns"), .note = {}};
    read_member(written, "note", mark.note.text);
    read_member(written, "author", mark.note.author);
    read_member(written, "written_s", mark.note.written_s);
    if (!written.is_object() || mark.end < mark.begin) return std::nullopt;
    return mark;
}

json write_side(const SavedSide& side, const fs::path& folder) {
    json written{{"paths", json::array()}, {"marks", json::array()}, {"bookmarks", json::array()}};
    for (const fs::path& path : side.paths) written["paths"].push_back(write_path(path, folder));
    written["clocks"] = core::name_of(side.clocks);
    if (side.gaps_cut) written["gaps_cut"] = true;
    if (side.view) written["view"] = {{"begin_ns", side.view->first.count()}, {"end_ns", side.view->second.count()}};
    if (!side.selected_rank.empty())
        written["selected"] = {
            {"rank", side.selected_rank}, {"name", side.selected_name}, {"start_ns", side.selected_start.count()}};
    for (const SavedMark& mark : side.marks) written["marks"].push_back(write_mark(mark));
    for (const SavedBookmark& bookmark : side.bookmarks) {
        json& one = written["bookmarks"].emplace_back(write_mark(bookmark.view));
        one["key"] = bookmark.number + 1;
        one["rank"] = bookmark.rank;
    }
    return written;
}

SavedSide read_side(const json& written, const fs::path& folder) {
    SavedSide side;
    for (const json& path : child(written, "paths"))
        if (fs::path read = read_path(path, folder); !read.empty() && side.paths.size() < kMostPaths)
            side.paths.push_back(std::move(read));
    side.clocks =
        core::find_clock_choice(get<std::string>(written, "clocks").value_or("")).value_or(core::ClockChoice::Auto);
    read_member(written, "gaps_cut", side.gaps_cut);
    if (const json& view = child(written, "view"); view.is_object())
        if (const std::pair ends{duration_of(view, "begin_ns"), duration_of(view, "end_ns")}; ends.first < ends.second)
            side.view = ends;
    const json& selected = child(written, "selected");
    read_member(selected, "rank", side.selected_rank);
    read_member(selected, "name", side.selected_name);
    side.selected_start = duration_of(selected, "start_ns");
    for (const json& one : child(written, "marks"))
        if (std::optional<SavedMark> mark = read_mark(one); mark && side.marks.size() < core::kMostMarks)
            side.marks.push_back(*std::move(mark));
    for (const json& one : child(written, "bookmarks")) {
        const std::int64_t key = get<std::int64_t>(one, "key").value_or(0);
        const std::optional<SavedMark> view = read_mark(one);
        if (key < 1 || key > static_cast<std::int64_t>(core::kBookmarks) || !view) continue;
        side.bookmarks.push_back(
            {static_cast<std::size_t>(key - 1), *view, get<std::string>(one, "rank").value_or("")});
    }
    return side;
}

json write_alignment(const core::AlignBy& by) {
    json written{{"by", kAlignKinds[static_cast<std::size_t>(by.kind)]}};
    if (by.kind == core::AlignBy::Kind::Step) written["step"] = by.step;
    if (by.kind != core::AlignBy::Kind::Moments) return written;
    for (const core::Side side : core::kSides)
        written[std::string(core::name_of(side))] = {{"at_ns", by.moments[side].time_since_epoch().count()},
                                                     {"name", by.names[side]}};
    return written;
}

core::AlignBy read_alignment(const json& written) {
    core::AlignBy by;
    const auto kind = std::ranges::find(kAlignKinds, get<std::string>(written, "by").value_or(""));
    if (kind == kAlignKinds.end()) return by;
    by.kind = static_cast<core::AlignBy::Kind>(kind - kAlignKinds.begin());
    read_member(written, "step", by.step);
    for (const core::Side side : core::kSides) {
        const json& moment = child(written, side == core::Side::Baseline ? "baseline" : "candidate");
        by.moments[side] = core::RunTime{duration_of(moment, "at_ns")};
        read_member(moment, "name", by.names[side]);
    }
    return by;
}

// A row for every rank is written without a rank.
json write_rows(const std::vector<RowName>& rows) {
    json written = json::array();
    for (const RowName& row : rows) {
        json& one = written.emplace_back(json{{"row", row.track}});
        if (row.rank != kEveryRank) one["rank"] = row.rank;
    }
    return written;
}

std::vector<RowName> read_rows(const json& written) {
    std::vector<RowName> rows;
    for (const json& one : written) {
        RowName row;
        if (!one.is_object() || rows.size() >= kMostRows) continue;
        read_member(one, "row", row.track);
        read_member(one, "rank", row.rank);
        if (!row.track.empty()) add_row(rows, row);
    }
    return rows;
}

json write_ranks(const RankChoices& ranks) {
    return {{"sort", name_of(ranks.sort)},
            {"descending", ranks.descending},
            {"kernel", ranks.kernel},
            {"measure", ranks.measure},
            {"worst_on_top", ranks.worst_on_top},
            {"grouping", ranks.grouping},
            {"pinned", ranks.pinned},
            {"hidden", ranks.hidden},
            {"fold_groups", ranks.fold_groups},
            {"other_groups", ranks.other_groups},
            {"singled", ranks.singled},
            {"pinned_rows", write_rows(ranks.pinned_rows)},
            {"hidden_rows", write_rows(ranks.hidden_rows)}};
}

RankChoices read_ranks(const json& written) {
    RankChoices ranks;
    read_named(written, "sort", kRankSorts, ranks.sort);
    read_member(written, "descending", ranks.descending);
    read_member(written, "kernel", ranks.kernel);
    read_member(written, "measure", ranks.measure);
    read_member(written, "worst_on_top", ranks.worst_on_top);
    read_member(written, "grouping", ranks.grouping);
    for (const json& rank : child(written, "pinned"))
        if (rank.is_number_integer()) ranks.pinned.insert(rank.get<std::int64_t>());
    for (const json& rank : child(written, "hidden"))
        if (rank.is_number_integer()) ranks.hidden.insert(rank.get<std::int64_t>());
    for (const json& rank : child(written, "singled"))
        if (rank.is_number_integer()) ranks.singled.insert(rank.get<std::int64_t>());
    read_member(written, "fold_groups", ranks.fold_groups);
    for (const json& title : child(written, "other_groups"))
        if (title.is_string()) ranks.other_groups.insert(title.get<std::string>());
    ranks.pinned_rows = read_rows(child(written, "pinned_rows"));
    ranks.hidden_rows = read_rows(child(written, "hidden_rows"));
    return ranks;
}

json write_part(const core::RunPart& part) {
    json written{{"ranks", json::array()}, {"steps", part.steps}, {"title", part.title}};
    for (const core::RankKey key : part.ranks) written["ranks"].push_back({key.number, key.capture});
    return written;
}

core::RunPart read_part(const json& written) {
    core::RunPart part;
    read_member(written, "title", part.title);
    for (const json& step : child(written, "steps"))
        if (step.is_number_integer() && part.steps.size() < kMostRows) part.steps.push_back(step.get<std::int64_t>());
    for (const json& key : child(written, "ranks"))
        if (key.is_array() && key.size() == 2 && key[0].is_number_integer() && key[1].is_number_integer() &&
            part.ranks.size() < kMostPaths)
            part.ranks.push_back({key[0].get<std::int32_t>(), key[1].get<std::int32_t>()});
    return part;
}

std::optional<core::BySide<core::RunPart>> read_parts(const json& written) {
    if (!written.is_object()) return std::nullopt;
    core::BySide<core::RunPart> parts{read_part(child(written, "baseline")), read_part(child(written, "candidate"))};
    for (const core::Side side : core::kSides)
        if (parts[side].ranks.empty() && parts[side].steps.empty()) return std::nullopt;
    return parts;
}

json write_names(const core::NameRules& names) {
    json written{{"matching", core::name_of(names.matching)}, {"pairs", json::array()}};
    for (const core::NamePair& pair : names.pairs) written["pairs"].push_back({pair.baseline, pair.candidate});
    return written;
}

core::NameRules read_names(const json& written) {
    core::NameRules names;
    for (const core::NameMatching matching : core::kNameMatchings)
        if (get<std::string>(written, "matching") == core::name_of(matching)) names.matching = matching;
    for (const json& pair : child(written, "pairs"))
        if (pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string())
            names.pairs.push_back({pair[0].get<std::string>(), pair[1].get<std::string>()});
    return names;
}

json write_statistics(const core::StatisticsOptions& options) {
    json written{{"tolerance", options.tolerance},
                 {"noise", nullptr},
                 {"paired", options.paired},
                 {"permutation", options.permutation}};
    written["warmup"] = options.warmup == core::kAutoWarmUp ? json("auto") : json(options.warmup);
    if (options.noise) written["noise"] = *options.noise;
    return written;
}

core::StatisticsOptions read_statistics(const json& written) {
    core::StatisticsOptions options;
    const auto share = [&](const char* key) {
        const std::optional<double> found = get<double>(written, key);
        return found && *found >= 0 && *found <= core::kMostShare ? found : std::nullopt;
    };
    options.tolerance = share("tolerance").value_or(options.tolerance);
    options.noise = share("noise");
    read_member(written, "paired", options.paired);
    read_member(written, "permutation", options.permutation);
    if (get<std::string>(written, "warmup") == "auto") options.warmup = core::kAutoWarmUp;
    if (const auto steps = get<std::int64_t>(written, "warmup"); steps && *steps >= 0) options.warmup = *steps;
    return options;
}

core::EventRef find_selected(const SavedSide& side, const core::Run& run) {
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot) {
        const core::RankSlot& rank = run.rank(slot);
        if (core::format_rank(rank.key) != side.selected_rank) continue;
        const core::RankTrace& trace = rank.trace();
        for (const core::Lane& lane : trace.lanes) {
            const std::size_t first = core::index_of(lane.first);
            const auto starts = trace.start.subspan(first, core::index_of(lane.last) - first);
            const auto since_start = [&](core::RankTime time) { return rank.to_run(time) - run.origin(); };
            auto at = std::ranges::lower_bound(starts, side.selected_start, {}, since_start);
            for (; at != starts.end() && since_start(*at) == side.selected_start; ++at) {
                const auto event = static_cast<core::EventId>(first + static_cast<std::size_t>(at - starts.begin()));
                if (trace.name_text(event) == side.selected_name) return {static_cast<std::uint32_t>(slot), event};
            }
        }
    }
    return {};
}

}  // namespace

bool is_session_file(const fs::path& path) { return path.extension() == kSessionExtension; }

json write_layout(const UiChoices& choices) {
    return {{"left_tab", choices.left_tab},
            {"right_tab", choices.right_tab},
            {"analysis", choices.analysis},
            {"communication", choices.communication},
            {"drawer_open", choices.drawer_open},
            {"drawer_share", choices.drawer_share},
            {"tree_width", choices.tree_width},
            {"color_by", name_of(choices.color_by)},
            {"theme", name_of(choices.theme)},
            {"interface_size", choices.interface_size},
            {"wheel_zooms", choices.wheel_zooms},
            {"keep_index_files", choices.keep_index_files},
            {"index_in_cache", choices.index_in_cache},
            {"cache_limit_gb", choices.cache_limit_gb},
            {"side_by_side", choices.placement == Placement::SideBySide},
            {"locked", choices.locked},
            {"mark_only_here", choices.mark_unique_events},
            {"ghost_steps", choices.ghost_steps},
            {"follow_newest", choices.follow_newest},
            {"follow_visible", choices.follow_visible}};
}

void read_layout(const json& written, UiChoices& choices) {
    read_panel(written, "left_tab", choices.left_tab);
    read_panel(written, "right_tab", choices.right_tab);
    if (const std::optional<std::string> id = get<std::string>(written, "analysis"); id && core::find_analysis(*id))
        choices.analysis = *id;
    read_member(written, "communication", choices.communication);
    read_member(written, "drawer_open", choices.drawer_open);
    read_size(written, "drawer_share", choices.drawer_share, kLeastDrawer, kMostDrawer);
    read_size(written, "tree_width", choices.tree_width, 100, 2000);
    read_named(written, "color_by", kColorWays, choices.color_by);
    read_named(written, "theme", kThemes, choices.theme);
    read_size(written, "interface_size", choices.interface_size, kLeastInterface, kMostInterface);
    read_member(written, "wheel_zooms", choices.wheel_zooms);
    read_member(written, "keep_index_files", choices.keep_index_files);
    read_member(written, "index_in_cache", choices.index_in_cache);
    if (const std::optional<std::int64_t> limit = get<std::int64_t>(written, "cache_limit_gb"))
        choices.cache_limit_gb = std::clamp<std::int64_t>(*limit, 0, kMostCacheGb);
    if (const std::optional<bool> beside = get<bool>(written, "side_by_side"))
        choices.placement = *beside ? Placement::SideBySide : Placement::Stacked;
    read_member(written, "locked", choices.locked);
    read_member(written, "mark_only_here", choices.mark_unique_events);
    read_member(written, "ghost_steps", choices.ghost_steps);
    read_member(written, "follow_newest", choices.follow_newest);
    read_member(written, "follow_visible", choices.follow_visible);
}

// Parameters that differ from their defaults, as on the command line.
json write_what_if(const core::Params& params) {
    json written = json::object();
    for (const auto& [name, value] : core::collect_changed_what_if(params)) written[name] = value;
    return written;
}

core::Params read_what_if(const json& written) {
    if (!written.is_object()) return {};
    std::vector<std::pair<std::string, std::string>> given;
    for (const auto& [name, value] : written.items())
        if (value.is_string()) given.emplace_back(name, value.get<std::string>());
    return core::make_what_if(given);
}

json write_session(const SavedSession& session, const UiChoices& choices, const fs::path& folder) {
    json layout = write_layout(choices);
    for (const char* habit : {"wheel_zooms", "keep_index_files", "index_in_cache", "cache_limit_gb"})
        layout.erase(habit);  // belongs to the user, not to the session
    json written{{"lockstep_session", 1},
                 {"filter", session.filter},
                 {"align", write_alignment(session.align)},
                 {"names", write_names(session.names)},
                 {"statistics", write_statistics(session.statistics)},
                 {"layout", std::move(layout)},
                 {"ranks", write_ranks(choices.ranks)},
                 {"critical_path", choices.critical_path},
                 {"what_if", write_what_if(choices.what_if)},
                 {"series_lanes", choices.series_lanes},
                 {"chosen_kernels", choices.chosen_kernels},
                 {"find_arguments", choices.find_arguments},
                 {"find", choices.find_open ? choices.find_text : std::string()},
                 {"baseline", write_side(session.sides.baseline, folder)}};
    if (session.parts)
        written["parts"] = {{"baseline", write_part(session.parts->baseline)},
                            {"candidate", write_part(session.parts->candidate)}};
    if (!session.sides.candidate.paths.empty()) written["candidate"] = write_side(session.sides.candidate, folder);
    return written;
}

core::Result<SavedSession> read_session(const json& written, const fs::path& folder, UiChoices& choices) {
    if (get<std::int64_t>(written, "lockstep_session") != 1)
        return core::bad_input("not a session of Lockstep: no \"lockstep_session\": 1 in it");
    SavedSession session;
    session.sides.baseline = read_side(child(written, "baseline"), folder);
    session.sides.candidate = read_side(child(written, "candidate"), folder);
    if (session.sides.baseline.paths.empty())
        return core::bad_input("a session without a run: \"baseline\" has no \"paths\"");
    read_member(written, "filter", session.filter);
    if (const core::Result<core::Filter> filter = core::parse_filter(session.filter); !filter)
        return core::Error(filter.error()).within("filter");
    session.parts = read_parts(child(written, "parts"));
    if (session.parts) session.sides.candidate.paths.clear();
    session.align = read_alignment(child(written, "align"));
    session.names = read_names(child(written, "names"));
    session.statistics = read_statistics(child(written, "statistics"));
    const UiChoices before = choices;
    read_layout(child(written, "layout"), choices);
    choices.wheel_zooms = before.wheel_zooms;  // habits belong to the user, not to the session
    choices.keep_index_files = before.keep_index_files;
    choices.index_in_cache = before.index_in_cache;
    choices.cache_limit_gb = before.cache_limit_gb;
    choices.ranks = read_ranks(child(written, "ranks"));
    read_member(written, "critical_path", choices.critical_path);
    choices.what_if = read_what_if(child(written, "what_if"));
    read_member(written, "series_lanes", choices.series_lanes);
    choices.chosen_kernels.clear();
    for (const json& name : child(written, "chosen_kernels"))
        if (name.is_string()) choices.chosen_kernels.push_back(name.get<std::string>());
    choices.find_text.clear();
    read_member(written, "find", choices.find_text);
    read_member(written, "find_arguments", choices.find_arguments);
    choices.find_open = !choices.find_text.empty();
    return session;
}

core::Result<SavedSession> read_session_file(const fs::path& file, UiChoices& choices) {
    const core::Result<std::string> text = core::read_small_file(file);
    if (!text) return text.error();
    const core::Result<json> written = core::parse_small_json(*text);
    if (!written) return core::Error(written.error()).within("not a session of Lockstep").within(file.string());
    std::error_code ignored;
    core::Result<SavedSession> session = read_session(*written, fs::absolute(file, ignored).parent_path(), choices);
    if (!session) return std::move(session).error().within(file.string());
    return session;
}

std::string session_text(const SavedSession& session, const UiChoices& choices, const fs::path& folder) {
    return write_session(session, choices, folder).dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

SavedSession save_session(const core::Session& session, const core::BySide<View>& views) {
    SavedSession saved;
    saved.filter = core::format_filter(session.filter());
    saved.align = session.aligned_by();
    saved.names = session.names_by();
    saved.statistics = session.statistics();
    saved.parts = session.parts();
    for (const core::Side side : core::kSides) {
        SavedSide& to = saved.sides[side];
        const bool is_part = side == core::Side::Candidate && session.parts();
        if (const core::RunLoad* load = session.load(side); load && !is_part) to.paths = load->paths();
        to.clocks = session.clocks(side);
        to.gaps_cut = session.gaps_cut(side);
        const core::RunPtr& run = session.run(side);
        if (!run) continue;
        const View& view = views[side];
        const core::RunTime zero = run->origin();
        if (!shows_whole(view)) to.view = {view.time.range().begin - zero, view.time.range().end - zero};
        if (exists(run, view.selected)) {
            const core::RankSlot& rank = run->rank(view.selected.slot);
            to.selected_rank = core::format_rank(rank.key);
            to.selected_name = rank.trace().name_text(view.selected.event);
            to.selected_start = rank.range_of(view.selected.event).begin - zero;
        }
        const core::Marks& marks = session.marks(side);
        for (const core::KeptMark& mark : marks.kept)
            to.marks.push_back({mark.range.begin - zero, mark.range.end - zero, mark.note});
        for (std::size_t i = 0; i < core::kBookmarks; ++i)
            if (const std::optional<core::Bookmark>& bookmark = marks.bookmarks[i])
                to.bookmarks.push_back(
                    {i,
                     {.begin = bookmark->view.begin - zero, .end = bookmark->view.end - zero, .note = bookmark->note},
                     bookmark->rank});
        saved.align.moments[side] = core::RunTime{saved.align.moments[side] - zero};
    }
    return saved;
}

void restore_side(const SavedSide& saved, const core::Run& run, View& view) {
    const core::RunTime zero = run.origin();
    if (saved.view) view.time.fit({zero + saved.view->first, zero + saved.view->second}, 0);
    if (!saved.selected_rank.empty()) view.selected = find_selected(saved, run);
}

core::Marks restore_marks(const SavedSide& saved, const core::Run& run) {
    const core::RunTime zero = run.origin();
    core::Marks marks;
    for (const SavedMark& mark : saved.marks) {
        const core::RunRange range{zero + mark.begin, zero + mark.end};
        keep_mark(marks, range);
        const auto made = std::ranges::find(marks.kept, range, &core::KeptMark::range);
        if (made != marks.kept.end()) made->note = mark.note;
    }
    for (const SavedBookmark& bookmark : saved.bookmarks)
        marks.bookmarks[bookmark.number] =
            core::Bookmark{.view = {zero + bookmark.view.begin, zero + bookmark.view.end},
                           .rank = bookmark.rank,
                           .note = bookmark.view.note};
    return marks;
}

core::AlignBy restore_alignment(const core::AlignBy& saved, const core::Session& session) {
    core::AlignBy by = saved;
    for (const core::Side side : core::kSides)
        if (const core::RunPtr& run = session.run(side))
            by.moments[side] = run->origin() + saved.moments[side].time_since_epoch();
    return by;
}

}  // namespace ui
