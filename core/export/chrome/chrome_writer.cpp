#include "core/export/chrome/chrome_writer.hpp"

#include "core/export/chrome/chrome_json.hpp"
#include "core/export/number_text.hpp"
#include "core/query/filter_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace core {
namespace {

constexpr std::size_t kChromeBuffer = std::size_t{256} << 10;
constexpr std::int64_t kNoSortIndex = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kExportKey = "lockstepExport";
constexpr int kMostMoments = 64;
constexpr int kMostMomentsAlone = 4096;  // only if an arrow is all that links an event to its launch
constexpr std::string_view kLaunchArrow = "ac2g";

std::string json_id_text(std::string_view id) {
    std::string text;
    append_json_id(text, id);
    return text;
}

// Current key of an argument.
std::string_view key_of(Arg arg) {
    const auto known = std::ranges::find(known_args(), arg, &KnownArg::arg);
    return known->key;
}

}  // namespace

ChromeWriter::ChromeWriter(const RankView& view, OutputFile& file, const JobContext& context)
    : view_(view), trace_(view.trace()), file_(file), context_(context) {
    for (const Track& track : trace_.tracks) {
        const std::string_view pid = trace_.text(trace_.processes[track.process].pid);
        places_.push_back({json_id_text(pid), json_id_text(trace_.text(track.tid)), pid == kAddedProcess});
    }
}

Result<bool> ChromeWriter::write(const ChromeAdditions& additions) {
    write_head();
    write_processes();
    choose_events();
    if (Result<bool> written = write_events(); !written) return written;
    write_arrows();
    write_file_counters();
    write_added(additions);
    out_ += "\n]\n}\n";
    hand_over();
    if (context_.cancelled()) return cancelled_error();
    return true;
}

// ---------------------------------------------------------------- around the events

// Members of the source besides its events. Times keep the source's base.
void ChromeWriter::write_head() {
    out_ = "{\n";
    std::string members;
    if (append_mended_json(members, trace_.info.metadata_json) > 0 && members.starts_with('{')) {
        for_each_member(members, [&](std::string_view key, std::string_view value) {
            if (key == "traceEvents" || key == "baseTimeNanoseconds" || key == kExportKey) return;
            out_.append("  \"").append(key).append("\": ").append(value).append(",\n");
        });
    }
    if (trace_.info.base_time_ns != 0)
        out_ += "  \"baseTimeNanoseconds\": " + std::to_string(trace_.info.base_time_ns) + ",\n";
    out_.append("  \"").append(kExportKey).append("\": {\"version\":");
    append_json_text(out_, LOCKSTEP_VERSION);
    out_ += ",\"filter\":";
    append_json_text(out_, format_filter(*view_.filter));
    out_ += "},\n  \"traceEvents\": [";
}

void ChromeWriter::write_metadata(std::string_view kind, const std::string& pid, const std::string& tid,
                                  std::string_view value) {
    const bool is_number = kind.ends_with("sort_index");
    begin_event('M');
    out_.append(",\"name\":\"").append(kind).append("\",\"pid\":").append(pid);
    if (!tid.empty()) out_.append(",\"tid\":").append(tid);
    out_.append(",\"args\":{\"");
    out_.append(is_number ? "sort_index" : kind == "process_labels" ? "labels" : "name").append("\":");
    if (is_number)
        out_ += value;
    else
        append_json_text(out_, value);
    out_ += '}';
    end_event();
}

void ChromeWriter::write_processes() {
    std::set<std::pair<std::string, std::string>> threads;
    for (const Process& process : trace_.processes) {
        if (trace_.text(process.pid) == kAddedProcess) continue;
        const std::string pid = json_id_text(trace_.text(process.pid));
        if (index_of(process.name) != 0) write_metadata("process_name", pid, "", trace_.text(process.name));
        if (index_of(process.labels) != 0) write_metadata("process_labels", pid, "", trace_.text(process.labels));
        if (process.sort_index != kNoSortIndex)
            write_metadata("process_sort_index", pid, "", std::to_string(process.sort_index));
        for (std::uint32_t t = process.first_track; t < process.first_track + process.track_count; ++t) {
            const Track& track = trace_.tracks[t];
            const Place& place = places_[t];
            if (!threads.emplace(place.pid, place.tid).second) continue;
            write_metadata("thread_name", place.pid, place.tid, trace_.text(track.name));
            if (track.sort_index != kNoSortIndex)
                write_metadata("thread_sort_index", place.pid, place.tid, std::to_string(track.sort_index));
        }
    }
}

void ChromeWriter::begin_event(char phase) {
    out_ += any_event_ ? ",\n  {\"ph\":\"" : "\n  {\"ph\":\"";
    any_event_ = true;
    out_ += phase;
    out_ += '"';
}

