#pragma once
// Records one rank's host during one step: nested calls, launches, and work queued on streams.
//
// Host events come out in order of start, parents before children, properly nested per thread. Device
// work is queued with its cost and dependencies only; device_schedule.hpp decides when it runs.
// One recorder per rank, used by one thread at a time; clear_step() between steps.

#include "core/sample/sample_catalog.hpp"
#include "core/sample/sample_event.hpp"
#include "core/sample/sample_noise.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace core::sample {

enum class GroupKind : std::uint8_t { World, Data, Tensor, Pipeline, Expert };
inline constexpr int kGroupKindCount = 5;
enum class CollectiveOp : std::uint8_t { AllReduce, AllGather, ReduceScatter, Send, Recv, AllToAll };
Lane lane_of(GroupKind group);  // one stream per group kind
enum class ElementType : std::uint8_t { BFloat16, Float };

struct Collective {
    GroupKind group = GroupKind::World;
    CollectiveOp op = CollectiveOp::AllReduce;
    ElementType type = ElementType::BFloat16;
    std::int64_t in_elements = 0;
    std::int64_t out_elements = 0;
    std::int64_t seq = 0;
    std::vector<std::int64_t> in_rows{}, out_rows{};  // of an exchange: to and from each member
};

struct DeviceTask {
    Event event;                   // start set by the schedule; a Sync row keeps its own times
    std::int64_t earliest_ns = 0;  // when the launch arrives on the device
    std::int64_t gap_ns = 0;       // after the stream's previous work
    std::int64_t waits_for = kNone;  // Sync: the task whose end holds its lane back
    std::int64_t range = kNone;      // innermost annotation range it was launched in
};

// A host annotation seen from the streams: from its first to its last device work there.
struct AnnotationRange {
    std::size_t event = 0;
    std::int64_t outer = kNone;
    std::array<std::int64_t, kLaneCount> begin_ns{};
    std::array<std::int64_t, kLaneCount> end_ns{};  // 0: nothing on this lane
};

class RankRecorder {
public:
    class Scope {
    public:
        explicit Scope(RankRecorder& recorder) : recorder_(recorder) {}
        ~Scope() { recorder_.close(); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        RankRecorder& recorder_;
    };

    RankRecorder(const Catalog& catalog, std::uint64_t seed, int rank, std::int64_t begin_ns);

    void begin_step(int step);  // forgets the previous step's events

    // A scope ends with the returned object; open() and close() serve scopes that span a device
    // wait.
    [[nodiscard]] Scope op(OpId id, ShapeId shapes = kNoShapes);
    [[nodiscard]] Scope annotation(TextId id, std::uint32_t number = 0);
    [[nodiscard]] Scope python(TextId id, std::uint32_t number = 0);
    [[nodiscard]] Scope evaluate(OpId id, std::int64_t sequence);
    std::size_t open(EventKind kind, std::uint16_t spec, std::uint32_t number = 0);
    void close();
    void spend(std::int64_t ns) { now_ += ns; }
    void switch_thread(Lane thread) { thread_ = thread; }

    // Marks the innermost open operator as one end of a forward-backward link.
    struct Link {
        std::int64_t sequence = kNone;
        std::int64_t flow = kNone;
    };
    Link begin_link();
    void end_link(const Link& link);

    void launch(KernelId kernel, std::int64_t percent = 100);
    void stall_next_call(std::int64_t ns) { stall_ns_ = ns; }  // the next runtime call lasts that much longer
    void allocate_on_device() { call(CallId::Malloc); }
    void copy(CopyId kind, std::int64_t bytes);
    void set(std::int64_t bytes);
    void collective(const Collective& collective, KernelId kernel);
    // Work of a stream so far, as a CUDA event records it.
    struct LaneMark {
        Lane lane = Lane::Compute;
        std::int64_t record = kNone;  // correlation
        std::int64_t task = kNone;
    };
    LaneMark mark_lane(Lane lane);  // event record
    void wait_for_mark(Lane waiting, const LaneMark& mark);  // stream wait
    void wait_for_lane(Lane waiting, Lane awaited) { wait_for_mark(waiting, mark_lane(awaited)); }
    void allocate(std::int64_t bytes);
    void release(std::size_t kept);  // frees the newest blocks until `kept` remain
    std::size_t live_allocations() const { return live_.size(); }

    void begin_stream_sync();                     // opens the blocking call
    void finish_stream_sync(std::int64_t done_ns);  // the device finished at done_ns
    void event_sync(std::int64_t stall_ns = 0);

    std::int64_t now_ns() const { return now_; }
    std::vector<Event>& events() { return events_; }
    const std::vector<Event>& events() const { return events_; }
    std::vector<DeviceTask>& tasks() { return tasks_; }
    const std::vector<DeviceTask>& tasks() const { return tasks_; }
    std::vector<AnnotationRange>& ranges() { return ranges_; }
    const std::vector<AnnotationRange>& ranges() const { return ranges_; }
    const std::vector<Collective>& collectives() const { return collectives_; }

private:
    struct Allocation {
        std::int64_t address;
        std::int64_t bytes;
    };
    struct Thread {
        std::vector<std::size_t> frames;
        std::vector<std::size_t> operators;
        std::vector<std::int64_t> python;
        std::int64_t range = kNone;
    };

    std::uint64_t draw(EventKind kind, std::uint16_t spec);
    Thread& thread() { return threads_[static_cast<std::size_t>(thread_)]; }
    std::int64_t current_operator() const;
    std::size_t call(CallId id);
    void queue(DeviceTask task, const Event& launch, Lane lane, std::uint64_t noise);
    void note_memory(std::int64_t bytes, std::int64_t address);

    const Catalog& catalog_;
    std::uint64_t seed_;
    int rank_;
    Noise noise_;
    std::vector<std::uint32_t> occurrences_;
    std::int64_t now_;
    std::int64_t stall_ns_ = 0;
    Lane thread_ = Lane::Main;
    std::array<Thread, 2> threads_;
    std::vector<Event> events_;
    std::vector<DeviceTask> tasks_;
    std::vector<AnnotationRange> ranges_;
    std::vector<Collective> collectives_;
    std::array<std::int64_t, kLaneCount> last_task_;
    std::array<std::int64_t, kGroupKindCount> next_seq_;
    std::vector<Allocation> live_;
    std::int64_t next_address_;
    std::int64_t allocated_;
    std::int64_t next_external_ = 1;
    std::int64_t next_correlation_ = 1;
    std::int64_t next_python_ = 3;  // 1 and 2 are the script and its main function
    std::int64_t next_sequence_ = 1;
    std::int64_t next_flow_ = 1;
    std::int64_t next_cuda_event_ = 1;
};

inline constexpr std::int64_t kResidentBytes = 9'663'676'416;  // weights, gradients and optimizer state
inline constexpr std::int64_t kPythonMain = 2;
inline constexpr std::int64_t kFirstSeq = 1501;

}  // namespace core::sample
