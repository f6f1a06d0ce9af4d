#include "core/analysis/run/exchange_partials.hpp"

#include "core/analysis/run/answer_bytes.hpp"
#include "core/cluster/byte_codec.hpp"
#include "core/query/filter_text.hpp"

#include <mutex>

namespace core {
namespace {

constexpr std::size_t kMostRanksAtOnce = 64;
constexpr std::uint64_t kErrorCodes = static_cast<std::uint64_t>(ErrorCode::Internal) + 1;

Error broken() { return {ErrorCode::Internal, "an answer of another process is not whole"}; }

// Partials of one process and analysis. What several processes wrote can be put one after another.
class PartialsWriter {
public:
    void add(std::size_t place, const Result<Partial>& partial) {
        body_.unsigned_number(place);
        body_.flag(partial.has_value());
        if (partial) return answers_.write(body_, *partial);
        body_.unsigned_number(static_cast<std::uint64_t>(partial.error().code));
        body_.text(partial.error().message);
    }
    std::string take() {
        ByteWriter block;
        block.text(std::move(body_).take());
        return std::move(block).take();
    }

private:
    AnswerWriter answers_;
    ByteWriter body_;
};

Result<bool> decode_block(std::string_view block, std::vector<std::optional<Result<Partial>>>& partials) {
    ByteReader in(block);
    AnswerReader answers;
    while (in.ok() && !in.at_end()) {
        const auto place = static_cast<std::size_t>(in.below(partials.size()));
        if (in.flag()) {
            Result<Answer> answer = answers.read(in);
            if (!answer) return std::move(answer).error();
            partials[place] = Result<Partial>(*std::move(answer));
            continue;
        }
        const auto code = static_cast<ErrorCode>(in.below(kErrorCodes));
        if (in.ok()) partials[place] = Result<Partial>(Error{code, std::string(in.text())});
    }
    if (!in.ok()) return broken();
    return true;
}

// Reads what all processes wrote of one task; by place.
Result<std::vector<Result<Partial>>> decode(std::string_view all, std::size_t places) {
    std::vector<std::optional<Result<Partial>>> found(places);
    ByteReader blocks(all);
    while (!blocks.at_end() && blocks.ok()) {
        const std::string_view block = blocks.text();
        if (!blocks.ok()) break;
        if (const Result<bool> decoded = decode_block(block, found); !decoded) return decoded.error();
    }
    std::vector<Result<Partial>> partials;
    for (std::optional<Result<Partial>>& one : found) {
        if (!one) return broken();
        partials.push_back(*std::move(one));
    }
    return partials;
}

// Collective. In process 0 what all processes wrote, by task.
Result<std::vector<std::string>> write_together(Team& team, std::span<const PartialsTask> tasks,
                                                const JobContext& context) {
    std::vector<PartialsWriter> own(tasks.size());
    const PartialsTask& first = tasks.front();
    {
        Handout handout(team, first.slots.size(), kMostRanksAtOnce, context.stop);
        std::mutex mutex;  // of `own`
        Executor::instance().parallel_for(Priority::Answer, first.threads, first.threads, [&](std::size_t) {
            while (const std::optional<std::size_t> place = handout.take()) {
                for (std::size_t t = 0; t < tasks.size(); ++t) {
                    const Result<Partial> partial = compute_partial(tasks[t], *place, context);
                    const std::lock_guard lock(mutex);
                    own[t].add(*place, partial);
                }
            }
        });
    }
    if (context.cancelled()) return cancelled_error();
    std::vector<std::string> written;
    for (PartialsWriter& writer : own) {
        Result<std::string> all = team.reduce(
            writer.take(), [](std::string& into, std::string_view more) { into += more; }, context.stop);
        if (!all) return std::move(all).error();
        written.push_back(*std::move(all));
    }
    return written;
}

}  // namespace

std::optional<PartialsQuestion> make_question(std::uint64_t run, const PartialsTask& task) {
    PartialsQuestion question{.run = run,
                              .analysis = std::string(task.analysis.id),
                              .params = task.params,
                              .filter = format_filter(task.filter)};
    const Result<Filter> again = parse_filter(question.filter);
    if (!again || !(*again == task.filter)) return std::nullopt;
    return question;
}

std::string encode_question(const PartialsQuestion& question) {
    ByteWriter out;
    out.unsigned_number(question.run);
    out.text(question.analysis);
    out.unsigned_number(question.params.size());
    for (const std::int64_t value : question.params) out.number(value);
    out.text(question.filter);
    return std::move(out).take();
}

Result<PartialsQuestion> decode_question(std::string_view bytes) {
    ByteReader in(bytes);
    PartialsQuestion question;
    question.run = in.unsigned_number();
    question.analysis = in.text();
    question.params.resize(in.items(1));
    for (std::int64_t& value : question.params) value = in.number();
    question.filter = in.text();
    if (!in.ok() || !in.at_end()) return Error{ErrorCode::Internal, "a question of process 0 is not whole"};
    return question;
}

Result<std::vector<Result<Partial>>> exchange_partials(Team& team, const PartialsTask& task,
                                                       const JobContext& context) {
    const Result<std::vector<std::string>> written = write_together(team, std::span(&task, 1), context);
    if (!written) return written.error();
    if (!team.is_first()) return std::vector<Result<Partial>>();
    return decode(written->front(), task.slots.size());
}

Result<ExchangedPartials> ExchangedPartials::compute_all(Team& team, std::span<const PartialsTask> tasks,
                                                         const JobContext& context) {
    ExchangedPartials shared;
    if (tasks.empty()) return shared;
    Result<std::vector<std::string>> written = write_together(team, tasks, context);
    if (!written) return std::move(written).error();
    if (!team.is_first()) return shared;
    for (std::size_t t = 0; t < tasks.size(); ++t)
        shared.written_[std::string(tasks[t].analysis.id)] = std::move((*written)[t]);
    return shared;
}

Result<std::vector<Result<Partial>>> ExchangedPartials::compute(const PartialsTask& task, const JobContext&) {
    const auto written = written_.find(task.analysis.id);
    if (written == written_.end()) return broken();
    return decode(written->second, task.slots.size());
}

}  // namespace core
