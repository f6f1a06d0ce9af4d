#include "core/analysis/efficiency/moved_bytes.hpp"

#include "core/analysis/efficiency/rank_work.hpp"
#include "core/index/graph_sources.hpp"

#include <algorithm>
#include <unordered_map>

namespace core {
namespace {

constexpr std::int64_t kBytesOfIndex = 8;
constexpr std::uint32_t kMovesWithoutValues = 32;  // of an operator: after so many its texts are no longer unpacked

using Bytes = std::optional<ExactCount>;

std::int64_t element_of(const OperatorArgument& tensor) { return bytes_of_element(tensor.type).value_or(0); }

// Sizes of tensors broadcast together; absent if they do not fit.
std::optional<TensorSizes> broadcast(const TensorSizes& a, const TensorSizes& b) {
    const TensorSizes& longer = a.size() >= b.size() ? a : b;
    const TensorSizes& shorter = a.size() >= b.size() ? b : a;
    TensorSizes both = longer;
    const std::size_t missing = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        std::int64_t& size = both[missing + i];
        if (size == 1) size = shorter[i];
        if (shorter[i] != size && shorter[i] != 1) return std::nullopt;
    }
    return both;
}

class MoveEvaluator {
public:
    MoveEvaluator(const MovingRow& row, std::string_view name, const OperatorArguments& arguments)
        : row_(row), name_(name), arguments_(arguments) {}

    std::optional<MovedBytes> run() {
        const Bytes bytes = evaluate();
        const std::optional<std::int64_t> value = bytes ? bytes->value() : std::nullopt;
        if (!value) return std::nullopt;
        return MovedBytes{*value, row_.rule == MoveRule::EmbeddingBag};
    }

private:
    const OperatorArgument* tensor(int at) const { return arguments_.find_tensor(at); }
    Bytes bytes_at(int at) const { return tensor(at) ? bytes_of(*tensor(at)) : std::nullopt; }
    static Bytes times(Bytes bytes, std::int64_t factor) { return bytes ? Bytes(*bytes * factor) : std::nullopt; }
    static Bytes sum(Bytes a, const Bytes& b) { return a && b ? Bytes(*a + *b) : std::nullopt; }
    static Bytes written(const TensorSizes& sizes, std::int64_t element) {
        return element > 0 ? Bytes(product_of(sizes) * element) : std::nullopt;
    }

    Bytes evaluate() {
        switch (row_.rule) {
            case MoveRule::Elementwise:
            case MoveRule::Comparison:
                return elementwise();
            case MoveRule::Copy:
                return sum(bytes_at(row_.b), whole(row_.a));
            case MoveRule::Fill:
                return whole(row_.a);
            case MoveRule::Concatenate:
                return times(list_bytes(row_.a), 2);
            case MoveRule::Select:
                return select();
            case MoveRule::Gather:
                return gather();
            case MoveRule::Reduce:
            case MoveRule::ReduceToIndex:
                return reduce();
            case MoveRule::Softmax:
                return times(whole(row_.a), 2);
            case MoveRule::SoftmaxBackward:
                return times(whole(row_.a), 3);
            case MoveRule::Norm:
                return sum(times(whole(row_.a), 2), parameters());
            case MoveRule::NormBackward:
                return sum(times(whole(row_.a), 3), times(parameters(), 2));
            case MoveRule::Embedding:
                return sum(bytes_at(row_.b), times(looked_up(), 2));
            case MoveRule::EmbeddingBackward:
                return embedding_backward();
            case MoveRule::EmbeddingBag:
                return sum(bytes_at(row_.b), bags());
            case MoveRule::Loss:
                return sum(bytes_at(row_.b), picked());
            case MoveRule::LossBackward:
                return sum(bytes_at(row_.b), whole(row_.a));
            case MoveRule::Dropout:
            case MoveRule::DropoutBackward:
                return dropout();
            case MoveRule::Lists:
            case MoveRule::Optimizer:
                return lists();
            case MoveRule::Unknown:
                return std::nullopt;
        }
        return std::nullopt;
    }

    // Bytes of the whole shape, expanded dimensions included: the size of what is written or produced.
    Bytes whole(int at) const {
        return tensor(at) ? written(tensor(at)->sizes, element_of(*tensor(at))) : std::nullopt;
    }

