#include "core/ingest/perfetto/perfetto_packets.hpp"

#include "core/ingest/perfetto/packet_values.hpp"
#include "core/store/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace core {
namespace {

// Field numbers of the format.
namespace packet {
constexpr std::uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequence = 10, kEvent = 11, kInterned = 12, kFlags = 13,
                        kGpuCounters = 52, kRenderStage = 53, kClock = 58, kDefaults = 59, kTrack = 60;
constexpr std::uint32_t kDropped = 42;  // the packet before was lost
constexpr std::uint64_t kCleared = 1, kNeedsState = 2;  // of kFlags: names of before are gone; it refers to names
}  // namespace packet
namespace event {
constexpr std::uint32_t kCategoryIds = 3, kArguments = 4, kType = 9, kNameId = 10, kTrack = 11, kCategories = 22,
                        kName = 23, kCounter = 30, kCounterReal = 44, kGpuCorrelation = 3000;
constexpr std::uint32_t kFlows[] = {36, 42, 47, 48};  // begun or passed, and ended
enum Type : std::uint64_t { kBegin = 1, kEnd = 2, kInstant = 3, kCount = 4 };
}  // namespace event
namespace interned {
constexpr std::uint32_t kCategories = 1, kEvents = 2, kArgumentNames = 3, kStages = 24, kArgumentTexts = 29,
                        kKernels = 1000, kKernelArguments = 1001;
}  // namespace interned

constexpr int kDeepestArgument = 16;

// PyTorch's name of an argument that other profilers name otherwise.
std::string_view usual_argument(std::string_view name) {
    if (name == "corr_id" || name == "correlation_id") return "correlation";
    if (name == "device_id" || name == "gpu_id" || name == "gpu") return "device";
    return name == "stream_id" || name == "queue" || name == "queue_id" ? "stream" : name;
}

}  // namespace

void PerfettoPackets::Names::put(std::string_view message) {
    std::uint64_t id = 0;
    std::string_view name;
    WireReader reader(message);
    for (WireField field; reader.next(field);) {
        if (field.number == 1) id = field.value;
        if (field.is_bytes && (field.number == 2 || (field.number == 3 && !field.bytes.empty()))) name = field.bytes;
    }
    if (of.size() < kMostPacketNames) of.insert_or_assign(id, valid(name));
}

std::string_view PerfettoPackets::Names::find(std::uint64_t id) const {
    const auto found = of.find(id);
    return found == of.end() ? std::string_view() : std::string_view(found->second);
}

void PerfettoPackets::add_names(std::string_view message, Sequence& sequence) {
    WireReader reader(message);
    for (WireField field; reader.next(field);) {
        switch (field.number) {
            case interned::kCategories:
                sequence.categories.put(field.bytes);
                break;
            case interned::kEvents:
                sequence.events.put(field.bytes);
                break;
            case interned::kArgumentNames:
                sequence.argument_names.put(field.bytes);
                break;
            case interned::kArgumentTexts:
                sequence.argument_texts.put(field.bytes);
                break;
            case interned::kKernels:
                sequence.kernels.put(field.bytes);
                break;
            case interned::kKernelArguments:
                sequence.kernel_arguments.put(field.bytes);
                break;
            case interned::kStages: {
                std::uint64_t id = 0;
                Stage stage;
                WireReader parts(field.bytes);
                for (WireField part; parts.next(part);) {
                    if (part.number == 1) id = part.value;
                    if (part.number == 2) stage.name = valid(part.bytes);
                    if (part.number == 4) stage.category = part.value;
                }
                if (sequence.stages.size() < kMostPacketNames) sequence.stages.insert_or_assign(id, std::move(stage));
                break;
            }
            default:
                break;
        }
    }
}

void PerfettoPackets::add_defaults(std::string_view message, Sequence& sequence) {
    WireReader reader(message);
    for (WireField field; reader.next(field);) {
        if (field.number == packet::kClock && field.value != 0) sequence.usual_clock = field.value;
        if (field.number != event::kTrack || !field.is_bytes) continue;
        WireReader parts(field.bytes);
        for (WireField part; parts.next(part);)
            if (part.number == event::kTrack) sequence.usual_track = part.value;
    }
}