void ChromeWriter::end_event() {
    out_ += '}';
    if (out_.size() >= kChromeBuffer) hand_over();
}

void ChromeWriter::hand_over() {
    file_.write(out_);
    bytes_ += out_.size();
    out_.clear();
}

void ChromeWriter::add_time(std::string_view key, RankTime time) {
    std::int64_t since_base = ns_of(time);
    if (__builtin_sub_overflow(since_base, trace_.info.base_time_ns, &since_base)) since_base = ns_of(time);
    out_.append(",\"").append(key).append("\":");
    append_microseconds(out_, since_base);
}

void ChromeWriter::add_place(const Place& place) {
    out_.append(",\"pid\":").append(place.pid).append(",\"tid\":").append(place.tid);
}

// ---------------------------------------------------------------- events

void ChromeWriter::choose_events() {
    is_chosen_.assign(trace_.size(), false);
    for (std::uint32_t l = 0; l < trace_.lanes.size(); ++l) {
        const Lane& lane = trace_.lanes[l];
        if (places_[lane.track].ours) continue;
        for (std::size_t e = index_of(lane.first); e < index_of(lane.last); ++e)
            is_chosen_[e] = view_.passes(EventId{static_cast<std::uint32_t>(e)});
    }
    for (const Step& step : view_.selection->steps()) {
        if (!view_.time || !view_.visible(step.range).empty()) is_chosen_[index_of(step.event)] = true;
    }
    for (std::uint32_t e = 0; e < is_chosen_.size(); ++e) {
        if (is_chosen_[e]) chosen_.push_back(EventId{e});
    }
    std::ranges::sort(chosen_, {}, [&](EventId e) { return trace_.order[index_of(e)]; });
    events_ = chosen_.size();
}

Result<bool> ChromeWriter::write_events() {
    RecentTexts texts = trace_.recent_texts();
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
        if (i % kEventsBetweenChecks == 0 && context_.cancelled()) return cancelled_error();
        if (file_.failed()) break;
        const Result<EventText> text = trace_.event_text(chosen_[i], texts);
        if (trace_.has(chosen_[i], kAsync))
            write_async(chosen_[i], text ? *text : EventText{});
        else
            write_event(chosen_[i], text ? *text : EventText{});
    }
    return true;
}

void ChromeWriter::write_event(EventId e, const EventText& text) {
    const bool is_moment = trace_.has(e, kInstant);
    begin_event(is_moment ? 'i' : 'X');
    if (!trace_.category_text(e).empty()) {
        out_ += ",\"cat\":";
        append_json_text(out_, trace_.category_text(e));
    }
    out_ += ",\"name\":";
    append_json_text(out_, trace_.name_text(e));
    add_place(place_of(e));
    add_time("ts", trace_.start[index_of(e)]);
    if (!is_moment) {
        out_ += ",\"dur\":";
        append_microseconds(out_, trace_.duration[index_of(e)].count());
    }
    write_extra(e, text);
    write_arguments(e, text);
    end_event();
}

// Written as a pair with a unique id, so no other event can match.
void ChromeWriter::write_async(EventId e, const EventText& text) {
    const std::string id = std::to_string(next_id_++);
    const auto write_half = [&](char phase, RankTime time) {
        begin_event(phase);
        out_ += ",\"cat\":";
        append_json_text(out_, trace_.category_text(e));
        out_ += ",\"name\":";
        append_json_text(out_, trace_.name_text(e));
        out_.append(",\"id\":").append(id);
        add_place(place_of(e));
        add_time("ts", time);
    };
    write_half('b', trace_.start[index_of(e)]);
    write_arguments(e, text);
    end_event();
    write_half('e', trace_.end(e));
    end_event();
}

void ChromeWriter::write_arguments(EventId e, const EventText& text) {
    out_ += ",\"args\":";
    const std::size_t before = out_.size();
    if (text.arguments.starts_with('{') && append_mended_json(out_, text.arguments) > 0) {
        if (trace_.has(e, kFromPair)) write_pair_arguments(before, text);
        return;
    }
    out_.resize(before);
    write_known_arguments(e);
}

// Appends the end's arguments to those of the begin, written from `begin` on; the first of equal
// keys counts.
void ChromeWriter::write_pair_arguments(std::size_t begin, const EventText& text) {
    std::string arguments = out_.substr(begin);
    std::set<std::string, std::less<>> keys;
    for_each_member(arguments, [&](std::string_view key, std::string_view) { keys.emplace(key); });
    std::string_view rest = text.extra;
    for (std::string more; rest.starts_with('{'); more.clear()) {
        const std::size_t taken = append_mended_json(more, rest);
        if (taken == 0) break;
        rest.remove_prefix(taken);
        for_each_member(more, [&](std::string_view key, std::string_view value) {
            if (!keys.emplace(key).second) return;
            arguments.pop_back();
            if (arguments.size() > 1) arguments += ',';
            arguments.append("\"").append(key).append("\":").append(value).append("}");
        });
    }
    out_.resize(begin);
    out_ += arguments;
}

