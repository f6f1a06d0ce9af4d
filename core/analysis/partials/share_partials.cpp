#include "core/analysis/partials/share_partials.hpp"

#include "core/analysis/partials/answer_bytes.hpp"
#include "core/cluster/bytes.hpp"
#include "core/query/filter_text.hpp"

#include <mutex>

namespace core {
namespace {

constexpr std::size_t kMostRanksAtOnce = 64;
constexpr std::uint64_t kErrorCodes = static_cast<std::uint64_t>(ErrorCode::Internal) + 1;

Error broken() { return {ErrorCode::Internal, "an answer of another process is not whole"}; }

struct Computed {
    std::size_t place = 0;
    Result<Partial> partial;
};

// One block per process, so that those of several processes can be put one after another.
std::string encode(std::span<const Computed> all) {
    ByteWriter body;
    AnswerWriter answers;
    body.unsigned_number(all.size());
    for (const Computed& one : all) {
        body.unsigned_number(one.place);
        body.flag(one.partial.has_value());
        if (one.partial) {
            answers.write(body, *one.partial);
            continue;
        }
        body.unsigned_number(static_cast<std::uint64_t>(one.partial.error().code));
        body.text(one.partial.error().message);
    }
    ByteWriter block;
    block.text(std::move(body).take());
    return std::move(block).take();
}

Result<bool> decode_block(std::string_view block, std::vector<std::optional<Result<Partial>>>& partials) {
    ByteReader in(block);
    AnswerReader answers;
    for (std::size_t left = in.items(2); left > 0 && in.ok(); --left) {
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
    if (!in.ok() || !in.at_end()) return broken();
    return true;
}

}  // namespace

std::optional<PartialsQuestion> make_question(std::uint64_t run, const PartialsTask& task) {
    if (find_analysis(task.analysis.id) != &task.analysis) return std::nullopt;
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

Result<std::vector<Result<Partial>>> share_partials(Team& team, const PartialsTask& task, const JobContext& context) {
    std::vector<Computed> own;
    {
        Handout handout(team, task.slots.size(), kMostRanksAtOnce, context.stop);
        std::mutex mutex;  // of `own`
        Executor::instance().share(Priority::Answer, task.threads, task.threads, [&](std::size_t) {
            while (const std::optional<std::size_t> place = handout.take()) {
                Result<Partial> partial = compute_partial(task, *place, context);
                const std::lock_guard lock(mutex);
                own.push_back({*place, std::move(partial)});
            }
        });
    }
    if (context.cancelled()) return cancelled_error();
    const Result<std::string> all = team.reduce(
        encode(own), [](std::string& into, std::string_view more) { into += more; }, context.stop);
    if (!all) return all.error();
    if (!team.is_first()) return std::vector<Result<Partial>>();
    std::vector<std::optional<Result<Partial>>> found(task.slots.size());
    ByteReader blocks(*all);
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

}  // namespace core
