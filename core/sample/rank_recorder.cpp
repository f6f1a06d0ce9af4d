#include "core/sample/rank_recorder.hpp"

#include <cassert>
#include <utility>

namespace core::sample {
namespace {

constexpr std::size_t kSpecsPerKind = 128;
constexpr std::size_t kKindCount = 12;
constexpr std::int64_t kFirstAddress = 0x7F2200000000;

struct HostCost {
    std::int64_t lead_ns;   // before the first child
    std::int64_t trail_ns;  // after the last
};

HostCost host_cost(EventKind kind) {
    switch (kind) {
        case EventKind::CpuOp:
            return {2600, 1100};
        case EventKind::EvaluateFunction:
            return {3400, 1800};
        case EventKind::Annotation:
            return {1900, 1200};
        case EventKind::Python:
            return {900, 600};
        default:
            return {500, 300};
    }
}

}  // namespace

Lane lane_of(GroupKind group) {
    switch (group) {
        case GroupKind::World:
            return Lane::World;
        case GroupKind::Data:
            return Lane::Data;
        case GroupKind::Tensor:
            return Lane::Tensor;
        case GroupKind::Pipeline:
            return Lane::Pipeline;
        case GroupKind::Expert:
            return Lane::Expert;
    }
    return Lane::World;
}

RankRecorder::RankRecorder(const Catalog& catalog, std::uint64_t seed, int rank, std::int64_t begin_ns)
    : catalog_(catalog),
      seed_(seed),
      rank_(rank),
      occurrences_(kKindCount * kSpecsPerKind, 0),
      now_(begin_ns),
      next_address_(kFirstAddress),
      allocated_(kResidentBytes) {
    last_task_.fill(kNone);
    next_seq_.fill(kFirstSeq);
}

void RankRecorder::begin_step(int step) {
    assert(threads_[0].frames.empty() && threads_[1].frames.empty());
    noise_ = Noise(seed_, static_cast<std::uint64_t>(rank_), static_cast<std::uint64_t>(step));
    occurrences_.assign(occurrences_.size(), 0);
    last_task_.fill(kNone);
    events_.clear();
    tasks_.clear();
    ranges_.clear();
    collectives_.clear();
}

std::uint64_t RankRecorder::draw(EventKind kind, std::uint16_t spec) {
    assert(spec < kSpecsPerKind);
    const std::size_t site = static_cast<std::size_t>(kind) * kSpecsPerKind + spec;
    return noise_.draw(static_cast<std::uint32_t>(site), occurrences_[site]++);
}

std::int64_t RankRecorder::current_operator() const {
    const Thread& current = threads_[static_cast<std::size_t>(thread_)];
    return current.operators.empty() ? kNone : static_cast<std::int64_t>(current.operators.back());
}

std::size_t RankRecorder::open(EventKind kind, std::uint16_t spec, std::uint32_t number) {
    const std::uint64_t noise = draw(kind, spec);
    Event event;
    event.kind = kind;
    event.spec = spec;
    event.number = number;
    event.lane = thread_;
    event.start_ns = now_;
    const std::size_t index = events_.size();
    Thread& current = thread();
    if (kind == EventKind::Python) {
        event.id = next_python_++;
        event.parent = current.python.empty() ? kPythonMain : current.python.back();
        current.python.push_back(event.id);
    } else {
        event.external_id = next_external_++;
        event.id = event.external_id;
        if (kind != EventKind::Annotation) current.operators.push_back(index);
    }
    if (kind == EventKind::Annotation) {
        ranges_.push_back({index, current.range, {}, {}});
        current.range = static_cast<std::int64_t>(ranges_.size()) - 1;
    }
    events_.push_back(event);
    current.frames.push_back(index);
    now_ += host_cost(kind).lead_ns * between(noise, 80, 150) / 100;
    return index;
}

void RankRecorder::close() {
    Thread& current = thread();
    assert(!current.frames.empty());
    Event& event = events_[current.frames.back()];
    current.frames.pop_back();
    switch (event.kind) {
        case EventKind::Python:
            current.python.pop_back();
            break;
        case EventKind::Annotation:
            current.range = ranges_[static_cast<std::size_t>(current.range)].outer;
            break;
        default:
            current.operators.pop_back();
            break;
    }
    now_ += host_cost(event.kind).trail_ns;
    event.duration_ns = now_ - event.start_ns;
    now_ += 180;
}

RankRecorder::Scope RankRecorder::op(OpId id, ShapeId shapes) {
    open(EventKind::CpuOp, static_cast<std::uint16_t>(id), shapes);
    return Scope(*this);
}

RankRecorder::Scope RankRecorder::annotation(TextId id, std::uint32_t number) {
    open(EventKind::Annotation, static_cast<std::uint16_t>(id), number);
    return Scope(*this);
}

RankRecorder::Scope RankRecorder::python(TextId id, std::uint32_t number) {
    const std::size_t index = open(EventKind::Python, static_cast<std::uint16_t>(id), number);
    if (catalog_.texts[static_cast<std::size_t>(id)].numbered) events_[index].module = number;
    return Scope(*this);
}

RankRecorder::Scope RankRecorder::evaluate(OpId id, std::int64_t sequence) {
    const std::size_t index = open(EventKind::EvaluateFunction, static_cast<std::uint16_t>(id));
    events_[index].sequence = sequence;
    return Scope(*this);
}

RankRecorder::Link RankRecorder::begin_link() {
    Event& event = events_[thread().operators.back()];
    event.sequence = next_sequence_++;
    event.flow = next_flow_++;
    return {event.sequence, event.flow};
}

void RankRecorder::end_link(const Link& link) {
    Event& event = events_[thread().operators.back()];
    event.sequence = link.sequence;
    event.flow = link.flow;
    event.ends_flow = true;
}

std::size_t RankRecorder::call(CallId id) {
    const CallSpec& spec = catalog_.call(id);
    const std::uint64_t noise = draw(EventKind::Runtime, static_cast<std::uint16_t>(id));
    const bool slow = between(noise >> 7, 0, 255) == 0;
    Event event;
    event.kind = EventKind::Runtime;
    event.spec = static_cast<std::uint16_t>(id);
    event.lane = thread_;
    event.start_ns = now_;
    event.duration_ns = spec.base_ns * between(noise, 75, 145) / 100 * (slow ? between(noise >> 3, 5, 14) : 1);
    event.duration_ns += std::exchange(stall_ns_, 0);
    event.correlation = next_correlation_++;
    const std::int64_t enclosing = current_operator();
    if (enclosing != kNone) event.external_id = events_[static_cast<std::size_t>(enclosing)].external_id;
    events_.push_back(event);
    now_ += event.duration_ns + 150;
    return events_.size() - 1;
}

void RankRecorder::queue(DeviceTask task, const Event& launch, Lane lane, std::uint64_t noise) {
    task.event.lane = lane;
    task.event.external_id = launch.external_id;
    task.event.correlation = launch.correlation;
    task.earliest_ns = launch.end_ns() + between(noise >> 5, 1400, 3200);
    task.gap_ns = between(noise >> 9, 850, 1500);
    task.range = thread().range;
    last_task_[static_cast<std::size_t>(lane)] = static_cast<std::int64_t>(tasks_.size());
    tasks_.push_back(task);
}

void RankRecorder::launch(KernelId kernel, std::int64_t percent) {
    const KernelSpec& spec = catalog_.kernel(kernel);
    constexpr CallId kCallOf[] = {CallId::LaunchKernel, CallId::LaunchKernelEx, CallId::DriverLaunch,
                                  CallId::DriverLaunchEx};
    const std::size_t launch = call(kCallOf[static_cast<std::size_t>(spec.call)]);
    const std::uint64_t noise = draw(EventKind::Kernel, static_cast<std::uint16_t>(kernel));
    DeviceTask task;
    task.event.kind = EventKind::Kernel;
    task.event.spec = static_cast<std::uint16_t>(kernel);
    task.event.duration_ns = spec.base_ns * percent / 100 * between(noise, 985, 1018) / 1000;
    queue(task, events_[launch], Lane::Compute, noise);
}

void RankRecorder::copy(CopyId kind, std::int64_t bytes) {
    const std::size_t launch = call(CallId::MemcpyAsync);
    const std::uint64_t noise = draw(EventKind::Memcpy, static_cast<std::uint16_t>(kind));
    const std::int64_t bytes_per_us = kind == CopyId::DeviceToDevice ? 1'300'000 : 48'000;
    DeviceTask task;
    task.event.kind = EventKind::Memcpy;
    task.event.spec = static_cast<std::uint16_t>(kind);
    task.event.bytes = bytes;
    task.event.duration_ns = 1300 + bytes * 1000 / bytes_per_us * between(noise, 95, 112) / 100;
    queue(task, events_[launch], Lane::Compute, noise);
}

void RankRecorder::set(std::int64_t bytes) {
    const std::size_t launch = call(CallId::MemsetAsync);
    const std::uint64_t noise = draw(EventKind::Memset, 0);
    DeviceTask task;
    task.event.kind = EventKind::Memset;
    task.event.bytes = bytes;
    task.event.duration_ns = 1100 + bytes / 2600 * between(noise, 97, 105) / 100;
    queue(task, events_[launch], Lane::Compute, noise);
}

void RankRecorder::collective(const Collective& collective, KernelId kernel) {
    const std::size_t launch = call(CallId::LaunchKernelEx);
    const auto group = static_cast<std::size_t>(collective.group);
    const std::int64_t enclosing = current_operator();
    DeviceTask task;
    task.event.kind = EventKind::Kernel;
    task.event.spec = static_cast<std::uint16_t>(kernel);
    task.event.collective = static_cast<std::int32_t>(collectives_.size());
    collectives_.push_back(collective);
    collectives_.back().seq = next_seq_[group]++;
    if (enclosing != kNone) events_[static_cast<std::size_t>(enclosing)].collective = task.event.collective;
    queue(task, events_[launch], lane_of(collective.group),
          draw(EventKind::Kernel, static_cast<std::uint16_t>(kernel)));
}

RankRecorder::LaneMark RankRecorder::mark_lane(Lane lane) {
    const std::int64_t record = events_[call(CallId::EventRecord)].correlation;
    return {.lane = lane, .record = record, .task = last_task_[static_cast<std::size_t>(lane)]};
}

void RankRecorder::wait_for_mark(Lane waiting, const LaneMark& mark) {
    const Event wait = events_[call(CallId::StreamWaitEvent)];
    DeviceTask task;
    task.event.kind = EventKind::Sync;
    task.event.spec = static_cast<std::uint16_t>(SyncId::StreamWaitEvent);
    task.event.start_ns = wait.start_ns + 200;
    task.event.duration_ns = wait.duration_ns - 300;
    task.event.id = next_cuda_event_++;
    task.event.parent = mark.record;
    task.event.other_lane = mark.lane;
    task.event.lane = waiting;
    task.event.external_id = wait.external_id;
    task.event.correlation = wait.correlation;
    task.waits_for = mark.task;
    tasks_.push_back(task);
}

void RankRecorder::note_memory(std::int64_t bytes, std::int64_t address) {
    allocated_ += bytes;
    Event event;
    event.kind = EventKind::Memory;
    event.lane = thread_;
    event.start_ns = now_;
    event.bytes = bytes;
    event.address = address;
    event.allocated = allocated_;
    events_.push_back(event);
    now_ += 250;
}

void RankRecorder::allocate(std::int64_t bytes) {
    const std::int64_t rounded = (bytes + 511) / 512 * 512;
    live_.push_back({next_address_, rounded});
    next_address_ += rounded;
    note_memory(rounded, live_.back().address);
}

void RankRecorder::release(std::size_t kept) {
    while (live_.size() > kept) {
        const Allocation freed = live_.back();
        live_.pop_back();
        next_address_ = freed.address;
        note_memory(-freed.bytes, freed.address);
    }
}

void RankRecorder::begin_stream_sync() {
    const std::size_t index = call(CallId::StreamSynchronize);
    thread().frames.push_back(index);
}

void RankRecorder::finish_stream_sync(std::int64_t done_ns) {
    Event& wait = events_[thread().frames.back()];
    thread().frames.pop_back();
    if (done_ns + 5200 > now_) now_ = done_ns + 5200;
    wait.duration_ns = now_ - wait.start_ns;
    now_ += 400;
    DeviceTask row;
    row.event = wait;
    row.event.kind = EventKind::Sync;
    row.event.spec = static_cast<std::uint16_t>(SyncId::StreamSync);
    row.event.lane = Lane::Compute;
    row.event.start_ns += 600;
    row.event.duration_ns -= 900;
    tasks_.push_back(row);
}

void RankRecorder::event_sync(std::int64_t stall_ns) {
    const std::int64_t record = events_[call(CallId::EventRecord)].correlation;
    stall_ns_ += stall_ns;
    const Event wait = events_[call(CallId::EventSynchronize)];
    DeviceTask row;
    row.event = wait;
    row.event.kind = EventKind::Sync;
    row.event.spec = static_cast<std::uint16_t>(SyncId::EventSync);
    row.event.lane = Lane::Context;
    row.event.other_lane = Lane::Compute;
    row.event.id = next_cuda_event_++;
    row.event.parent = record;
    row.event.start_ns += 300;
    row.event.duration_ns -= 500;
    tasks_.push_back(row);
}

}  // namespace core::sample