void PerfettoPackets::add_track(std::string_view message) {
    std::uint64_t id = 0;
    Track track;
    std::string process_name, thread_name;
    WireReader reader(message);
    for (WireField field; reader.next(field);) {
        WireReader parts(field.bytes);
        switch (field.number) {
            case 1:
                id = field.value;
                break;
            case 2:
            case 10:
                track.name = valid(field.bytes);
                break;
            case 3:
                for (WireField part; parts.next(part);) {
                    if (part.number == 1) track.pid = static_cast<std::int32_t>(part.value);
                    if (part.number == 6) process_name = valid(part.bytes);
                }
                break;
            case 4:
                for (WireField part; parts.next(part);) {
                    if (part.number == 1) track.pid = static_cast<std::int32_t>(part.value);
                    if (part.number == 2) track.tid = static_cast<std::int32_t>(part.value);
                    if (part.number == 5) thread_name = valid(part.bytes);
                }
                break;
            case 5:
                track.parent = field.value;
                break;
            case 8:
                for (WireField part; parts.next(part);) {
                    if (part.number == 4 && part.value != 0)
                        track.unit = static_cast<double>(static_cast<std::int64_t>(part.value));
                    if (part.number == 5) track.is_incremental = part.value != 0;
                }
                break;
            default:
                break;
        }
    }
    if (tracks_.size() >= kMostPacketNames) return;
    // In files of several processes put together a number can come back as another track.
    if (const auto known = tracks_.find(id);
        known != tracks_.end() && !held_.empty() && (known->second.pid != track.pid || known->second.tid != track.tid))
        release(true);
    if (track.pid && !track.tid)
        if (const std::string& name = process_name.empty() ? track.name : process_name; !name.empty())
            processes_[*track.pid] = name;
    if (track.pid && track.tid)
        if (const std::string& name = thread_name.empty() ? track.name : thread_name; !name.empty())
            threads_[{*track.pid, *track.tid}] = name;
    tracks_.insert_or_assign(id, std::move(track));
}

// A track without a thread is a row of its own below the process of its nearest parent.
PerfettoPackets::Place PerfettoPackets::place_of(std::uint64_t id) {
    const auto own = tracks_.find(id);
    std::uint64_t at = id;
    for (int i = 0; i < kDeepestTrack; ++i) {
        const auto track = tracks_.find(at);
        if (track == tracks_.end()) break;
        if (track->second.pid) {
            const std::string pid = std::to_string(*track->second.pid);
            if (at == id && track->second.tid) return {pid, std::to_string(*track->second.tid)};
            Place place{.pid = pid, .tid = "track " + std::to_string(id)};
            if (!own->second.name.empty()) own_rows_[{place.pid, place.tid}] = own->second.name;
            return place;
        }
        if (track->second.parent == 0 || track->second.parent == at) break;
        at = track->second.parent;
    }
    Place place{.pid = std::string(kNoProcess), .tid = "track " + std::to_string(id)};
    if (own != tracks_.end() && !own->second.name.empty()) own_rows_[{place.pid, place.tid}] = own->second.name;
    return place;
}

std::optional<std::int64_t> PerfettoPackets::find_time(const Moment& moment) {
    if (const auto unrelated = unrelated_.find(moment.clock); unrelated != unrelated_.end()) {
        ++unrelated->second;
        return moment.time_ns;
    }
    const std::optional<std::int64_t> time_ns = clocks_.to_primary(moment.clock, moment.time_ns);
    has_primary_times_ |= time_ns.has_value();
    return time_ns;
}

void PerfettoPackets::place_waiting(const PerfettoClockId& clock) {
    const auto found = waiting_.find(clock);
    if (found == waiting_.end()) return;
    const std::vector<Waiting> ready = std::move(found->second);
    waiting_.erase(found);
    waiting_count_ -= ready.size();
    for (const Waiting& one : ready)
        if (const std::optional<std::int64_t> time_ns = find_time({clock, one.time_ns})) one.put(*time_ns);
}

// By their own time. What follows of these clocks does not wait.
void PerfettoPackets::place_all_waiting() {
    while (!waiting_.empty()) {
        const PerfettoClockId clock = waiting_.begin()->first;
        unrelated_.try_emplace(clock, 0);
        place_waiting(clock);
    }
}

// Times of a single clock are right among themselves.
void PerfettoPackets::report_unrelated_clocks() {
    if (unrelated_.size() + (has_primary_times_ ? 1 : 0) < 2) return;
    for (const auto& [clock, count] : unrelated_) {
        const std::string of = clock.sequence == 0 ? "" : " of sequence " + std::to_string(clock.sequence);
        stage_.note("clock-unrelated",
                    "clock " + std::to_string(clock.number) + of + ": no snapshot relates it to clock " +
                        std::to_string(clocks_.primary()),
                    count);
    }
}