    Bytes elementwise() const {
        ExactCount read = 0;
        TensorSizes shape;
        std::int64_t widest = 0, widest_of_all = 0;
        const auto count = static_cast<int>(arguments_.size()) - (has_out_argument(name_) ? 1 : 0);
        bool any = false;
        for (int at = 0; at < count; ++at) {
            const OperatorArgument* const one = tensor(at);
            if (one == nullptr) continue;
            const Bytes bytes = bytes_of(*one);
            if (!bytes) return std::nullopt;
            any = true;
            read += *bytes;
            const std::optional<TensorSizes> both = broadcast(shape, one->sizes);
            if (!both) return std::nullopt;
            shape = *both;
            widest_of_all = std::max(widest_of_all, element_of(*one));
            if (!one->sizes.empty()) widest = std::max(widest, element_of(*one));
        }
        if (!any) return std::nullopt;
        if (is_in_place(name_)) return sum(read, whole(0));
        std::int64_t element = widest > 0 ? widest : widest_of_all;
        if (row_.rule == MoveRule::Comparison) element = 1;
        return sum(read, written(shape, element));
    }

    // Every tensor of a list; absent if one is, or if the writer gave no sizes.
    Bytes list_bytes(int at) const {
        const OperatorArgument* const list = arguments_.find(at);
        if (list == nullptr || list->list.empty()) return std::nullopt;
        // "TensorList" says no type: the writer's spelling has those of the elements, or none.
        const std::int64_t element = element_of(*list);
        if (element == 0) return std::nullopt;
        ExactCount elements = 0;
        for (const TensorSizes& sizes : list->list) elements += product_of(sizes);
        return elements * element;
    }

    Bytes select() const {
        const OperatorArgument* const from = tensor(row_.a);
        const OperatorArgument* const indices = tensor(row_.c);
        std::optional<std::int64_t> dimension = arguments_.find_integer(row_.b);
        if (from == nullptr || indices == nullptr || !dimension || from->sizes.empty()) return std::nullopt;
        const auto rank = static_cast<std::int64_t>(from->sizes.size());
        if (*dimension < 0) *dimension += rank;
        if (*dimension < 0 || *dimension >= rank) return std::nullopt;
        ExactCount elements = product_of(indices->sizes);
        for (std::int64_t i = 0; i < rank; ++i)
            if (i != *dimension) elements *= from->sizes[static_cast<std::size_t>(i)];
        return element_of(*from) > 0 ? Bytes(elements * (2 * element_of(*from))) : std::nullopt;
    }

    Bytes gather() const {
        const OperatorArgument* const from = tensor(row_.a);
        const OperatorArgument* const indices = tensor(row_.c);
        if (from == nullptr || indices == nullptr || element_of(*from) == 0) return std::nullopt;
        return product_of(indices->sizes) * (2 * element_of(*from));
    }

    // Elements that remain; without recorded dimensions one.
    ExactCount reduced(const OperatorArgument& from) const {
        const std::optional<TensorSizes> dimensions = arguments_.find_integers(row_.b);
        const OperatorArgument* const given = arguments_.find(row_.b);
        const bool is_list = given && given->value && given->value->starts_with('[');
        const bool takes_number = row_.rule == MoveRule::ReduceToIndex || name_ == "aten::max" || name_ == "aten::min";
        if (!dimensions || dimensions->empty() || !(is_list || takes_number)) return 1;
        TensorSizes left = from.sizes;
        for (std::int64_t dimension : *dimensions) {
            if (dimension < 0) dimension += static_cast<std::int64_t>(left.size());
            if (dimension >= 0 && dimension < static_cast<std::int64_t>(left.size()))
                left[static_cast<std::size_t>(dimension)] = 1;
        }
        return product_of(left);
    }

    Bytes reduce() const {
        if (tensor(row_.b) != nullptr) return elementwise();  // max(a, b) of two tensors
        const OperatorArgument* const from = tensor(row_.a);
        if (from == nullptr || element_of(*from) == 0) return std::nullopt;
        const std::int64_t element = row_.rule == MoveRule::ReduceToIndex ? kBytesOfIndex : element_of(*from);
        return sum(bytes_of(*from), reduced(*from) * element);
    }

