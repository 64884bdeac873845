/* SPDX-License-Identifier: Apache-2.0
 * iscsi_host_login - Login of a host: one request with the names and the operational keys, as
 * iscsid sends it if no authentication is configured (usr/login.c of open-iscsi 2.1).
 * It begins with the Connect command of the admin queue, which has the names, and answers it. A
 * further connection logs in with the session's TSIH, and agrees on the keys of a connection. */
#include "nvme/iscsi/iscsi_host_private.h"

#include <stdio.h>
#include <string.h>

static struct iscsi_terms own_terms(const struct iscsi_connection *connection)
{
    const struct iscsi_session *session = connection->session;
    const struct iscsi_keys *keys = &session->iscsi->params.host.keys;
    return iscsi_is_leading(connection)
               ? iscsi_terms_of(keys)
               : iscsi_terms_of_further(keys, &session->connections->terms);
}

void iscsi_host_login(struct iscsi_connection *connection, uint32_t itt)
{
    const struct host_session *session = iscsi_host_of(connection->session);
    const struct iscsi_terms own = own_terms(connection);
    const bool leading = iscsi_is_leading(connection);
    connection->login_sent = true;
    connection->text_in.length = connection->text_out.length = 0;
    iscsi_names_put(&connection->text_out, &session->names, leading);
    iscsi_terms_offer(&connection->text_out, &own, leading);
    /* ISID: type random (10b), qualifier 0; one session of each host with each target */
    const struct iscsi_out out = {
        .pdu = {.opcode = ISCSI_LOGIN,
                .immediate = true,
                .flags = ISCSI_LOGIN_TRANSIT | ISCSI_STAGE_OPERATIONAL << 2 | ISCSI_STAGE_FULL,
                .length = connection->text_out.length,
                .lun = UINT64_C(0x80) << 56 | (leading ? 0 : session->tsih),
                .itt = itt,
                .tag = (uint32_t)connection->cid << 16,
                .sn = session->cmd_sn},
        .bytes = (const unsigned char *)connection->text_out.bytes,
    };
    iscsi_send(connection, &out, PROBE_STREAM_POSTED);
    iscsi_flush(connection);
}

/* Status class and detail of a Login Response, RFC 7143 11.13.5, as Connect reports them. */
static uint16_t status_of(unsigned class_and_detail)
{
    switch (class_and_detail) {
    case 0x0202: /* forbidden */
        return NVME_STATUS_CONNECT_HOST | NVME_STATUS_DNR;
    case 0x0203: /* not found */
        return NVME_STATUS_CONNECT_PARAMETERS | NVME_STATUS_DNR;
    case 0x0302: /* out of resources */
        return NVME_STATUS_CONNECT_BUSY;
    default:
        return NVME_STATUS_INTERNAL | NVME_STATUS_DNR;
    }
}

static void complete(struct iscsi_connection *connection)
{
    struct host_session *session = iscsi_host_of(connection->session);
    iscsi_open(connection);
    if (iscsi_is_leading(connection)) {
        iscsi_host_connected(session, NVME_STATUS_OK);
        iscsi_host_connect_further(session);
    } else if (iscsi_host_is_complete(&session->base)) {
        iscsi_later(&session->base);
    }
}

bool iscsi_host_on_login(struct iscsi_connection *connection, const struct iscsi_pdu *pdu,
                         struct iscsi_fault *fault)
{
    struct host_session *session = iscsi_host_of(connection->session);
    const bool leading = iscsi_is_leading(connection);
    const unsigned status = pdu->data_sn >> 16;
    const struct iscsi_terms own = own_terms(connection);
    connection->text_in.length += pdu->length;
    connection->stat_sn = pdu->sn + 1;
    if (!connection->login_sent)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL, "Login Response to no request");
    if (status != 0 && !leading)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "the target refused connection %u of the session (status %04Xh)",
                               connection->cid, status);
    if (status != 0) {
        connection->login_sent = false;
        iscsi_host_connected(session, status_of(status));
        return true;
    }
    if ((pdu->flags & ISCSI_LOGIN_TRANSIT) == 0 || (pdu->flags & 3u) != ISCSI_STAGE_FULL)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "Login Response: flags %02Xh (byte 1), expected a transit to stage "
                               "%u",
                               pdu->flags, ISCSI_STAGE_FULL);
    if (leading) {
        session->exp_cmd_sn = pdu->expected;
        session->max_cmd_sn = pdu->max;
        session->tsih = (uint16_t)pdu->lun;
    }
    if (!iscsi_terms_take(&connection->text_in, &own, leading, &connection->terms, fault))
        return false;
    complete(connection);
    return true;
}
