#include "app/mpi/mpi_channel.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace app {
namespace {

// Size of a part of a message, because MPI counts bytes with an int. Only the last part is shorter.
constexpr std::size_t kPart = std::size_t{1} << 28;

int tag_of(core::MessageKind kind) { return static_cast<int>(kind); }

}  // namespace

MpiChannel::MpiChannel() {
    MPI_Comm_dup(MPI_COMM_WORLD, &processes_);
    MPI_Comm_rank(processes_, &index_);
    MPI_Comm_size(processes_, &count_);
}

MpiChannel::~MpiChannel() {
    flush();
    MPI_Comm_free(&processes_);
}

void MpiChannel::send(int to, core::MessageKind kind, std::string bytes) {
    forget_delivered();
    sent_.push_back({std::move(bytes), {}});
    Sent& sent = sent_.back();
    for (std::size_t at = 0; at <= sent.bytes.size(); at += kPart) {
        const std::size_t size = std::min(kPart, sent.bytes.size() - at);
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(sent.bytes.data() + at, static_cast<int>(size), MPI_BYTE, to, tag_of(kind), processes_, &request);
        sent.parts.push_back(request);
    }
}

std::optional<core::Message> MpiChannel::poll(int from, core::MessageKind kind) {
    forget_delivered();
    const int source = from == kAnyone ? MPI_ANY_SOURCE : from;
    int found = 0;
    MPI_Message part = MPI_MESSAGE_NULL;
    MPI_Status status{};
    MPI_Improbe(source, tag_of(kind), processes_, &found, &part, &status);
    if (found == 0) return std::nullopt;
    core::Message message{.from = status.MPI_SOURCE};
    for (;;) {
        int size = 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        const std::size_t before = message.bytes.size();
        message.bytes.resize(before + static_cast<std::size_t>(size));
        MPI_Mrecv(message.bytes.data() + before, size, MPI_BYTE, &part, MPI_STATUS_IGNORE);
        if (static_cast<std::size_t>(size) < kPart) return message;
        MPI_Mprobe(message.from, tag_of(kind), processes_, &part, &status);
    }
}

bool MpiChannel::forget_delivered() {
    std::erase_if(sent_, [](Sent& sent) {
        int all = 0;
        MPI_Testall(static_cast<int>(sent.parts.size()), sent.parts.data(), &all, MPI_STATUSES_IGNORE);
        return all != 0;
    });
    return sent_.empty();
}

void MpiChannel::flush() {
    while (!forget_delivered()) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace app
