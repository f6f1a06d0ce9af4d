#pragma once
// Messages between processes by MPI. Made after MPI_Init_thread with MPI_THREAD_SERIALIZED at least, destroyed before
// MPI_Finalize. Faults of MPI end all processes, as MPI does by itself.

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
        std::string bytes;  // until MPI has taken them
        std::vector<MPI_Request> parts;
    };
    bool forget_delivered();  // whether nothing is on its way any more

    MPI_Comm processes_ = MPI_COMM_NULL;
    int index_ = 0;
    int count_ = 1;
    std::list<Sent> sent_;
};

}  // namespace app
