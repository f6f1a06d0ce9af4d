#pragma once
// Messages between processes by MPI. Construct after MPI_Init_thread with at least
// MPI_THREAD_SERIALIZED, destroy before MPI_Finalize. MPI errors end all processes, which is MPI's
// default.

#include "core/cluster/channel.hpp"

#include <list>
#include <vector>

#include <mpi.h>

namespace app {

class MpiChannel final : public core::Channel {
public:
    MpiChannel();
    ~MpiChannel() override;
    MpiChannel(const MpiChannel&) = delete;
    MpiChannel& operator=(const MpiChannel&) = delete;

    int index() const override { return index_; }
    int count() const override { return count_; }
    void send(int to, core::MessageKind, std::string bytes) override;
    std::optional<core::Message> poll(int from, core::MessageKind) override;
    void flush() override;

private:
    struct Sent {
        std::string bytes;  // owned until MPI has sent them
        std::vector<MPI_Request> parts;
    };
    bool forget_delivered();  // true if nothing is in flight any more

    MPI_Comm processes_ = MPI_COMM_NULL;
    int index_ = 0;
    int count_ = 1;
    std::list<Sent> sent_;
};

}  // namespace app
