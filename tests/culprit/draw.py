# draw - healthy scenarios, harmed by one thing or two.             SPDX-License-Identifier: Apache-2.0
import copy
import random

import kinds  # noqa: F401 - registers them
from decoys import KINDS as DECOYS, dress
from harms import KINDS
from healthy import Healthy
from play import Loss, Refused, play, unhealthy

ATTEMPTS = 60
ROWS_TRIED, ROW_ATTEMPTS, VALUES = 8, 4, 3  # of a part; healthy scenarios for a row; values in each
CLEAN = "clean"
DECOY = 0.02  # of a workload's time: more is a harm
TWICE = 4  # every so many scenarios have two harms


class Case:
    """A scenario that was kept: healthy, harms, what they cost."""

    def __init__(self, seed, kind):
        self.seed, self.kind = seed, kind
        self.harms = []
        self.attempts = []  # why others were not kept


def with_harms(healthy, harms):
    scenario = copy.deepcopy(healthy.scenario)
    for harm in harms:
        harm.write(scenario)
    return scenario


def draw_harm(draw, kind, healthy, rows):
    if kind in rows.rows:
        return rows.make(kind, draw, healthy)
    harm = KINDS[kind][0](draw, healthy)
    if harm is not None:
        harm.kind = kind
    return harm


def draw_harmful(case, draw, path):
    """A harm of the case's kind that costs something, or the last one that does not; of a row several values."""
    for _ in range(VALUES if case.kind in case.rows.rows else 1):
        harm = draw_harm(draw, case.kind, case.healthy, case.rows)
        try:
            if harm is None or Loss(case.clean, play(with_harms(case.healthy, [harm]), path)).matters():
                break
        except Refused:
            harm = None
    return harm


def spread(healthy, clean, path):
    """How much its operations differ by seed alone: less is no harm."""
    noise = 0.0
    for seed in (1001, 1002):
        other = play(dict(healthy.scenario, seed=seed), path)
        both = list(Loss(clean, other).shares.values()) + list(Loss(other, clean).shares.values())
        noise = max([noise, *both])
    return noise


def try_healthy(draw, wants, path, odd):
    """A healthy scenario with decoys: what it comes to, and why it is none, or None."""
    healthy = Healthy(draw, wants)
    undressed = copy.deepcopy(healthy.scenario)
    decoys = dress(draw, healthy, odd) if odd else 0
    result = play(healthy.scenario, path)
    why = unhealthy(result)
    if why is None and decoys:
        before = play(undressed, path)
        shares = list(Loss(before, result).shares.values()) + list(Loss(result, before).shares.values())
        why = "a decoy matters" if max(shares) > DECOY else None
    return healthy, result, why


def try_clean(draw, path, odd):
    """Incast or full links, and nothing wrong, congestion control included."""
    healthy, result, why = try_healthy(draw, {"incast": True}, path, odd)
    if why is None and healthy.control != "none":
        without = copy.deepcopy(healthy.scenario)
        without["hosts"]["defaults"]["rnic"]["congestion-control"] = "none"
        why = "held back" if Loss(play(without, path), result).matters() else None
    return healthy, result, why


def attempt(case, draw, path):
    """One scenario of the kind; says why it is not kept, or None."""
    if case.kind == CLEAN:
        case.healthy, case.clean, why = try_clean(draw, path, case.odd)
        case.scenario = case.healthy.scenario
        return why
    wants = case.rows.wants(case.kind, draw) if case.kind in case.rows.rows else KINDS[case.kind][1]
    case.healthy, case.clean, why = try_healthy(draw, wants, path, case.odd)
    healthy, clean = case.healthy, case.clean
    if why:
        return "not healthy: " + why
    try:
        case.harms = [draw_harmful(case, draw, path)]
        if case.two:
            other = draw.choice([kind for kind in sorted(KINDS) if kind != case.kind])
            case.harms.append(draw_harm(draw, other, healthy, case.rows))
    except IndexError:  # nobody to choose from
        return "no place for it"
    if None in case.harms:
        return "no place for it"
    noise = 2 * spread(healthy, clean, path)
    for harm in case.harms:
        alone = Loss(clean, play(with_harms(healthy, [harm]), path))
        if not alone.matters(noise):
            return f"{harm.kind} alone does no harm"
    case.scenario = with_harms(healthy, case.harms)
    case.harmed = play(case.scenario, path)
    case.loss = Loss(clean, case.harmed)
    for harm in case.harms if case.two else []:
        rest = play(with_harms(healthy, [other for other in case.harms if other is not harm]), path)
        if not Loss(rest, case.harmed).matters(noise):
            return f"{harm.kind} does not matter beside the other"
    # A harm is played without the other last of all: its names are those in the whole scenario again.
    case.scenario = with_harms(healthy, case.harms)
    return None if case.loss.matters(noise) else "no harm together"


def draw_case(seed, kind, path, rows, odd=DECOYS):
    """The case of a seed: the same wherever it is drawn.  None where no attempt could be kept.

    Of a part, rows that act on it, one after the other.  ODD: kinds of decoys."""
    attempts, tried = ATTEMPTS, [kind]
    if kind in rows.parts:
        tried = random.Random(f"rows {kind} {seed}").sample(rows.parts[kind], len(rows.parts[kind]))[:ROWS_TRIED]
    if kind in rows.parts or kind in rows.rows:
        attempts = ROW_ATTEMPTS * max(1, ROWS_TRIED // len(tried))
    made = (draw_kind(seed, one, attempts, path, rows, odd) for one in tried)
    return next((case for case in made if case is not None), None)


def draw_kind(seed, kind, attempts, path, rows, odd):
    case = Case(seed, kind)
    case.rows, case.odd = rows, odd
    case.two = kind != CLEAN and random.Random(f"two {kind} {seed}").randrange(TWICE) == 0
    for number in range(attempts):
        if number == attempts // 2:
            case.two = False
        try:
            why = attempt(case, random.Random(f"culprit {kind} {seed} {number}"), path)
        except Refused as refusal:
            why = f"refused: {refusal}"
        if why is None:
            return case
        case.attempts.append(why)
    return None