// Without a text: writes the known arguments.
void ChromeWriter::write_known_arguments(EventId e) {
    out_ += '{';
    const std::size_t begin = out_.size();
    for (std::size_t a = 0; a < kArgCount; ++a) {
        const Arg arg = static_cast<Arg>(a);
        const auto add_key = [&] {
            if (out_.size() > begin) out_ += ',';
            append_json_text(out_, key_of(arg));
            out_ += ':';
        };
        if (type_of(arg) == ArgType::Text) {
            const std::optional<std::string_view> text = trace_.argument(arg, e);
            if (!text) continue;
            add_key();
            append_json_text(out_, *text);
        } else if (const std::optional<std::int64_t> number = trace_.integer(arg, e)) {
            add_key();
            if (arg == Arg::BandwidthMbPerS)
                append_microseconds(out_, *number);  // also divides by a thousand
            else
                out_ += std::to_string(*number);
        }
    }
    out_ += '}';
}

// Event fields unknown to Chrome; for pairs they are among the arguments.
void ChromeWriter::write_extra(EventId e, const EventText& text) {
    bool has_scope = false;
    std::string members;
    const bool is_pair = trace_.has(e, kFromPair);
    if (!is_pair && text.extra.starts_with('{') && append_mended_json(members, text.extra) > 0) {
        for_each_member(members, [&](std::string_view key, std::string_view value) {
            has_scope = has_scope || key == "s";
            out_.append(",\"").append(key).append("\":").append(value);
        });
    }
    if (trace_.has(e, kInstant) && !has_scope) out_ += ",\"s\":\"t\"";
}

// ---------------------------------------------------------------- arrows

// Arrows bind to the innermost event of their thread: returns the first time at which that is this
// event.
std::optional<RankTime> ChromeWriter::find_own_moment(EventId e, int most) const {
    const Track& track = trace_.track_of(e);
    const RankRange whole = trace_.range(e);
    const auto is_inside = [&](EventId other) {  // begins after e: drawn above it
        const RankRange range = trace_.range(other);
        if (range.begin != whole.begin) return range.begin > whole.begin;
        if (range.end != whole.end) return range.end < whole.end;
        return trace_.order[index_of(other)] > trace_.order[index_of(e)];
    };
    RankTime moment = whole.begin;
    bool hidden = true;
    for (int tries = 0; hidden && tries < most; ++tries) {
        hidden = false;
        for (std::uint32_t l = track.first_lane; l < track.first_lane + track.lane_count; ++l) {
            const Lane& lane = trace_.lanes[l];
            const auto starts = trace_.start.subspan(index_of(lane.first), index_of(lane.last) - index_of(lane.first));
            const auto after = std::ranges::upper_bound(starts, moment);
            if (after == starts.begin()) continue;
            const EventId other{static_cast<std::uint32_t>(index_of(lane.first) +
                                                           static_cast<std::size_t>(after - starts.begin()) - 1)};
            const RankRange range = trace_.range(other);
            if (other == e || !is_inside(other) || (range.end <= moment && range.begin != moment)) continue;
            moment = std::max(range.end, moment + Duration{1});
            hidden = true;
        }
        if (moment >= whole.end && hidden) return std::nullopt;
    }
    return hidden ? std::nullopt : std::optional(moment);
}

void ChromeWriter::write_arrow(EventId from, EventId to, std::string_view category, std::string_view name) {
    if (!is_chosen_[index_of(from)] || !is_chosen_[index_of(to)]) return;
    const std::string id = std::to_string(next_id_++);
    const auto write_end = [&](char phase, EventId e) {
        begin_event(phase);
        out_.append(",\"id\":").append(id).append(",\"cat\":");
        append_json_text(out_, category);
        out_ += ",\"name\":";
        append_json_text(out_, name);
        add_place(place_of(e));
        add_time("ts", find_own_moment(e, kMostMomentsAlone).value_or(trace_.start[index_of(e)]));
    };
    write_end('s', from);
    end_event();
    write_end('f', to);
    out_ += ",\"bp\":\"e\"";
    end_event();
}

