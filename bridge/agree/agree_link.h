/* SPDX-License-Identifier: Apache-2.0
 * agree_link - one end of a connection that carries moments, one message at a time in each
 * direction.
 * Used by both ends of agree. Errors: false if a post fails. */
#ifndef STORMGLASS_BRIDGE_AGREE_AGREE_LINK_H
#define STORMGLASS_BRIDGE_AGREE_AGREE_LINK_H

#include "bridge/agree/agree.h"
#include "bridge/agree/agree_proof.h"

struct agree_link {
    const struct agree_site *site;
    struct agree_session session; /* created by the target's welcome */
    enum agree_side side;
    struct verbs_conn *conn;
    struct verbs_mr *in, *out;
};

extern const struct ibv_qp_cap agree_link_cap;

/* False: out of memory; agree_link_close must be called in any case. */
bool agree_link_open(struct agree_link *link, const struct agree_site *site, enum agree_side side);
void agree_link_close(struct agree_link *link); /* also ends the connection */
bool agree_link_listen(struct agree_link *link);
/* Posts the receive again, then sends the moment. */
bool agree_link_say(struct agree_link *link, const struct agree_moment *moment);
/* Reads the message of a successful receive. False: not a moment, or its proof is wrong. */
bool agree_link_heard(const struct agree_link *link, const struct ibv_wc *wc,
                      struct agree_moment *moment);

#endif
