# report - predictions against published figures: errors by laboratory, and the page.    SPDX-License-Identifier: Apache-2.0
import hashlib
import math
import statistics

from constants import CONSTANTS, written
from figures import CURVES, EXPERIMENTS, UNTOLD
from laboratories import LABORATORY, MORE, REASONS

ALL = "all laboratories"


def digits(value):
    if value is None:
        return "-"
    return f"{value:.4g}" if abs(value) < 10000 else f"{value:.0f}"


def laboratory(experiment):
    return experiment.lab or LABORATORY.get(experiment.id, experiment.source)


def freeze(tasks, found, path):
    """The SHA-256 of all predictions; the published figures are not part of it."""
    lines = [f"{e.id}\t{f.about}\t{f.unit or '-'}\t{one[0]:.6g}\t{'-' if one[4] is None else format(one[4], '.6g')}\t{one[5]}\n"
             for (e, f), one in zip(tasks, found)]
    text = "".join(lines)
    if path is not None:
        path.write_text("experiment\tfigure\tunit\tprediction\twithout its laboratory\tbottleneck\n" + text)
    return hashlib.sha256(text.encode()).hexdigest()


def error(figure, value):
    return abs(value - figure.given) / abs(figure.given)


def errors_by_laboratory(tasks, found):
    """Relative errors of the figures that are a test: published, and no value was fitted on them."""
    errors = {}
    for (experiment, figure), one in zip(tasks, found):
        if figure.given is not None and not figure.fits:
            for name in (laboratory(experiment), ALL):
                errors.setdefault(name, []).append(error(figure, one[0]))
    return {name: errors[name] for name in sorted(errors, key=lambda name: (name == ALL, name))}


def errors_held_out(tasks, found):
    """Relative errors of all published figures, each laboratory predicted with the others; no prediction is a miss."""
    errors = {}
    for (experiment, figure), one in zip(tasks, found):
        if figure.given is not None:
            for name in (laboratory(experiment), ALL):
                errors.setdefault(name, []).append(math.inf if one[4] is None else error(figure, one[4]))
    return {name: errors[name] for name in sorted(errors, key=lambda name: (name == ALL, name))}


def errors_by_limit(tasks, found):
    """Relative errors of the figures that are a test, by the resource that limits the run."""
    errors = {}
    for (_, figure), one in zip(tasks, found):
        if figure.given is not None and not figure.fits:
            errors.setdefault(one[5], []).append(error(figure, one[0]))
    return {kind: errors[kind] for kind in sorted(errors)}


def quantile(errors):
    """The error that four of five figures do not exceed."""
    return sorted(errors)[math.ceil(0.8 * len(errors)) - 1]


def by_limit(tasks, found):
    return ["", "## By limit", "", "The same figures by the resource that limits the run; \"4 of 5\" is the error that four of five figures do not exceed.",
            "",
            "| limit | figures | median error | 4 of 5 | within 15 % |", "|---|---|---|---|---|"] + [
                f"| {kind} | {len(errors)} | {percent(statistics.median(errors))} | {percent(quantile(errors))} | {shares(errors)[1]:.0f} % |"
                for kind, errors in errors_by_limit(tasks, found).items()]


def percent(share):
    return "none" if math.isinf(share) else f"{100 * share:.1f} %"


def shares(errors):
    return [100 * sum(each <= near for each in errors) / len(errors) for near in (0.10, 0.15, 0.25)]


def quartile_words(errors):
    within = ", ".join(f"{share:.0f} % within {near} %" for share, near in zip(shares(errors), (10, 15, 25)))
    return f"{len(errors)} figures, median error {percent(statistics.median(errors))}, {within}"


def is_unexplained(figure, value):
    """Whether a published figure is missed without a reason, or met in spite of one."""
    if figure.given is None:
        return False
    return (error(figure, value) <= figure.tolerance) == bool(figure.missed)


def verdict(figure, value):
    if figure.given is None:
        return "to be predicted"
    met = error(figure, value) <= figure.tolerance
    if figure.missed:
        return f"missed: {figure.missed}"
    word = f"fitted ({figure.fits})" if figure.fits else "met"
    return word if met else f"missed by {100 * error(figure, value):.0f} %"


def row(experiment, figure, found):
    value, least, most, effects, held = found[:5]
    span = f"{digits(least)} to {digits(most)}" if least != most else "-"
    rests = ", ".join(f"{name} {100 * effect:.1f} %" for effect, name in effects[:3]) or "-"
    given = "-" if figure.given is None else digits(figure.given)
    return f"| {experiment.id} | {figure.about} | {figure.unit or '-'} | {given} | {digits(value)} | " \
        f"{digits(held) if figure.given is not None else '-'} | {span} | {rests} | {100 * figure.tolerance:g} % | {verdict(figure, value)} |"


HEAD = ["| | figure | unit | given | model | without | range | rests on | tolerance | |", "|---|---|---|---|---|---|---|---|---|---|"]


def misses_first(tasks, found):
    """Missed figures by laboratory, the largest error first; then all others in the order of the sheets."""
    missed, others = {}, []
    for (experiment, figure), one in zip(tasks, found):
        text = row(experiment, figure, one)
        if figure.given is None or error(figure, one[0]) <= figure.tolerance:
            others.append(text)
        else:
            missed.setdefault(laboratory(experiment), []).append((error(figure, one[0]), text))
    lines = ["", "## Missed"]
    for name in sorted(missed):
        lines += ["", f"{name}:", "", *HEAD]
        lines += [text for _, text in sorted(missed[name], key=lambda each: -each[0])]
    lines += ["", "### Why", "", "| | what | why |", "|---|---|---|"] + [f"| {u.id} | {u.about} | {u.why} |" for u in REASONS]
    return lines + ["", "## Met, fitted or to be predicted", "", *HEAD, *others]


