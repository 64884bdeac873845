/* SPDX-License-Identifier: Apache-2.0
 * iscsi - the commands of NVMe hosts and targets, carried as SCSI commands over iSCSI.
 * Uses the network only through the stream table. One session replaces a controller's admin queue
 * and its I/O queue; a host gets one I/O queue. A session has one connection or several, which
 * carry its I/O commands in turn.
 *   read                    SCSI Command -> Data-In with status in the last one
 *   write                   SCSI Command with immediate data, Data-Out
 *                           [-> R2T -> Data-Out] -> SCSI Response
 *   Connect                 Login: initiator and target name, then the operational keys; the TSIH
 *                           is the controller identifier
 *   properties, features    known to host and target without an exchange
 *   Identify                INQUIRY, REPORT LUNS, READ CAPACITY(16) (scsi.h)
 *   Keep Alive, Abort       NOP-Out and NOP-In, Task Management
 *   end of a controller     Logout, then FIN
 * A digest that does not match ends the connection, as at LIO with ErrorRecoveryLevel 0.
 * A target grants a window of commands (MaxCmdSN), which each response moves.
 * Not modeled: reinstatement of one connection, authentication, discovery, NOP-In pings of a
 * target, asymmetric access (ALUA), protection information, real bytes of I/O (the bridge).
 * Source: RFC 7143; drivers/scsi/libiscsi.c, iscsi_tcp.c and drivers/target/iscsi of Linux 6.1. */
#ifndef STORMGLASS_NVME_ISCSI_ISCSI_H
#define STORMGLASS_NVME_ISCSI_ISCSI_H

#include "base/env.h"
#include "base/opt.h"
#include "nvme/transport/transport.h"
#include "tcp/stream.h"

/* The keys of RFC 7143, 13, as one side offers them. */
struct iscsi_keys {
    int64_t header_digest, data_digest;        /* bool; target: it supports them */
    int64_t initial_r2t, immediate_data;       /* bool */
    int64_t first_burst, max_burst, recv_data; /* bytes */
    int64_t max_r2t;
    int64_t connections; /* host: of a session; target: at most */
};

struct iscsi_host_params {
    struct iscsi_keys keys;
    int64_t queue_depth; /* commands outstanding in the session */
    time_ps submit_cost, complete_cost;
    int64_t unit_scan; /* bool */
};

struct iscsi_target_params {
    struct iscsi_keys keys;
    int64_t window; /* commands */
};

extern const struct opt iscsi_host_opts[], iscsi_target_opts[];

struct iscsi_params {
    struct stream_class class; /* of a host's connections */
    struct iscsi_host_params host;
    struct iscsi_target_params target;
};

struct iscsi_site {
    const struct env *env;
    const struct stream_ops *streams;
    struct stream_device *device;
};

/* Owned by the host or target to which it is passed. */
struct nvme_transport *iscsi_create(const struct iscsi_site *site,
                                    const struct iscsi_params *params);

#endif
