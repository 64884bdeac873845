/* SPDX-License-Identifier: Apache-2.0
 * agree_link - one end of a connection that carries moments, one message at a time each way.
 * Shared by both ends of agree.  Errors: a post that fails is false. */
#ifndef STORMGLASS_BRIDGE_AGREE_AGREE_LINK_H
#define STORMGLASS_BRIDGE_AGREE_AGREE_LINK_H

#include "bridge/agree/agree.h"
#include "bridge/agree/agree_proof.h"

struct agree_link {
    const struct agree_site *site;
    struct agree_session session; /* made when the target welcomes */
    enum agree_side side;
    struct verbs_conn *conn;
    struct verbs_mr *in, *out;
};

extern const struct ibv_qp_cap agree_link_cap;

/* False: no memory; it is closed all the same. */
bool agree_link_open(struct agree_link *link, const struct agree_site *site, enum agree_side side);
void agree_link_close(struct agree_link *link); /* ends the connection too */
bool agree_link_listen(struct agree_link *link);
/* Listens again, then says this. */
bool agree_link_say(struct agree_link *link, const struct agree_moment *moment);
/* The message of a receive that succeeded.  False: it is not a moment, or its proof is wrong. */
bool agree_link_heard(const struct agree_link *link, const struct ibv_wc *wc,
                      struct agree_moment *moment);

#endif
