/* SPDX-License-Identifier: Apache-2.0
 * go_back_n - one direction of a reliable connection, over wires that keep the order and lose.
 *
 *   requester --> data: PSN, number --> responder
 *             <-- answers: ACK, NAK or RNR, PSN <--
 *
 * An endless stream of packets; MESSAGE of them are a message, the last of which asks for an ACK.
 * PSNs wrap at PSNS.  The number, which wraps later, is what the model knows and the protocol does
 * not: the responder takes each number once and in order, and the requester takes for delivered
 * what was.
 *
 * Calm (the default): at most LOSSES packets are lost between two steps of the requester forward, and the
 * runs out only when nothing else can happen.  Then RETRIES retries are enough, nothing ever
 * stands, and the timer is not needed where a NAK could tell.
 * HASTY: anything may be lost, at any time, and the timer may run out at any time.
 * RECEIVES: the responder has so many receives, which its owner posts when he likes; else always
 * some.
 *
 * Rules, each of which a -D takes out (docs/testing.md says what becomes of it):
 *   NO_CHECK          the responder takes the PSN that it expects only
 *   TAKE_DUPLICATE    nor an older one
 *   SILENT_DUPLICATE  an older one is acknowledged again
 *   NO_NAK            a newer one is answered with a NAK of the expected
 *   MANY_NAKS         one NAK for a gap
 *   KEEP_SILENT       the next gap gets one again
 *   LOSE_NAK          a NAK that waits to leave is not overtaken by an ACK of something older
 *   ACK_GAP           what comes behind a gap is not acknowledged
 *   GO_BACK_PAST      a NAK has the requester resend from the PSN that it names
 *   STAY              a timeout, from the oldest that is not acknowledged
 *   NO_TIMER          there is a timer
 *   NO_RESET          progress gives all retries back
 *   NO_GHOST          an answer to what is not outstanding says nothing
 *   NO_SKIP           what is acknowledged meanwhile is not sent again
 *   WIDE              half of the PSNs are outstanding at most
 *   RNR_MOVES         a request that finds no receive is expected again (RECEIVES) */

#ifndef PSNS
#define PSNS 4
#endif
#ifndef MESSAGE
#define MESSAGE 1
#endif
#ifndef WIRE
#define WIRE 2
#endif
#ifndef LOSSES
#define LOSSES 2
#endif
#ifndef RETRIES
#define RETRIES (LOSSES + 1) /* a loss may cost a retry after the progress that it was before */
#endif
#ifdef WIDE
#define WINDOW (PSNS / 2 + 1)
#else
#define WINDOW (PSNS / 2)
#endif
#define NUMBERS (2 * PSNS) /* a multiple of MESSAGE */

#define AHEAD(a, b) ((a + PSNS - b) % PSNS)
#define OLDER(a, b) (AHEAD(a, b) >= PSNS / 2)
#define AFTER(psn) ((psn + 1) % PSNS)
#define BEFORE(psn) ((psn + PSNS - 1) % PSNS)

mtype = { ACK, NAK, RNR, NONE };
chan data = [WIRE] of { byte, byte };
chan answers = [WIRE] of { mtype, byte };

/* requester: una is the oldest PSN that is not acknowledged, and `first` is its number */
byte una, next, high, first;
byte retries = RETRIES;
bool waits; /* as an RNR told it */

/* responder; its answer waits in one place */
byte expected, wanted;
bool naked; /* silent until the expected PSN comes */
mtype answer = NONE;
byte answer_psn;
#ifdef RECEIVES
byte receives;
#endif

/* what the model knows of the wires */
byte lost;
bool gap, excused; /* the responder has seen a gap; something was lost since */
bool refused;      /* what it drops in silence follows an RNR, and is no gap */

#ifdef HASTY
#define MAY_LOSE true
#define EXPIRES true
#else
#define MAY_LOSE (lost < LOSSES)
#define EXPIRES timeout
#endif

inline count_loss()
{
#ifndef HASTY
    lost++;
    excused = gap
#else
    skip
#endif
}

/* ------------------------------------------------------------------ responder */

inline reply(kind, at)
{
    if
#ifndef LOSE_NAK
    :: kind == ACK && answer != NONE && answer != ACK && OLDER(at, answer_psn)
#endif
    :: else ->
        answer = kind;
        answer_psn = at
    fi
}