    // Absent ones add nothing.
    Bytes parameters() const {
        ExactCount all = 0;
        for (int at = row_.b; at <= row_.c; ++at)
            if (const Bytes one = bytes_at(at)) all += *one;
        return all;
    }

    Bytes looked_up() const {
        const OperatorArgument* const weight = tensor(row_.a);
        const OperatorArgument* const indices = tensor(row_.b);
        if (weight == nullptr || indices == nullptr || weight->sizes.size() != 2) return std::nullopt;
        if (element_of(*weight) == 0) return std::nullopt;
        return product_of(indices->sizes) * weight->sizes[1] * element_of(*weight);
    }

    Bytes embedding_backward() const {
        const OperatorArgument* const gradient = tensor(row_.a);
        const std::optional<std::int64_t> rows = arguments_.find_integer(row_.c);
        if (gradient == nullptr || gradient->sizes.empty() || !rows || *rows < 0) return std::nullopt;
        const Bytes weight = ExactCount(*rows) * gradient->sizes.back() * element_of(*gradient);
        return sum(sum(bytes_at(row_.a), bytes_at(row_.b)), weight);
    }

    Bytes bags() const {
        const OperatorArgument* const weight = tensor(row_.a);
        const OperatorArgument* const offsets = tensor(row_.c);
        if (weight == nullptr || offsets == nullptr || weight->sizes.size() != 2) return std::nullopt;
        return product_of(offsets->sizes) * weight->sizes[1] * element_of(*weight);
    }

    Bytes picked() const {
        const OperatorArgument* const values = tensor(row_.a);
        const OperatorArgument* const targets = tensor(row_.b);
        if (values == nullptr || targets == nullptr || element_of(*values) == 0) return std::nullopt;
        return product_of(targets->sizes) * element_of(*values);
    }

    Bytes dropout() const {
        const OperatorArgument* const from = tensor(row_.a);
        return from ? sum(times(whole(row_.a), 2), Bytes(product_of(from->sizes))) : std::nullopt;
    }

    // Lists of tensors; where the writer gave no sizes of a list nothing is known.
    Bytes lists() const {
        ExactCount all = 0;
        int lists = 0;
        for (int at = 0; at < static_cast<int>(arguments_.size()); ++at) {
            const OperatorArgument* const list = arguments_.find(at);
            if (list == nullptr || (list->list.empty() && list->type.find("List") == std::string::npos)) continue;
            if (list->type == "ScalarList") continue;
            const Bytes bytes = list_bytes(at);
            if (!bytes) return std::nullopt;
            all += *bytes;
            const bool is_written = row_.rule == MoveRule::Optimizer ? lists != 1 : lists == 0;
            if (is_written) all += *bytes;
            ++lists;
        }
        return lists > 0 ? Bytes(all) : std::nullopt;
    }

    const MovingRow& row_;
    std::string_view name_;
    const OperatorArguments& arguments_;
};

class MoveCollector {
public:
    MoveCollector(RankWorkPtr work, const JobContext& job)
        : work_(std::move(work)),
          trace_(work_->trace()),
          job_(job),
          sizes_(trace_.texts(Arg::InputDims)),
          types_(trace_.texts(Arg::InputTypes)) {}

    RankMovesPtr run() && {
        auto made = std::make_shared<RankMoves>();
        made->owners.assign(trace_.gpu_events.size(), RankMoves::kNoCall);
        std::unordered_map<std::uint64_t, std::uint32_t> call_of;  // by operator, and replay of captured ones
        for (std::size_t i = 0; i < trace_.gpu_events.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && job_.checkpoint()) return nullptr;
            const EventId inner = work_->operators[i];
            if (work_->kinds[i] != WorkKind::None || inner == kNoEvent || row_of(inner) == nullptr) continue;
            const EventId e = trace_.gpu_events[i];
            const std::uint64_t replay =
                work_->graphs->is_captured(e) ? std::uint64_t{1} + work_->graphs->replays.replay_of(e) : 0;
            const auto [at, is_new] = call_of.try_emplace(replay << 32 | index_of(inner), RankMoves::kNoCall);
            std::uint32_t& call = at->second;
            if (is_new) {
                call = static_cast<std::uint32_t>(made->calls.size());
                MovedCall fresh{};
                fresh.event = inner;
                fresh.first = e;
                made->calls.push_back(fresh);
            }
            MovedCall& own = made->calls[call];
            ++own.gpu_events;
            own.gpu_time += trace_.duration[index_of(e)];
            made->owners[i] = call;
        }
        return evaluate(*made) ? made : nullptr;
    }

private:
    const MovingRow* row_of(EventId e) {
        const std::size_t name = index_of(trace_.name[index_of(e)]);
        if (rows_.empty()) rows_.resize(trace_.names.size());
        if (!rows_[name]) rows_[name] = find_moving_row(trace_.name_text(e));
        return *rows_[name];
    }

