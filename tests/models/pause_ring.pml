/* SPDX-License-Identifier: Apache-2.0
 * pause_ring - N switches in a ring, a host at each, and hop-by-hop pause.
 *
 * What host i sends crosses as many links of the ring as the i-th of HOPS says, and leaves to a host
 * there, which always takes it.  A frame is one cell.  A switch counts it in the group of the link
 * that it came by, and has one queue for the ring and one for its host, first in, first out:
 *
 *   host i --> [hosted] --+
 *                         +--> queue[i] --> link i --> switch i + 1
 *   link i - 1 --> [ringed] --+--> here[i] --> the host
 *
 * Time is left out: each step may come as late as it likes.  Only the answer to a pause may not: of
 * the frames that have not begun when the XOFF is sent, RESPONSE are the most that still do.
 *
 * What Spin looks for: a state from which nothing can happen (a deadlock: hosts never run dry and
 * always take), and a frame of the lossless class that finds no room.  WINDOW, when it is given, is
 * how many of its frames a host may have under way.
 *
 * Rules, each of which a -D takes out (docs/testing.md says what becomes of it):
 *   NO_XOFF      a group that holds XOFF cells stops the sender
 *   LATE_XOFF    at XOFF cells, not at one more
 *   NO_PAUSE     a sender obeys
 *   NO_HEADROOM  RESPONSE cells more are kept for what still comes
 *   EARLY_XON    the sender may go on only when the headroom is empty again
 *   NO_RESUME    it does so by an XON, or when the quanta run out
 *   NO_REFRESH   the quanta do not run out while the cause holds
 *   LEAK         a frame that leaves gives its cell back */

#ifndef N
#define N 3
#endif
#ifndef HOPS
#define HOPS 1, 1, 1
#endif
#ifndef XOFF
#define XOFF 2
#endif
#ifndef HOSTED
#define HOSTED XOFF /* cells of the group of a host's link, which is stopped at once */
#endif
#ifndef RESPONSE
#define RESPONSE 1
#endif

#ifdef NO_HEADROOM
#define ROOM XOFF
#else
#define ROOM (XOFF + RESPONSE)
#endif
#ifdef LATE_XOFF
#define STOP_AT (XOFF + 1)
#else
#define STOP_AT XOFF
#endif
#ifdef EARLY_XON
#define GO_AT (XOFF + RESPONSE - 1)
#else
#define GO_AT (XOFF - 1)
#endif

byte hops[N] = { HOPS };
chan queue[N] = [ROOM + HOSTED] of { byte, bool }; /* links still to cross; came by the ring */
byte ringed[N], hosted[N], here[N];
#ifdef WINDOW
byte under_way[N]; /* of each host's; all cross as many links */
#define MAY_BEGIN(i) (hosted[i] < HOSTED && under_way[i] < WINDOW)
#define OWNER(i) ((i + hops[0] * (N - 1)) % N)
#else
#define MAY_BEGIN(i) (hosted[i] < HOSTED)
#endif
bool stopped[N]; /* link i: its receiver has sent XOFF and no XON since */
bool paused[N];  /* link i: its sender has heard so */
byte late[N];    /* frames begun since that XOFF, until it is heard */

#define NEXT(i) ((i + 1) % N)
#define BEFORE(i) ((i + N - 1) % N)

#ifdef NO_PAUSE
#define MAY_SEND(i) true
#else
#define MAY_SEND(i) (!paused[i] && !(stopped[i] && late[i] == RESPONSE))
#endif

/* A frame of switch i that came by the ring leaves it: room, and an XON when enough is left. */
inline give_back(i)
{
#ifndef LEAK
    ringed[i]--;
#endif
    if
    :: ringed[i] <= GO_AT ->
        stopped[BEFORE(i)] = false;
        late[BEFORE(i)] = 0
    :: else
    fi
}

/* A frame with so many links still to cross comes by the ring. */
inline arrive(i, left)
{
    assert(ringed[i] < ROOM); /* else it is lost */
    ringed[i]++;
    if
    :: left == 0 -> here[i]++
    :: else -> queue[i]!left, true
    fi;
#ifndef NO_XOFF
    if
    :: ringed[i] >= STOP_AT -> stopped[BEFORE(i)] = true
    :: else
    fi
#endif
}

active [N] proctype device()
{
    byte left;
    bool ring;
    do
    :: d_step { hops[_pid] > 0 && MAY_BEGIN(_pid) -> /* the host sends */
        hosted[_pid]++;
#ifdef WINDOW
        under_way[_pid]++;
#endif
        queue[_pid]!hops[_pid], false
    }
    :: d_step { here[_pid] > 0 -> /* the host takes */
        here[_pid]--;
#ifdef WINDOW
        under_way[OWNER(_pid)]--;
#endif
        give_back(_pid)
    }
    :: d_step { nempty(queue[_pid]) && MAY_SEND(_pid) -> /* a frame crosses the link */
        queue[_pid]?left, ring;
        if
        :: stopped[_pid] && !paused[_pid] -> late[_pid]++
        :: else
        fi;
        arrive(NEXT(_pid), left - 1);
        if
        :: ring -> give_back(_pid)
        :: else -> hosted[_pid]--
        fi;
        left = 0;
        ring = false
    }
    :: d_step { stopped[_pid] && !paused[_pid] -> /* the XOFF is heard */
        paused[_pid] = true;
        late[_pid] = 0
    }
#ifndef NO_RESUME
    :: d_step { paused[_pid] && !stopped[_pid] -> paused[_pid] = false } /* XON, or quanta end */
#endif
#ifdef NO_REFRESH
    :: d_step { paused[_pid] && stopped[_pid] -> paused[_pid] = false }
#endif
    od
}