std::string PerfettoPackets::json_of(std::string_view annotation, const Sequence& sequence, int depth) const {
    std::string list, dict;
    std::string json = "null";
    if (depth > kDeepestArgument) return json;
    WireReader reader(annotation);
    for (WireField field; reader.next(field);) {
        switch (field.number) {
            case 2:
                json = field.value != 0 ? "true" : "false";
                break;
            case 3:
                json = std::to_string(field.value);
                break;
            case 4:
                json = std::to_string(static_cast<std::int64_t>(field.value));
                break;
            case 5: {
                std::array<char, 40> digits{};
                const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), field.real());
                json = std::isfinite(field.real()) && error == std::errc{} ? std::string(digits.data(), end) : "null";
                break;
            }
            case 6:
                json.clear();
                append_json_string(json, valid(field.bytes));
                break;
            case 17:
                json.clear();
                append_json_string(json, sequence.argument_texts.find(field.value));
                break;
            case 11: {
                std::string_view name;
                WireReader parts(field.bytes);
                for (WireField part; parts.next(part);) {
                    if (part.number == 1) name = sequence.argument_names.find(part.value);
                    if (part.number == 10) name = part.bytes;
                }
                dict += dict.empty() ? "{" : ",";
                append_json_string(dict, valid(name));
                dict += ":" + json_of(field.bytes, sequence, depth + 1);
                break;
            }
            case 12:
                list += list.empty() ? "[" : ",";
                list += json_of(field.bytes, sequence, depth + 1);
                break;
            default:
                break;
        }
    }
    return !dict.empty() ? dict + "}" : !list.empty() ? list + "]" : json;
}

void PerfettoPackets::add_argument(std::string_view message, const Sequence& sequence, RowArguments& to,
                                   bool& has_collective) {
    std::string name;
    std::optional<std::int64_t> integer;
    std::optional<std::string> text;
    std::optional<double> real;
    WireReader reader(message);
    for (WireField field; reader.next(field);) {
        if (field.number == 1) name = sequence.argument_names.find(field.value);
        if (field.number == 10) name = valid(field.bytes);
        if (field.number == 2) integer = field.value != 0 ? 1 : 0;
        if (field.number == 3 && field.value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()})
            integer = static_cast<std::int64_t>(field.value);
        if (field.number == 4) integer = static_cast<std::int64_t>(field.value);
        if (field.number == 5) real = field.real();
        if (field.number == 6) text = valid(field.bytes);
        if (field.number == 17) text = std::string(sequence.argument_texts.find(field.value));
    }
    if (name.empty()) return;
    const KnownArg* known = find_known_arg(name);
    if (known == nullptr) known = find_known_arg(usual_argument(name));
    if (known != nullptr && known->arg == Arg::CollectiveName) has_collective = true;
    if (known != nullptr && known->type == ArgType::Text && text) to.add_column(known->arg, *text);
    if (known != nullptr && known->type == ArgType::Integer) {
        std::int64_t parsed = 0;
        if (!integer && text) {
            const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), parsed);
            if (error == std::errc{} && end == text->data() + text->size()) integer = parsed;
        }
        const double scaled = real ? *real * known->scale : integer ? static_cast<double>(*integer) * known->scale : 0;
        const bool is_known = std::ranges::find(to.integers, known->arg, &std::pair<Arg, std::int64_t>::first) !=
                              to.integers.end();  // a queue next to a stream
        if (is_known)
            integer.reset();
        else if (known->scale == 1 && integer && *integer >= known->least)
            to.add_column(known->arg, *integer);
        else if ((real || integer) && scaled >= 0 && scaled < 9e15)
            to.add_column(known->arg, static_cast<std::int64_t>(std::llround(scaled)));
    }
    to.add_json(name, json_of(message, sequence, 0));
}

