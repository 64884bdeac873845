/* SPDX-License-Identifier: Apache-2.0
 * iscsi_host_login - Login of a host: one request with the names and the operational keys, as
 * iscsid sends it if no authentication is configured (usr/login.c of open-iscsi 2.1).
 * It begins with the Connect command of the admin queue, which has the names, and answers it. */
#include "nvme/iscsi/iscsi_host_private.h"

#include <stdio.h>
#include <string.h>

void iscsi_host_login(struct host_session *session, uint16_t tag)
{
    struct iscsi_session *base = &session->base;
    const struct iscsi_terms own = iscsi_terms_of(&base->iscsi->params.host.keys);
    session->login = HOST_LOGIN_SENT;
    session->login_tag = tag;
    base->text_in.length = base->text_out.length = 0;
    iscsi_names_put(&base->text_out, &session->names);
    iscsi_terms_offer(&base->text_out, &own);
    /* ISID: type random (10b), qualifier 0; one session of each host with each target */
    const struct iscsi_out out = {
        .pdu = {.opcode = ISCSI_LOGIN,
                .immediate = true,
                .flags = ISCSI_LOGIN_TRANSIT | ISCSI_STAGE_OPERATIONAL << 2 | ISCSI_STAGE_FULL,
                .length = base->text_out.length,
                .lun = UINT64_C(0x80) << 56,
                .itt = ISCSI_ADMIN << 16 | tag,
                .sn = session->cmd_sn},
        .bytes = (const unsigned char *)base->text_out.bytes,
    };
    iscsi_send(base, &out, PROBE_STREAM_POSTED);
    iscsi_flush(base);
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

static bool take_keys(struct host_session *session, struct iscsi_fault *fault)
{
    struct iscsi_session *base = &session->base;
    const struct iscsi_terms own = iscsi_terms_of(&base->iscsi->params.host.keys);
    if (!iscsi_terms_take(&base->text_in, &own, &base->terms, fault))
        return false;
    iscsi_open(base);
    session->login = HOST_LOGIN_DONE;
    iscsi_host_connected(session, NVME_STATUS_OK);
    return true;
}

bool iscsi_host_on_login(struct host_session *session, const struct iscsi_pdu *pdu,
                         struct iscsi_fault *fault)
{
    struct iscsi_session *base = &session->base;
    const unsigned status = pdu->data_sn >> 16;
    base->text_in.length += pdu->length;
    session->exp_stat_sn = pdu->sn + 1;
    if (session->login != HOST_LOGIN_SENT)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL, "Login Response to no request");
    if (status != 0) {
        session->login = HOST_LOGIN_NONE;
        iscsi_host_connected(session, status_of(status));
        return true;
    }
    if ((pdu->flags & ISCSI_LOGIN_TRANSIT) == 0 || (pdu->flags & 3u) != ISCSI_STAGE_FULL)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "Login Response: flags %02Xh (byte 1), expected a transit to stage "
                               "%u",
                               pdu->flags, ISCSI_STAGE_FULL);
    session->exp_cmd_sn = pdu->expected;
    session->max_cmd_sn = pdu->max;
    session->tsih = (uint16_t)pdu->lun;
    return take_keys(session, fault);
}
