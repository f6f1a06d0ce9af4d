#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/base/nearest.hpp"
#include "core/query/filter_option.hpp"
#include "core/sql/row_scan.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kMostArguments = 8;

bool is_table_name(std::string_view name) {
    return std::ranges::any_of(sql_tables(), [&](const SqlTable& table) { return table.name == name; });
}

struct Question {
    Filter filter;
    Params params;
};

// KEY=VALUE is an option of a filter or a parameter of the analysis; other texts are filters.
Result<Question> read_question(const Analysis& analysis, const Filter& base,
                               const std::vector<std::string>& arguments) {
    Filter filter = base;
    std::vector<std::pair<std::string, std::string>> params;
    for (const std::string& argument : arguments) {
        const std::size_t equals = argument.find('=');
        const std::string key = argument.substr(0, equals == std::string::npos ? 0 : equals);
        const bool is_param =
            std::ranges::find(analysis.params, std::string_view(key), &Param::name) != analysis.params.end();
        if (is_param) {
            params.emplace_back(key, argument.substr(equals + 1));
            continue;
        }
        Result<Filter> part = filter_of_option("filter", argument);
        if (!key.empty()) {
            Result<Filter> of_key = filter_of_option(key, argument.substr(equals + 1));
            const bool is_word =
                std::ranges::all_of(key, [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '_'; });
            if (of_key || of_key.error().code != ErrorCode::NotFound) {
                part = std::move(of_key);
            } else if (is_word) {
                std::vector<std::string_view> names(filter_option_names().begin(), filter_option_names().end());
                for (const Param& param : analysis.params) names.push_back(param.name);
                return bad_input("'" + key + "' is neither a parameter nor an option of a filter" +
                                 nearest_hint(key, names));
            }
        }
        if (!part) return std::move(part).error().within("'" + argument + "'");
        filter = joined_filters(std::move(filter), *part);
    }
    Result<Params> values = make_params(analysis, params);
    if (!values) return std::move(values).error();
    return Question{std::move(filter), *std::move(values)};
}

// The analysis, run once per query for the same arguments.
Result<AnswerPtr> find_answer(SqlContext& context, const Analysis& analysis,
                              const std::vector<std::string>& arguments) {
    std::string key(analysis.id);
    for (const std::string& argument : arguments) key += '\0' + argument;
    if (const auto known = context.answers.find(key); known != context.answers.end()) return known->second;
    const Result<Question> question = read_question(analysis, *context.filter, arguments);
    if (!question) return question.error();
    Result<Answer> answer =
        run_analysis(analysis, *context.run, question->filter, question->params, context.threads, context.job);
    if (!answer) return std::move(answer).error();
    return context.answers[key] = std::make_shared<const Answer>(*std::move(answer));
}

class AnswerRows {
public:
    AnswerRows(SqlContext& context, AnswerPtr answer) : context_(&context), answer_(std::move(answer)) {
        const std::vector<Column>& columns = answer_->main().columns();
        const auto is_rank = [](const Column& column) { return column.unit == Unit::Rank && column.role == Role::Key; };
        rank_ = static_cast<std::size_t>(std::ranges::find_if(columns, is_rank) - columns.begin());
    }
    std::size_t rows() const { return answer_->main().rows(); }

    Cell cell(std::size_t row, std::size_t column) const {
        const Table& table = answer_->main();
        if (column >= table.columns().size()) return {};
        const Cell cell = table.cell(row, column);
        const auto* const number = std::get_if<std::int64_t>(&cell);
        if (number == nullptr) return cell;
        if (table.columns()[column].unit == Unit::Rank) return rank_cell(RankKey::unpacked(*number));
        if (table.columns()[column].unit == Unit::Event) return event_cell(row, *number);
        return cell;
    }

private:
    // As in JSON: a number, or 3·b for a further capture.
    Cell rank_cell(RankKey key) const {
        if (key.capture == 0) return std::int64_t{key.number};
        text_ = format_rank(key);
        return std::string_view(text_);
    }
    Cell event_cell(std::size_t row, std::int64_t event) const {
        const Table& table = answer_->main();
        if (rank_ >= table.columns().size() || table.absent(row, rank_)) return {};
        const RankKey key = RankKey::unpacked(table.integer(row, rank_));
        const std::span<const RankSlot> ranks = context_->run->ranks();
        const auto slot = std::ranges::lower_bound(ranks, key, {}, &RankSlot::key) - ranks.begin();
        return sql_event_id(static_cast<std::size_t>(slot), EventId{static_cast<std::uint32_t>(event)});
    }

    SqlContext* context_;
    AnswerPtr answer_;
    std::size_t rank_ = 0;  // its key column; beyond the columns: none
    mutable std::string text_;
};

class FailedScan final : public SqlScan {
public:
    explicit FailedScan(Error error) { fail(std::move(error)); }
    bool done() const override { return true; }
    void next() override {}
    std::int64_t id() const override { return 0; }
    Cell cell(std::size_t) override { return {}; }
};

SqlScanPtr open_analysis(const Analysis& analysis, std::size_t columns, SqlContext& context, SqlBounds bounds) {
    std::vector<std::string> arguments;
    std::ranges::stable_sort(bounds, {}, &SqlBound::column);
    for (const SqlBound& bound : bounds) {
        if (bound.column < columns) continue;
        for (const SqlValue& value : bound.values) {
            const auto* const text = std::get_if<std::string>(&value);
            arguments.push_back(text ? *text : std::to_string(std::get<std::int64_t>(value)));
        }
    }
    std::erase_if(bounds, [&](const SqlBound& bound) { return bound.column >= columns; });
    Result<AnswerPtr> answer = find_answer(context, analysis, arguments);
    if (!answer) {
        Error error = std::move(answer).error();
        return std::make_unique<FailedScan>(
            error.code == ErrorCode::Cancelled ? error : std::move(error).within(sql_name(analysis)));
    }
    return scan_rows(context, std::move(bounds), AnswerRows(context, *std::move(answer)));
}

}  // namespace

std::string sql_name(const Analysis& analysis) {
    std::string name(analysis.id);
    std::ranges::replace(name, '-', '_');
    return is_table_name(name) ? name + "_analysis" : name;
}

std::vector<SqlTable> analysis_tables() {
    std::vector<SqlTable> tables;
    for (const Analysis& analysis : all_analyses()) {
        SqlTable table;
        table.name = sql_name(analysis);
        table.summary = analysis.summary;
        for (const Column& column : analysis.columns())
            table.columns.push_back({column.name, column.unit, column.meaning});
        const std::size_t columns = table.columns.size();
        for (std::size_t i = 1; i <= kMostArguments; ++i)
            table.columns.push_back({.name = "argument" + std::to_string(i),
                                     .meaning = "KEY=VALUE: a parameter, or an option of the filter",
                                     .push = SqlPush::Argument});
        table.open = [&analysis, columns](SqlContext& context, SqlBounds bounds) {
            return open_analysis(analysis, columns, context, std::move(bounds));
        };
        table.rows = [](const Run& run) { return 100.0 * static_cast<double>(run.ranks().size()); };
        tables.push_back(std::move(table));
    }
    return tables;
}

}  // namespace core