void PerfettoPackets::add_event(std::string_view message, Sequence& sequence, const Moment& moment) {
    Held held{.track = sequence.usual_track, .sequence = packets_};
    std::uint64_t type = 0, name_id = 0;
    std::optional<double> count;
    std::string_view category;
    std::vector<std::uint64_t> flows;
    WireReader reader(message);
    for (WireField field; reader.next(field);) {
        if (std::ranges::find(event::kFlows, field.number) != std::end(event::kFlows) && !field.is_bytes)
            flows.push_back(field.value);
        switch (field.number) {
            case event::kType:
                type = field.value;
                break;
            case event::kTrack:
                held.track = field.value;
                break;
            case event::kName:
                held.name = valid(field.bytes);
                break;
            case event::kNameId:
                name_id = field.value;
                held.name = sequence.events.find(name_id);
                break;
            case event::kCategories:
                category = category.empty() ? field.bytes : category;
                break;
            case event::kCategoryIds:
                category = category.empty() ? sequence.categories.find(field.value) : category;
                break;
            case event::kArguments:
                add_argument(field.bytes, sequence, held.arguments, held.has_collective);
                break;
            case event::kCounter:
                count = static_cast<double>(static_cast<std::int64_t>(field.value));
                break;
            case event::kCounterReal:
                count = field.real();
                break;
            case event::kGpuCorrelation: {
                WireReader parts(field.bytes);
                for (WireField part; parts.next(part);)
                    if (const auto id = as_time(part.value); part.number == 1 && id)
                        held.arguments.add("correlation", Arg::Correlation, *id);
                break;
            }
            default:
                break;
        }
    }
    if (reader.is_bad())
        return stage_.drop("event-malformed", "packet " + std::to_string(packets_) + ": a track event that is cut off");
    if (type == event::kCount) return add_count(held, count, sequence, moment);
    if (type < event::kBegin || type > event::kInstant)
        return stage_.drop("event-malformed",
                           "packet " + std::to_string(packets_) + ": a track event of an unknown type");
    held.phase = type == event::kBegin ? Phase::Begin : type == event::kEnd ? Phase::End : Phase::Instant;
    if (held.name.empty() && held.phase != Phase::End) held.name = replace_name(name_id);
    mark_gpu_work(held, category, flows);
    place(moment, [this, held = std::move(held)](std::int64_t time) mutable {
        held.time = time;
        hold(std::move(held));
    });
}

// Name of an event without one, whose packet may refer to it.
std::string PerfettoPackets::replace_name(std::uint64_t id) {
    if (id != 0)
        stage_.note("name-missing",
                    "packet " + std::to_string(packets_) + ": no packet before it has the name " + std::to_string(id));
    return "(no name)";
}

void PerfettoPackets::add_count(const Held& event, std::optional<double> count, Sequence& sequence,
                                const Moment& moment) {
    const auto track = tracks_.find(event.track);
    const bool is_known = track != tracks_.end();
    const std::string& name = is_known ? track->second.name : event.name;
    if (count && std::isfinite(*count) && is_known) {
        if (track->second.is_incremental) count = sequence.totals[event.track] += *count;
        *count *= track->second.unit;
    }
    if (!count || !std::isfinite(*count))
        return stage_.drop("event-malformed", "packet " + std::to_string(packets_) + ": a counter without a number");
    place(moment, [this, pid = place_of(event.track).pid, title = name.empty() ? "counter" : name,
                   value = *count](std::int64_t time) { stage_.add_counter(time, pid, title, "value", value); });
}