    // Shapes of all calls, their texts in the order of the file. False if cancelled.
    bool evaluate(RankMoves& made) {
        std::vector<std::uint32_t> order(made.calls.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        std::ranges::sort(order, {}, [&](std::uint32_t i) { return trace_.order[index_of(made.calls[i].event)]; });
        RecentTexts recent = trace_.recent_texts();
        std::unordered_map<std::string, std::uint32_t> known;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && job_.checkpoint()) return false;
            MovedCall& call = made.calls[order[i]];
            call.shape = shape_of(call.event, recent, known, made);
        }
        return true;
    }

    std::uint32_t shape_of(EventId e, RecentTexts& recent, std::unordered_map<std::string, std::uint32_t>& known,
                           RankMoves& made) {
        const auto text_of = [&](const SparseColumn<NameId>& column) {
            const NameId* const text = column.find(e);
            return text ? *text : kNoName;
        };
        const NameId name = trace_.name[index_of(e)], sizes = text_of(sizes_), types = text_of(types_);
        std::string values, strides;
        std::uint32_t& without = without_values_[name];
        if (sizes != kNoName && without < kMovesWithoutValues) {
            ++without;
            if (const Result<EventText> text = trace_.event_text(e, recent)) {
                values = find_json_member(text->arguments, "Concrete Inputs");
                strides = find_json_member(text->arguments, "Input Strides");
                if (!values.empty() || !strides.empty()) without = 0;
            }
        }
        std::string key(3 * sizeof(NameId), '\0');
        const NameId ids[] = {name, sizes, types};
        std::copy_n(reinterpret_cast<const char*>(ids), key.size(), key.data());
        key += values + '\n' + strides;
        const auto [at, is_new] = known.try_emplace(std::move(key), static_cast<std::uint32_t>(made.shapes.size()));
        if (!is_new) return at->second;
        const auto written = [&](NameId id) { return id == kNoName ? std::string_view() : trace_.text(id); };
        const OperatorArguments arguments(
            {.sizes = written(sizes), .types = written(types), .values = values, .strides = strides});
        MovedShape shape{.name = name, .sizes = sizes, .types = types, .moved = {}, .precision = Precision::Unknown};
        shape.moved = evaluate_moved_bytes(*row_of(e), trace_.text(name), arguments);
        for (int i = 0; i < static_cast<int>(arguments.size()); ++i) {
            const OperatorArgument* const tensor = arguments.find_tensor(i);
            if (tensor == nullptr) continue;
            shape.precision = precision_of(tensor->type);
            break;
        }
        made.shapes.push_back(shape);
        return at->second;
    }

    RankWorkPtr work_;
    const RankTrace& trace_;
    const JobContext& job_;
    SparseColumn<NameId> sizes_, types_;
    std::vector<std::optional<const MovingRow*>> rows_;  // by name
    std::unordered_map<NameId, std::uint32_t> without_values_;
};

}  // namespace

std::optional<MovedBytes> evaluate_moved_bytes(const MovingRow& row, std::string_view name,
                                               const OperatorArguments& arguments) {
    return MoveEvaluator(row, name, arguments).run();
}

RankMovesPtr moves_of(const RankIndex& rank, const JobContext& job) {
    return derived_with_graphs(rank).get<RankMoves>([&]() -> RankMovesPtr {
        RankWorkPtr work = work_of(rank, job);
        return work ? MoveCollector(std::move(work), job).run() : nullptr;
    });
}

}  // namespace core