def error_table(errors_by_name):
    lines = ["| laboratory | figures | median error | within 10 % | within 15 % | within 25 % |", "|---|---|---|---|---|---|"]
    return lines + [f"| {name} | {len(errors)} | {percent(statistics.median(errors))} | "
                    + " | ".join(f"{share:.0f} %" for share in shares(errors)) + " |" for name, errors in errors_by_name.items()]


def by_laboratory(tasks, found):
    return ["", "## By laboratory", "", "The published figures to which no value was fitted, and the error of the model.", "",
            *error_table(errors_by_laboratory(tasks, found)),
            "", "## By laboratory, each predicted with the others", "",
            "All published figures, fitted or not. Values that were fitted on figures of a laboratory are replaced by the median of",
            "the values from other laboratories or, without other laboratories, by the value of the nearest card or host; \"without\" in the tables below.",
            "If no other source gives the value, there is no prediction (\"-\"), which counts as a miss.", "",
            *error_table(errors_held_out(tasks, found)), *constant_lines()]


def constant_lines():
    """Each fitted value once, those of one laboratory last."""
    rows = {}
    for c in CONSTANTS:
        where = c.used_by if isinstance(c.used_by, str) else ", ".join(c.used_by)
        said = "; ".join(f"{name} {written(value, c.unit)}" for name, value in c.estimates.items())
        other = "-" if c.otherwise is None else written(c.otherwise, c.unit)
        rows[(c.path.rsplit(".", 1)[1], where)] = (len(c.estimates), said, other)
    ordered = sorted(rows.items(), key=lambda each: -each[1][0])
    return ["", "### Fitted values", "", "\"otherwise\" is the value for a laboratory that is the only source.", "",
            "| value | of | laboratories | estimate of each | otherwise |", "|---|---|---|---|---|"] + [
                f"| {name} | {where} | {count} | {said} | {other if count == 1 else '-'} |"
                for (name, where), (count, said, other) in ordered]


def knee(points):
    """The bottleneck up to which size."""
    steps = []
    for (_, kind), size in zip(points, CURVES.sizes):
        if steps and steps[-1][0] == kind:
            steps[-1][1] = size
        else:
            steps.append([kind, size])
    return ", ".join(f"{kind} up to {size}" for kind, size in steps[:-1]) + (", then " if len(steps) > 1 else "") + steps[-1][0]


def curve_lines(found):
    lines = ["", "## Rate against block size", "",
             "WRITEs of one queue pair and of 32, each with a core, 32 outstanding: Gb/s by size, and the bottleneck."]
    for profile, rate in CURVES.cards:
        lines += ["", f"`{profile}`, {rate}:"]
        series = []
        for qps in CURVES.qps:
            points = [found[(profile, rate, qps, size)] for size in CURVES.sizes]
            lines.append(f"- {qps} queue pair{'s' if qps > 1 else ''}: {knee(points)}.")
            series.append("    line [" + ", ".join(f"{value:.3g}" for value, _ in points) + "]")
        lines += ["", "```mermaid", "xychart-beta", "    x-axis [" + ", ".join(f'"{size}"' for size in CURVES.sizes) + "]",
                  '    y-axis "Gb/s"', *series, "```"]
    return lines


def page(tasks, found, curves, frozen, by_evidence):
    given = [figure for _, figure in tasks if figure.given is not None]
    fitted = [figure for figure in given if figure.fits]
    lines = ["# Published hardware", "",
             "This page compares the model's predictions with published measurements of cards, targets and drives. `make predictions` runs all experiments",
             "and writes this page. \"given\" is the published figure. Without a published figure, the model's figure is a prediction.",
             "\"range\" is the result if each inferred or assumed value of the card's profile is 10 % lower or higher, one at a time;",
             "\"rests on\" names the values with the largest effect. \"fitted\" marks figures from which a value of a profile was derived",
             "(`scenarios/profiles` has the source): they are not evidence for the model, so the medians exclude them. All predictions are computed and",
             f"frozen in `tests/hardware/predictions.tsv` (SHA-256 of its rows `{frozen}`) before any is compared.", "",
             f"{len(given)} figures are given, {len(fitted)} of them fitted; {len(given) - len(fitted)} are a test. "
             f"{len(tasks) - len(given)} are predicted."]
    lines += by_laboratory(tasks, found) + by_limit(tasks, found) + by_evidence + misses_first(tasks, found)
    lines += ["", "## Experiments", "", "| | what | source | scenario, in `tests/hardware` |", "|---|---|---|---|"]
    lines += [f"| {e.id} | {e.about} | {e.source} | `{e.scenario}`" + (f", `{e.profile}`" if e.profile else "") + " |"
              for e in EXPERIMENTS + MORE]
    lines += curve_lines(curves)
    lines += ["", "## Figures outside the model", "", "| | what | why |", "|---|---|---|"]
    lines += [f"| {u.id} | {u.about} | {u.why} |" for u in UNTOLD]
    return "\n".join(lines) + "\n"