void PerfettoPackets::add(std::string_view bytes) {
    ++packets_;
    std::optional<std::uint64_t> stamp, clock;
    std::uint64_t id = 0, flags = 0;
    bool is_after_loss = false;
    std::string_view event, names, stage, counters, track, clocks, defaults;
    WireReader reader(bytes);
    for (WireField field; reader.next(field);) {
        switch (field.number) {
            case packet::kTimestamp:
                stamp = field.value;
                break;
            case packet::kClock:
                if (field.value != 0) clock = field.value;
                break;
            case packet::kSequence:
                id = field.value;
                break;
            case packet::kFlags:
                flags = field.value;
                break;
            case packet::kDropped:
                is_after_loss = field.value != 0;
                break;
            case packet::kEvent:
                event = field.bytes;
                break;
            case packet::kInterned:
                names = field.bytes;
                break;
            case packet::kRenderStage:
                stage = field.bytes;
                break;
            case packet::kGpuCounters:
                counters = field.bytes;
                break;
            case packet::kTrack:
                track = field.bytes;
                break;
            case packet::kClockSnapshot:
                clocks = field.bytes;
                break;
            case packet::kDefaults:
                defaults = field.bytes;
                break;
            default:
                break;
        }
    }
    if (reader.is_bad())
        return stage_.drop("event-malformed", "packet " + std::to_string(packets_) + ": it is cut off");
    if (sequences_.size() >= kMostPacketNames) return;
    Sequence& sequence = sequences_[id];
    if (is_after_loss) sequence.has_state = false;
    if ((flags & packet::kCleared) != 0) {
        sequence = {};
        sequence.has_state = true;
    }
    if (!clocks.empty())
        for (const PerfettoClockId& related : clocks_.add_snapshot(clocks, id)) place_waiting(related);
    if (!defaults.empty()) add_defaults(defaults, sequence);
    if (!names.empty()) add_names(names, sequence);
    if (!track.empty()) add_track(track);
    // Packets without events, too, advance a clock that counts from packet to packet.
    const PerfettoClockId on = PerfettoClocks::id_of(clock.value_or(sequence.usual_clock), id);
    const std::optional<std::int64_t> time = stamp && clocks.empty() ? clocks_.read(on, *stamp) : std::nullopt;
    if (event.empty() && stage.empty() && counters.empty()) return;
    if ((flags & packet::kNeedsState) != 0 && !sequence.has_state)
        return stage_.drop("event-without-state", "packet " + std::to_string(packets_) +
                                                      ": it needs names that its sequence has lost, or never began");
    if (!time)
        return stage_.drop("event-malformed",
                           "packet " + std::to_string(packets_) + ": an event without a usable time");
    if (!event.empty()) add_event(event, sequence, {on, *time});
    if (!stage.empty()) add_render_stage(stage, sequence, {on, *time});
    if (!counters.empty()) add_gpu_counters(counters, {on, *time});
}

void PerfettoPackets::hold(Held event) {
    held_.push_back(std::move(event));
    if (held_.size() >= kMostHeld) release(false);
}

// Begins and ends come in any order of time within a group of packets. At one moment, ends of what was open before come
// first, then begins, then ends of these.
void PerfettoPackets::release(bool all) {
    std::ranges::stable_sort(held_, [](const Held& a, const Held& b) {
        return std::tie(a.track, a.time, a.sequence) < std::tie(b.track, b.time, b.sequence);
    });
    std::vector<Held> kept;
    const auto put = [&](Held& event) {
        const Place place = place_of(event.track);
        stage_.add({.start_ns = event.time,
                    .duration_ns = 0,
                    .name = event.name,
                    .category = event.category,
                    .pid = place.pid,
                    .tid = place.tid,
                    .id = {},
                    .phase = event.phase,
                    .has_collective = event.has_collective},
                   event.arguments);
    };
    for (std::size_t first = 0; first < held_.size();) {
        std::size_t last = first;
        while (last < held_.size() && held_[last].track == held_[first].track) ++last;
        // Later packets may still belong before the last half of what is held.
        const std::size_t stop = all ? last : first + (last - first + 1) / 2;
        std::int64_t& depth = depths_[held_[first].track];
        for (std::size_t i = first; i < stop;) {
            std::size_t end = i;
            while (end < stop && held_[end].time == held_[i].time) ++end;
            std::int64_t open = depth;
            std::vector<std::size_t> ends_of_before, rest;
            for (std::size_t k = i; k < end; ++k) {
                if (held_[k].phase == Phase::End && open > 0) {
                    --open;
                    ends_of_before.push_back(k);
                } else {
                    rest.push_back(k);
                }
            }
            for (const std::size_t k : ends_of_before) put(held_[k]);
            for (const std::size_t k : rest) put(held_[k]);
            for (std::size_t k = i; k < end; ++k)
                depth += held_[k].phase == Phase::Begin ? 1 : held_[k].phase == Phase::End ? -1 : 0;
            depth = std::max<std::int64_t>(0, depth);
            i = end;
        }
        for (std::size_t i = stop; i < last; ++i) kept.push_back(std::move(held_[i]));
        first = last;
    }
    held_ = std::move(kept);
}

void PerfettoPackets::finish() {
    place_all_waiting();
    release(true);
    report_unrelated_clocks();
    report_shape();
    for (const auto& [pid, name] : processes_) stage_.name(MetadataKind::ProcessName, std::to_string(pid), "", name);
    for (const auto& [thread, name] : threads_)
        stage_.name(MetadataKind::ThreadName, std::to_string(thread.first), std::to_string(thread.second), name);
    for (const auto& [pid, name] : devices_) stage_.name(MetadataKind::ProcessName, pid, "", name);
    for (const auto& [row, name] : own_rows_) stage_.name(MetadataKind::ThreadName, row.first, row.second, name);
    stage_.flush();
}

}  // namespace core
