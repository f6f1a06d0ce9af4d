#include "core/ingest/load/index_messages.hpp"

#include "core/base/format.hpp"
#include "core/cluster/byte_codec.hpp"

namespace core {
namespace {

constexpr std::uint64_t kErrorCodes = static_cast<std::uint64_t>(ErrorCode::Internal) + 1;
constexpr std::uint64_t kOutcomeKinds = static_cast<std::uint64_t>(IndexOutcome::Kind::NoTrace) + 1;

Error not_whole() { return {ErrorCode::Internal, "a message of another process is not whole"}; }

void write_error(ByteWriter& out, const Error& error) {
    out.unsigned_number(static_cast<std::uint64_t>(error.code));
    out.text(error.message);
}

Error read_error(ByteReader& in) {
    const auto code = static_cast<ErrorCode>(in.below(kErrorCodes));
    return {code, std::string(in.text())};
}

}  // namespace

void FirstFailure::add(const Error& other, std::size_t other_file) {
    const bool is_none = other.code == ErrorCode::NotFound, was_none = error.code == ErrorCode::NotFound;
    const bool stands = error.message.empty() || (was_none && !is_none) || (was_none == is_none && other_file < file);
    if (!stands) return;
    error = other;
    file = other_file;
}

Error all_failed_of(Error failure, std::size_t files) {
    if (files > 1) failure.message += " (none of the " + format_plural(files, "file", "files") + " opened as a trace)";
    return failure;
}

std::string encode_files(const Result<std::vector<FoundFile>>& files) {
    ByteWriter out;
    out.flag(files.has_value());
    if (!files) {
        write_error(out, files.error());
        return std::move(out).take();
    }
    out.unsigned_number(files->size());
    for (const FoundFile& file : *files) {
        out.text(file.path.native());
        out.unsigned_number(file.bytes);
        out.flag(file.named);
        out.text(file.inside.native());
    }
    return std::move(out).take();
}

Result<std::vector<FoundFile>> decode_files(std::string_view bytes) {
    ByteReader in(bytes);
    if (!in.flag()) {
        Error error = read_error(in);
        return in.ok() && in.at_end() ? std::move(error) : not_whole();
    }
    constexpr std::size_t kLeastBytesOfFile = 4;
    std::vector<FoundFile> files(in.items(kLeastBytesOfFile));
    for (FoundFile& file : files) {
        file.path = in.text();
        file.bytes = in.unsigned_number();
        file.named = in.flag();
        file.inside = in.text();
    }
    if (!in.ok() || !in.at_end()) return not_whole();
    return files;
}

std::string encode_indexed(const Indexed& own) {
    ByteWriter out;
    out.unsigned_number(own.arrived);
    write_error(out, own.failure.error);
    out.unsigned_number(own.failure.file);
    out.unsigned_number(own.outcomes.size());
    for (const auto& [file, outcome] : own.outcomes) {
        out.unsigned_number(file);
        out.unsigned_number(static_cast<std::uint64_t>(outcome.kind));
        out.text(outcome.file.native());
        out.unsigned_number(outcome.bytes);
        out.text(outcome.why);
    }
    return std::move(out).take();
}

Result<std::vector<IndexOutcome>> decode_indexed(std::string_view bytes, const std::vector<FoundFile>& files) {
    std::vector<IndexOutcome> outcomes(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        outcomes[i].trace = files[i].path;
        outcomes[i].why = "no process answered for it";
    }
    std::size_t arrived = 0;
    FirstFailure failure;
    ByteReader in(bytes);
    while (in.ok() && !in.at_end()) {
        arrived += static_cast<std::size_t>(in.unsigned_number());
        const Error error = read_error(in);
        const auto failed = static_cast<std::size_t>(in.below(files.size()));
        if (!error.message.empty()) failure.add(error, failed);
        constexpr std::size_t kLeastBytesOfOutcome = 5;
        for (std::size_t left = in.items(kLeastBytesOfOutcome); left > 0 && in.ok(); --left) {
            const auto file = static_cast<std::size_t>(in.below(files.size()));
            if (!in.ok()) break;
            IndexOutcome& outcome = outcomes[file];
            outcome.kind = static_cast<IndexOutcome::Kind>(in.below(kOutcomeKinds));
            outcome.file = in.text();
            outcome.bytes = in.unsigned_number();
            outcome.why = in.text();
        }
    }
    if (!in.ok()) return not_whole();
    if (arrived == 0) return all_failed_of(failure.error, files.size());
    return outcomes;
}

}  // namespace core