inline take(number)
{
    assert(number == wanted); /* each once, and in order */
    if
    :: answer == NAK || answer == RNR -> /* it did not leave yet */
        answer = ACK;
        answer_psn = BEFORE(expected)
    :: else
    fi;
#ifndef KEEP_SILENT
    naked = false;
#endif
    gap = false;
    excused = false;
    refused = false;
    expected = AFTER(psn);
    wanted = (wanted + 1) % NUMBERS;
    if
    :: number % MESSAGE == MESSAGE - 1 -> reply(ACK, psn)
    :: else
    fi
}

inline miss()
{
#ifndef HASTY
    if
    :: !gap && !refused -> gap = true
    :: else
    fi;
#endif
#ifdef ACK_GAP
    reply(ACK, psn);
#endif
    if
#ifdef MANY_NAKS
    :: true ->
#else
    :: !naked ->
#endif
        naked = true;
#ifndef NO_NAK
        reply(NAK, expected)
#endif
    :: else
    fi
}

#ifdef RECEIVES
#define IS_FIRST (number % MESSAGE == 0)
#define IS_READY (!IS_FIRST || receives > 0)
#else
#define IS_READY true
#endif

active proctype responder()
{
    byte psn, number;
    do
    :: d_step { data?psn, number ->
        if
#ifdef NO_CHECK
        :: true -> take(number)
#else
        :: psn == expected && IS_READY ->
#ifdef RECEIVES
            if
            :: IS_FIRST -> receives--
            :: else
            fi;
#endif
            take(number)
#ifdef RECEIVES
        :: psn == expected && !IS_READY ->
            naked = true;
            refused = true;
            reply(RNR, psn);
#ifdef RNR_MOVES
            expected = AFTER(psn)
#endif
#endif
        :: psn != expected && OLDER(psn, expected) ->
#ifdef TAKE_DUPLICATE
            take(number)
#elif defined(SILENT_DUPLICATE)
            skip
#else
            reply(ACK, BEFORE(expected))
#endif
        :: psn != expected && !OLDER(psn, expected) -> miss()
#endif
        fi;
        psn = 0;
        number = 0
    }
    :: d_step { answer != NONE && nfull(answers) ->
        answers!answer, answer_psn;
        answer = NONE;
        answer_psn = 0
    }
#ifdef RECEIVES
    :: d_step { receives < RECEIVES -> receives++ }
#endif
    od
}

/* ------------------------------------------------------------------ the wires */

active proctype losses()
{
    do
    :: d_step { MAY_LOSE && nempty(data) ->
        data?_, _;
        count_loss()
    }
    :: d_step { MAY_LOSE && nempty(answers) ->
        answers?_, _;
        count_loss()
    }
    od
}

/* ------------------------------------------------------------------ requester */

#ifdef NO_GHOST
#define IS_GHOST(psn) false
#else
#define IS_GHOST(psn) (AHEAD(psn, una) >= AHEAD(high, una))
#endif

inline acknowledge(upto)
{
    if
    :: upto != una ->
        first = (first + AHEAD(upto, una)) % NUMBERS;
        una = upto;
#ifndef NO_RESET
        retries = RETRIES;
#endif
        lost = 0;
        assert((wanted + NUMBERS - first) % NUMBERS <= WINDOW); /* it was delivered */
#ifndef NO_SKIP
        if
        :: next != una && OLDER(next, una) -> next = una
        :: else
        fi
#endif
    :: else
    fi
}

inline retry(from)
{
#ifndef HASTY
    assert(retries > 0); /* else the queue pair fails */
    retries--;
#endif
    next = from
}

active proctype requester()
{
    byte psn;
    mtype kind;
    do
    :: d_step { !waits && AHEAD(next, una) < WINDOW && nfull(data) ->
        data!next, (first + AHEAD(next, una)) % NUMBERS;
        if
        :: next == high -> high = AFTER(high)
        :: else
        fi;
        next = AFTER(next)
    }
    :: d_step { answers?kind, psn ->
        if
        :: IS_GHOST(psn)
        :: !IS_GHOST(psn) && kind == ACK -> acknowledge(AFTER(psn))
        :: !IS_GHOST(psn) && kind == NAK ->
            acknowledge(psn);
#ifdef GO_BACK_PAST
            retry(AFTER(psn))
#else
            retry(psn)
#endif
        :: !IS_GHOST(psn) && kind == RNR ->
            acknowledge(psn);
            next = psn;
            waits = true
        fi;
        psn = 0;
        kind = 0
    }
    :: d_step { waits -> waits = false }
#ifndef NO_TIMER
    :: EXPIRES && una != high ->
        d_step {
            assert(!gap || excused); /* else its NAK is enough */
#ifdef STAY
            retry(next)
#else
            retry(una)
#endif
        }
#endif
    od
}
