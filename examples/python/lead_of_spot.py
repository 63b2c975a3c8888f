#!/usr/bin/env python3
"""Measure whether the spot price moves before the market: the correlation of their changes at several lags.

    python3 examples/python/replay.py --minutes 30 | python3 examples/python/lead_of_spot.py

Reads the frames of replay.py, or of `bookreel replay … --json`, from standard input. Only the standard library.
A positive lag means that spot moved first. Slots next to a gap are skipped, because a change across a gap is not a
change of one slot.
"""

import argparse
import json
import os
import statistics
import sys

LAGS = range(-8, 9)
WIDTH = 30


def series(lines):
    """Return the slots of each market: number, mid price of UP, spot price."""
    markets = {}
    for line in lines:
        try:
            frame = json.loads(line)
            frame["type"]
        except (ValueError, KeyError, TypeError):
            sys.exit(f"This is not a frame of a replay: {line[:80].strip()}. Pipe the output of replay.py into this program.")
        if frame["type"] != "snapshot" or not frame.get("spot") or not frame.get("up"):
            continue
        bids, asks = frame["up"]["bids"], frame["up"]["asks"]
        if bids and asks:
            slots = markets.setdefault(frame["market"], {})
            slots[frame["seq"]] = ((bids[0][0] + asks[0][0]) / 2, frame["spot"]["price"])
    return markets


def pairs(slots, lag):
    """Yield the change of spot at a slot and the change of the mid price `lag` slots later."""
    for seq in slots:
        later = seq + lag
        if all(number in slots for number in (seq - 1, later - 1, later)):
            yield slots[seq][1] - slots[seq - 1][1], slots[later][0] - slots[later - 1][0]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.parse_args()
    if sys.stdin.isatty():
        arguments.error("standard input is a terminal; pipe the output of replay.py into this program")
    markets = series(sys.stdin)
    count = sum(map(len, markets.values()))
    if count < 100:
        sys.exit(f"Only {count} slots with a spot price; at least 100 are needed. Replay more --minutes, or wait until more is recorded.")
    print(f"{count} slots of {len(markets)} markets\n\n lag  correlation")
    for lag in LAGS:
        found = [pair for slots in markets.values() for pair in pairs(slots, lag)]
        if not found:
            continue
        spot, mid = zip(*found)
        if len(set(spot)) < 2 or len(set(mid)) < 2:
            continue
        value = statistics.correlation(spot, mid)
        bar = "█" * round(abs(value) * WIDTH)
        print(f"{lag:+4}  {value:+.3f}  {bar if value > 0 else '-' + bar}")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        # The reader of the output has ended; without this, Python complains when it flushes the output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.exit(130)
