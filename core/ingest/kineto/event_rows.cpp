#include "core/ingest/kineto/event_rows.hpp"

#include "core/ingest/json/json_scan.hpp"
#include "core/ingest/json/json_value.hpp"
#include "core/ingest/json/timestamp.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

namespace core {
namespace {

// Objects, clock marks, memory dumps, contexts and linked ids aren't shown.
bool is_unshown_phase(char ph) { return std::string_view("NODcvV()=").find(ph) != std::string_view::npos; }

std::optional<MetadataKind> metadata_kind(std::string_view name) {
    if (name == "process_name") return MetadataKind::ProcessName;
    if (name == "process_labels") return MetadataKind::ProcessLabels;
    if (name == "process_sort_index") return MetadataKind::ProcessSortIndex;
    if (name == "thread_name") return MetadataKind::ThreadName;
    if (name == "thread_sort_index") return MetadataKind::ThreadSortIndex;
    return std::nullopt;
}

std::string_view metadata_key(MetadataKind kind) {
    switch (kind) {
        case MetadataKind::ProcessLabels:
            return "labels";
        case MetadataKind::ProcessSortIndex:
        case MetadataKind::ThreadSortIndex:
            return "sort_index";
        default:
            return "name";
    }
}

bool is_true(const char* value, const char* limit) {
    return value != nullptr && json_integer(value, limit).value_or(0) != 0;
}

std::uint64_t flow_number(std::string_view id) {
    std::uint64_t number = 0;
    const auto parsed = std::from_chars(id.data(), id.data() + id.size(), number);
    return parsed.ec == std::errc() && parsed.ptr == id.data() + id.size() ? number : hash_text(id);
}

// `token` is a whole value, so no further digits may follow.
bool is_same(const char* value, const char* limit, std::string_view token) {
    if (token.empty() || limit - value <= static_cast<std::ptrdiff_t>(token.size())) return false;
    const char after = value[token.size()];
    const bool ends = token.back() == '"' || after == ',' || after == '}' || is_json_space(after);
    return ends && std::memcmp(value, token.data(), token.size()) == 0;
}

// A cheap hash of beginning, end and size.
std::uint64_t mix_ends(std::string_view text) {
    std::uint64_t front = 0;
    std::uint64_t back = 0;
    if (text.size() >= 8) {
        std::memcpy(&front, text.data(), 8);
        std::memcpy(&back, text.data() + text.size() - 8, 8);
    } else if (text.size() >= 4) {
        std::memcpy(&front, text.data(), 4);
        std::memcpy(&back, text.data() + text.size() - 4, 4);
    } else {
        for (const char c : text) front = front << 8 | static_cast<unsigned char>(c);
    }
    constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15u;
    return (((front + text.size()) * kMix ^ back) * kMix ^ (front >> 32)) * kMix;
}

// NaN, Infinity, inf, -nan, … where a number should be.
bool is_unwritable_number(const char* value) {
    const char first = *value == '-' || *value == '+' ? value[1] : *value;
    return first == 'N' || first == 'I' || first == 'i' || (first == 'n' && value[1] != 'u');
}

bool is_list_argument(Arg arg) {
    return arg == Arg::InputDims || arg == Arg::InputTypes || arg == Arg::GroupRanks || arg == Arg::ConcreteInputs ||
           arg == Arg::InSplit || arg == Arg::OutSplit;
}

}  // namespace

std::optional<Phase> event_phase(char ph) {
    switch (ph) {
        case 'X':
            return Phase::Complete;
        case 'B':
            return Phase::Begin;
        case 'E':
            return Phase::End;
        case 'b':
        case 'S':
            return Phase::AsyncBegin;
        case 'e':
        case 'F':
            return Phase::AsyncEnd;
        case 'i':
        case 'I':
        case 'R':
        case 'n':
        case 'T':
        case 'p':
        case 'P':
            return Phase::Instant;
        default:
            return std::nullopt;
    }
}

std::optional<FlowPhase> flow_phase(char ph) {
    if (ph == 's') return FlowPhase::Start;
    if (ph == 't') return FlowPhase::Step;
    if (ph == 'f') return FlowPhase::End;
    return std::nullopt;
}

NameId RecentNames::intern(StringPool& pool, std::string_view text) {
    constexpr int kSlotBits = std::countr_zero(kSlots);
    NameId& id = ids_[mix_ends(text) >> (64 - kSlotBits)];
    if (pool.text(id) != text) id = pool.intern(text);
    return id;
}

NameId RecentLists::intern(StringPool& pool, std::string_view list) {
    constexpr int kSlotBits = std::countr_zero(kSlots);
    Known& known = known_[quick_hash(list) >> (64 - kSlotBits)];
    if (known.list != list) known = {list, pool.intern(compact_json(list, scratch_))};
    return known.id;
}

bool RawEvent::is_empty() const {
    return phase == nullptr && name == nullptr && category == nullptr && time == nullptr && duration == nullptr &&
           pid == nullptr && tid == nullptr && id == nullptr && fields.empty() && arguments.empty() && extra.empty();
}

void RawEvent::clear(const char* new_limit) {
    static_cast<EventFields&>(*this) = EventFields{};
    limit = new_limit;
    fields.clear();
    extra.clear();
}

void RowWriter::note(std::string_view kind, std::uint64_t offset, std::string_view what) {
    if (!batch_.diagnostics.is_first(kind)) return batch_.diagnostics.add(kind, "");
    batch_.diagnostics.add(kind, "byte " + std::to_string(offset) + ": " + std::string(what));
}

void RowWriter::drop(std::string_view kind, std::uint64_t offset, std::string_view reason) {
    ++batch_.records.total;
    ++batch_.records.dropped;
    note(kind, offset, reason);
}

NameId RowWriter::intern_text(const char* value, const char* limit) {
    return value == nullptr ? NameId{0} : batch_.pool.intern(json_text(value, limit, scratch_, &broken_escape_));
}

NameId RowWriter::intern_id(const char* value, const char* limit) {
    return value == nullptr ? NameId{0} : batch_.pool.intern(json_id(value, limit, scratch_, false));
}

void RowWriter::forget() {
    last_category_ = last_pid_ = last_tid_ = Last{};
    lists_ = {};
}

NameId RowWriter::intern_category(const RawEvent& event) {
    if (event.category == nullptr) return NameId{0};
    if (!is_same(event.category, event.limit, last_category_.token)) {
        last_category_ = {json_token(event.category, event.limit), intern_text(event.category, event.limit)};
    }
    return last_category_.id;
}

NameId RowWriter::intern_repeated_id(const char* value, const char* limit, Last& last) {
    if (value == nullptr) return NameId{0};
    if (!is_same(value, limit, last.token)) last = {json_token(value, limit), intern_id(value, limit)};
    return last.id;
}

// The id includes the scope and, for local ids, the process. Valid until the next call.
std::string_view RowWriter::async_id(const RawEvent& event) {
    if (event.scope == nullptr && event.id2 == nullptr) return json_id(event.id, event.limit, id_, true);
    std::string scope;
    if (event.scope != nullptr) scope = std::string(json_text(event.scope, event.limit, scratch_)) + "/";
    const std::string_view id2 = event.id2 == nullptr ? std::string_view() : json_token(event.id2, event.limit);
    const std::size_t local = id2.find("\"local\"");
    const std::size_t key = local == std::string_view::npos ? id2.find("\"global\"") : local;
    const char* value = event.id;
    if (key != std::string_view::npos) {
        const std::size_t begin = id2.find_first_not_of(" \n\r\t:", id2.find('"', key + 1) + 1);
        if (begin != std::string_view::npos) value = id2.data() + begin;
        if (local != std::string_view::npos) {
            scope = std::string(json_id(event.pid, event.limit, scratch_, false)) + "/" + scope;
        }
    }
    id_ = scope.append(json_id(value, event.limit, scratch_, true));
    return id_;
}

void RowWriter::write(RawEvent& event) {
    order_ = static_cast<std::uint32_t>(batch_.records.total);
    if (event.is_empty()) return;  // {} pads a list after its last comma
    const bool has_phase = event.phase != nullptr && *event.phase == '"';
    const std::string_view text = has_phase ? json_text(event.phase, event.limit, scratch_) : std::string_view();
    if (text.size() != 1) return drop("event-malformed", event.offset, "an event without a phase");
    broken_escape_ = false;
    write_phase(event, text.front());
    if (broken_escape_) note("text-repaired", event.offset, "a backslash that begins no escape");
}

void RowWriter::write_phase(RawEvent& event, char ph) {
    const std::optional<Phase> phase = event_phase(ph);
    const std::optional<FlowPhase> flow = flow_phase(ph);
    if (phase) return write_event(event, *phase);
    if (flow) return write_flow(event, *flow);
    if (ph == 'C') return write_counter(event);
    if (ph == 'M') return write_metadata(event);
    drop(is_unshown_phase(ph) ? "object-event" : "event-malformed", event.offset,
         "an event of phase " + std::string(1, ph));
}

bool RowWriter::read_time(const RawEvent& event, std::int64_t& ns) {
    const ParsedTime time =
        event.time == nullptr ? ParsedTime{} : parse_microseconds(json_text(event.time, event.limit, scratch_));
    ns = time.ns;
    if (!time.valid) drop("event-malformed", event.offset, "an event without a usable time");
    if (time.valid && time.clamped) note("absurd-duration", event.offset, "a time beyond 73 years");
    return time.valid;
}

void RowWriter::read_duration(const RawEvent& event, std::int64_t& ns) {
    const ParsedTime time =
        event.duration == nullptr ? ParsedTime{} : parse_microseconds(json_text(event.duration, event.limit, scratch_));
    ns = std::max<std::int64_t>(time.ns, 0);
    if (!time.valid) note("duration-missing", event.offset, "an event without a usable duration");
    if (time.valid && time.clamped) note("absurd-duration", event.offset, "a duration beyond 73 years");
    if (time.valid && time.ns < 0) note("negative-duration", event.offset, "a duration below zero");
}

void RowWriter::keep_in_extra(RawEvent& event, std::string_view key, const char* value) {
    if (value == nullptr) return;
    if (!event.extra.empty()) event.extra += ", ";
    event.extra.append("\"").append(key).append("\": ").append(json_token(value, event.limit));
}

void RowWriter::count_event(Phase phase) {
    RecordCounts& records = batch_.records;
    ++records.total;
    ++(phase == Phase::Complete ? records.complete : phase == Phase::Instant ? records.instants : records.paired);
}

void RowWriter::write_event(RawEvent& event, Phase phase) {
    EventRow row{};
    if (!read_time(event, row.start_ns)) return;
    if (phase == Phase::Complete) read_duration(event, row.duration_ns);
    const bool async = phase == Phase::AsyncBegin || phase == Phase::AsyncEnd;
    row.name = intern_text(event.name, event.limit);
    row.category = intern_category(event);
    row.pid = intern_repeated_id(event.pid, event.limit, last_pid_);
    row.tid = intern_repeated_id(event.tid, event.limit, last_tid_);
    if (async) row.id = batch_.pool.intern(async_id(event));
    row.order = order_;
    row.phase = phase;

    count_event(phase);
    const auto index = static_cast<std::uint32_t>(batch_.events.size());
    batch_.events.push_back(row);
    write_arguments(event, index);
    if (event.bind_id != nullptr) write_bound_flow(event, row);

    if (!async) keep_in_extra(event, "id", event.id);
    keep_in_extra(event, "bind_id", event.bind_id);
    if (!event.extra.empty()) event.extra.insert(0, "{").append("}");
    batch_.text_store.add(order_, event.offset, mend_numbers(event), event.extra);
}

// The arguments, with NaN and infinities in quotes: JSON has no such numbers, and a reader of the whole text would
// stop at the first.
std::string_view RowWriter::mend_numbers(const RawEvent& event) {
    const char* at = event.arguments.data();
    mended_.clear();
    for (const RawEvent::Argument& field : event.fields) {
        if (!is_unwritable_number(field.value)) continue;
        const std::string_view number = json_token(field.value, event.limit);
        note("number-unreadable", event.offset, std::string(field.key) + " is " + std::string(number));
        mended_.append(at, field.value).append("\"").append(number).append("\"");
        at = number.data() + number.size();
    }
    if (mended_.empty()) return event.arguments;
    return mended_.append(at, event.arguments.data() + event.arguments.size());
}

void RowWriter::write_arguments(const RawEvent& event, std::uint32_t row) {
    for (const RawEvent::Argument& field : event.fields) {
        const KnownArg* known = find_known_arg(field.key);
        if (known != nullptr && is_kept(*known, row))
            write_argument({.value = field.value, .limit = event.limit, .offset = event.offset}, *known, row);
    }
}

bool RowWriter::is_kept(const KnownArg& known, std::uint32_t row) const {
    return known.only_for.empty() || batch_.pool.text(batch_.events[row].name).starts_with(known.only_for);
}

void RowWriter::write_argument(const ArgumentText& text, const KnownArg& known, std::uint32_t row) {
    if (is_json_null(text.value, text.limit)) return;
    const auto column = static_cast<std::size_t>(known.arg);
    if (known.type == ArgType::Integer) {
        auto& values = batch_.integers[column];
        if (!values.empty() && values.back().row == row) return;
        const std::optional<std::int64_t> value =
            known.is_bits ? json_bits(text.value, text.limit) : json_integer(text.value, text.limit, known.scale);
        if (value && *value >= known.least)
            values.push_back({row, *value});
        else
            note("argument-unreadable", text.offset, known.key);
        return;
    }
    auto& values = batch_.texts[column];
    if (!values.empty() && values.back().row == row) return;
    std::string_view content = json_text(text.value, text.limit, scratch_, &broken_escape_);
    std::string compact;
    if (is_list_argument(known.arg)) content = compact_json(content, compact);
    values.push_back({row, batch_.pool.intern(content)});
    if (known.arg == Arg::CollectiveName) batch_.events[row].has_collective = true;
}

void RowWriter::write_flow(const RawEvent& event, FlowPhase phase) {
    FlowRow row{};
    if (!read_time(event, row.time_ns)) return;
    row.category = intern_category(event);
    row.name = intern_text(event.name, event.limit);
    row.id = flow_number(async_id(event));
    row.pid = intern_repeated_id(event.pid, event.limit, last_pid_);
    row.tid = intern_repeated_id(event.tid, event.limit, last_tid_);
    row.phase = phase;
    row.bind_enclosing = event.binding != nullptr && json_text(event.binding, event.limit, scratch_) == "e";
    row.order = order_;
    ++batch_.records.total;
    ++batch_.records.flows;
    batch_.flows.push_back(row);
}

// Version 2 of Chrome's flows: the events themselves carry the ends.
void RowWriter::write_bound_flow(const RawEvent& event, const EventRow& row) {
    const bool in = is_true(event.flow_in, event.limit);
    const bool out = is_true(event.flow_out, event.limit);
    if (!in && !out) return;
    const std::uint64_t id = flow_number(json_id(event.bind_id, event.limit, scratch_, true));
    const FlowPhase phase = in && out ? FlowPhase::Step : out ? FlowPhase::Start : FlowPhase::End;
    batch_.flows.push_back({.time_ns = row.start_ns,
                            .category = row.category,
                            .name = row.name,
                            .pid = row.pid,
                            .tid = row.tid,
                            .id = id,
                            .phase = phase,
                            .bind_enclosing = true,
                            .order = order_});
}

void RowWriter::write_counter(const RawEvent& event) {
    CounterRow row{};
    if (!read_time(event, row.time_ns)) return;
    row.pid = intern_repeated_id(event.pid, event.limit, last_pid_);
    row.name = intern_text(event.name, event.limit);
    const std::string_view id = json_id(event.id, event.limit, scratch_, false);
    if (!id.empty() && event.name != nullptr) {
        const std::string suffix = "[" + std::string(id) + "]";
        row.name = batch_.pool.intern(std::string(json_text(event.name, event.limit, scratch_)) + suffix);
    }
    ++batch_.records.total;
    ++batch_.records.counters;
    bool any = false;
    for (const RawEvent::Argument& field : event.fields) {
        const std::optional<double> value = json_number(field.value, event.limit);
        const bool nested = *field.value == '{' || *field.value == '[';
        if (nested) note("argument-unreadable", event.offset, "a counter value that is not a number");
        if (!value) continue;
        row.series = batch_.pool.intern(field.key);
        row.value = *value;
        batch_.counters.push_back(row);
        any = true;
    }
    if (!any) note("argument-unreadable", event.offset, "a counter without a number");
}

void RowWriter::write_metadata(const RawEvent& event) {
    ++batch_.records.total;
    ++batch_.records.metadata;
    const std::optional<MetadataKind> kind =
        event.name == nullptr ? std::nullopt : metadata_kind(json_text(event.name, event.limit, scratch_));
    if (!kind) return;
    const auto field = std::ranges::find(event.fields, metadata_key(*kind), &RawEvent::Argument::key);
    if (field == event.fields.end()) return;
    MetadataRow row{};
    row.kind = *kind;
    row.pid = intern_repeated_id(event.pid, event.limit, last_pid_);
    row.tid = intern_repeated_id(event.tid, event.limit, last_tid_);
    if (*kind == MetadataKind::ProcessSortIndex || *kind == MetadataKind::ThreadSortIndex) {
        const std::optional<std::int64_t> number = json_integer(field->value, event.limit);
        if (!number) return note("argument-unreadable", event.offset, "a sort index");
        row.number = *number;
    } else {
        row.text = intern_text(field->value, event.limit);
    }
    batch_.metadata.push_back(row);
}

// ---------------------------------------------------------------- laid out events

void RowWriter::write(const LaidOutEvent& event, std::uint64_t offset) {
    order_ = static_cast<std::uint32_t>(batch_.records.total);
    if (event.form->is_flow) return write_laid_out_flow(event);
    write_laid_out_event(event, offset);
}

NameId RowWriter::intern_name(const LaidOutEvent& event) {
    if (event.form->name == EventForm::kAbsent) return NameId{0};
    return names_.intern(batch_.pool, event.values[event.form->name]);
}

RowWriter::FormIds RowWriter::learn_ids(const EventForm& form) {
    if (form.text.id >= form_ids_.size()) form_ids_.resize(form.text.id + 1, FormIds{});
    FormIds& ids = form_ids_[form.text.id];
    ids.category = batch_.pool.intern(form.category);
    ids.pid = batch_.pool.intern(form.pid);
    ids.tid = batch_.pool.intern(form.tid);
    ids.known = true;
    return ids;
}

void RowWriter::write_laid_out_event(const LaidOutEvent& event, std::uint64_t offset) {
    const EventForm& form = *event.form;
    EventRow row{};
    row.start_ns = event.numbers[form.time];
    if (form.phase == Phase::Complete) row.duration_ns = event.numbers[form.duration];
    row.name = intern_name(event);  // first: texts are numbered in order of interning
    const FormIds ids = ids_of(form);
    row.category = ids.category;
    row.pid = ids.pid;
    row.tid = ids.tid;
    row.order = order_;
    row.phase = form.phase;
    count_event(form.phase);
    const auto index = static_cast<std::uint32_t>(batch_.events.size());
    batch_.events.push_back(row);
    write_laid_out_arguments(event, offset, index);
    const std::size_t count = form.text.values.size();
    batch_.text_store.add(order_, offset, form.text, std::span(event.values).subspan(form.first_argument, count),
                          std::span(event.numbers).subspan(form.first_argument, count));
}

void RowWriter::write_laid_out_arguments(const LaidOutEvent& event, std::uint64_t offset, std::uint32_t row) {
    for (const EventForm::Argument& argument : event.form->arguments) {
        const KnownArg& known = *argument.known;
        if (!is_kept(known, row)) continue;
        const char* const value = event.values[argument.value].data();
        if (argument.kind != EventForm::Value::Number) {
            const bool is_text = argument.kind == EventForm::Value::Text;
            if (known.type == ArgType::Text)
                write_plain_text(event.values[argument.value], known, row);
            else
                write_argument({.value = value - (is_text ? 1 : 0), .limit = event.end, .offset = offset}, known, row);
            continue;
        }
        auto& integers = batch_.integers[static_cast<std::size_t>(known.arg)];
        const bool has_one = !integers.empty() && integers.back().row == row;
        const std::int64_t number = event.numbers[argument.value];
        if (has_one) continue;
        if (number >= known.least)
            integers.push_back({row, number});
        else
            note("argument-unreadable", offset, known.key);
    }
}

// Writes a text without quotes, or any other value verbatim.
void RowWriter::write_plain_text(std::string_view text, const KnownArg& known, std::uint32_t row) {
    auto& values = batch_.texts[static_cast<std::size_t>(known.arg)];
    if (!values.empty() && values.back().row == row) return;
    const bool is_list = is_list_argument(known.arg);
    values.push_back({row, is_list ? lists_.intern(batch_.pool, text) : names_.intern(batch_.pool, text)});
    if (known.arg == Arg::CollectiveName) batch_.events[row].has_collective = true;
}

void RowWriter::write_laid_out_flow(const LaidOutEvent& event) {
    const EventForm& form = *event.form;
    FlowRow row{};
    row.time_ns = event.numbers[form.time];
    if (!knows(form)) batch_.pool.intern(form.category);  // first: texts are numbered in order of interning
    row.name = intern_name(event);
    row.id = static_cast<std::uint64_t>(event.numbers[form.flow_id]);
    const FormIds ids = ids_of(form);
    row.category = ids.category;
    row.pid = ids.pid;
    row.tid = ids.tid;
    row.phase = form.flow_phase;
    row.bind_enclosing = form.bind_enclosing;
    row.order = order_;
    ++batch_.records.total;
    ++batch_.records.flows;
    batch_.flows.push_back(row);
}

}  // namespace core