void ChromeWriter::write_arrows() {
    for (const EventId call : trace_.launch_calls) {
        for (const EventId gpu : trace_.launched_by(call)) {
            // With a correlation, an arrow that would bind to another event only misleads.
            const bool by_correlation = trace_.integer(Arg::Correlation, gpu).has_value();
            if (by_correlation && (!find_own_moment(call, kMostMoments) || !find_own_moment(gpu, kMostMoments)))
                continue;
            write_arrow(call, gpu, kLaunchArrow, kLaunchArrow);
        }
    }
    for (const Flow& flow : trace_.flows)
        write_arrow(flow.from, flow.to, trace_.text(trace_.categories[flow.category].text), trace_.text(flow.name));
}

// ---------------------------------------------------------------- counters

void ChromeWriter::write_file_counters() {
    const auto is_same = [&](const CounterTrack& a, const CounterTrack& b) {
        return a.process == b.process && a.name == b.name;
    };
    for (std::size_t first = 0, last = 0; first < trace_.counters.size(); first = last) {
        while (last < trace_.counters.size() && is_same(trace_.counters[first], trace_.counters[last])) ++last;
        if (trace_.text(trace_.processes[trace_.counters[first].process].pid) != kAddedProcess)
            write_counter_series(first, last);
    }
}

void ChromeWriter::begin_counter(std::string_view name, std::string_view pid, RankTime time) {
    begin_event('C');
    out_ += ",\"name\":";
    append_json_text(out_, name);
    out_.append(",\"pid\":").append(pid);
    add_time("ts", time);
    out_ += ",\"args\":{";
}

// Series of one counter; values at the same time share an event. Skips values that aren't finite, which JSON cannot
// hold and readers never produce.
void ChromeWriter::write_counter_series(std::size_t first, std::size_t last) {
    const std::span<const CounterTrack> series = trace_.counters.subspan(first, last - first);
    const std::string pid = json_id_text(trace_.text(trace_.processes[series.front().process].pid));
    std::vector<std::uint64_t> at;
    for (const CounterTrack& one : series) at.push_back(one.first);
    for (;;) {
        std::optional<RankTime> time;
        for (std::size_t s = 0; s < series.size(); ++s) {
            if (at[s] < series[s].last) time = std::min(time.value_or(RankTime::max()), trace_.counter_times[at[s]]);
        }
        if (!time) return;
        const bool inside = !view_.time || view_.time->contains(*time);
        bool any = false;
        for (std::size_t s = 0; s < series.size(); ++s) {
            if (at[s] == series[s].last || trace_.counter_times[at[s]] != *time) continue;
            const double value = trace_.counter_values[at[s]++];
            if (!inside || !std::isfinite(value)) continue;
            if (std::exchange(any, true))
                out_ += ',';
            else
                begin_counter(trace_.text(series.front().name), pid, *time);
            append_json_text(out_, trace_.text(series[s].series));
            out_ += ':' + shortest_text(value);
        }
        if (!any) continue;
        out_ += '}';
        end_event();
    }
}

// ---------------------------------------------------------------- Lockstep's additions

void ChromeWriter::write_added(const ChromeAdditions& additions) {
    if (additions.rows.empty() && additions.counters.empty()) return;
    const std::string pid = json_id_text(kAddedProcess);
    write_metadata("process_name", pid, "", kAddedProcess);
    write_metadata("process_sort_index", pid, "", "0");
    for (std::size_t r = 0; r < additions.rows.size(); ++r) {
        const AddedRow& row = additions.rows[r];
        const Place place{.pid = pid, .tid = json_id_text(row.name), .ours = true};
        write_metadata("thread_name", pid, place.tid, row.name);
        write_metadata("thread_sort_index", pid, place.tid, std::to_string(r));
        for (const AddedSlice& slice : row.slices) {
            begin_event('X');
            out_.append(",\"cat\":\"").append(kAddedCategory).append("\",\"name\":");
            append_json_text(out_, slice.name);
            add_place(place);
            add_time("ts", slice.range.begin);
            out_ += ",\"dur\":";
            append_microseconds(out_, slice.range.length().count());
            out_ += ",\"args\":{";
            for (const auto& [key, text] : slice.arguments) {
                if (&key != &slice.arguments.front().first) out_ += ',';
                append_json_text(out_, key);
                out_ += ':';
                append_json_text(out_, text);
            }
            out_ += '}';
            end_event();
            ++added_;
        }
    }
    for (const AddedCounter& counter : additions.counters) write_added_counter(counter);
}

void ChromeWriter::write_added_counter(const AddedCounter& counter) {
    std::string pid;
    append_json_text(pid, kAddedProcess);
    for (std::size_t i = 0; i < counter.time.size(); ++i) {
        if (!std::isfinite(counter.value[i])) continue;
        begin_counter(counter.name, pid, counter.time[i]);
        append_json_text(out_, counter.unit);
        out_ += ':' + shortest_text(counter.value[i]) + '}';
        end_event();
        ++added_;
    }
}

}  // namespace core
