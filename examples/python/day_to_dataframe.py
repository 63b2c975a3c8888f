#!/usr/bin/env python3
"""Load a day of one market's snapshots into a pandas DataFrame and plot mid and spread.

    python3 examples/python/day_to_dataframe.py --slug btc-updown-1h

Needs pandas and matplotlib (`pip install pandas matplotlib`), and a key of the tier pro or higher. Prints the price
first; a page that has to be fetched twice is charged once.
"""

import argparse
import importlib.util
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

missing = [name for name in ("pandas", "matplotlib") if importlib.util.find_spec(name) is None]

class Bookreel:
    def __init__(self, url, key):
        self.url, self.key = url.rstrip("/"), key

    def get(self, path, idempotency_key=None, **parameters):
        """Return the parsed response. Honours Retry-After and retries temporary failures."""
        query = urllib.parse.urlencode({name: value for name, value in parameters.items() if value is not None})
        request = urllib.request.Request(f"{self.url}{path}?{query}", headers={"X-API-Key": self.key})
        if idempotency_key:
            request.add_header("Idempotency-Key", idempotency_key)
        for attempt in range(6):
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                reason = refusal(error)
                if error.code not in (429, 503):
                    sys.exit(reason)
                time.sleep(float(error.headers.get("Retry-After", 1)))
            except UnicodeError:
                sys.exit("--key or --url contains characters that are not allowed there. Copy them again.")
            except OSError as error:
                reason = f"{self.url} can't be reached ({getattr(error, 'reason', error)}). Check --url, or start the service: npm run dev"
                if isinstance(getattr(error, "reason", error), ConnectionRefusedError):
                    sys.exit(reason)
                time.sleep(2**attempt / 2)
        sys.exit(f"No answer after 6 attempts. {reason}")

    def snapshots(self, market_id, side, start, end):
        """Return every snapshot of the range, page by page, and every gap that overlaps it."""
        rows, gaps, cursor = [], {}, None
        while True:
            page = self.get(
                f"/v1/markets/{market_id}/snapshots",
                idempotency_key=str(uuid.uuid4()),
                **{"from": start, "to": end, "side": side, "limit": 500, "order": "asc", "includebook": "false"},
                cursor=cursor,
            )
            rows += page["snapshots"]
            gaps.update({(gap["from"], gap["cause"]): gap for gap in page["gaps"]})
            cursor = page["next_cursor"]
            print(f"\r{len(rows)} snapshots", end="", file=sys.stderr)
            if not cursor:
                print(file=sys.stderr)
                return rows, list(gaps.values())


def count(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def refusal(error):
    """The code and the message of an error answer."""
    try:
        body = json.load(error)
        return f"{body['error']}: {body['message']}"
    except (ValueError, KeyError, TypeError):
        return f"status {error.code} from {error.url}, which is not an answer of Bookreel. Check --url."


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--url", default=os.environ.get("BOOKREEL_URL", "http://127.0.0.1:8080"), help="address of the service (default: BOOKREEL_URL)")
    arguments.add_argument("--key", default=os.environ.get("BOOKREEL_KEY"), required="BOOKREEL_KEY" not in os.environ, help="API key (default: BOOKREEL_KEY)")
    arguments.add_argument("--slug", default="btc-updown-1h", help="exact slug, part of a slug, or <coin>-updown-<timeframe>")
    arguments.add_argument("--side", choices=["UP", "DOWN"], default="UP", help="token of the market (default: UP)")
    arguments.add_argument("--hours", type=float, default=24, help="length of the range, which ends now (default: 24)")
    arguments.add_argument("--plot", default="mid-and-spread.png", help="file of the plot (default: mid-and-spread.png)")
    arguments.add_argument("--csv", help="also write the DataFrame to this file")
    options = arguments.parse_args()
    if missing:
        sys.exit(f"This example needs {' and '.join(missing)}: pip install {' '.join(missing)}")

    import pandas as pd

    bookreel = Bookreel(options.url, options.key)
    market = bookreel.get(f"/v1/markets/by-slug/{urllib.parse.quote(options.slug, safe='')}")
    print(f"{market['question']}  ({market['matched_by']} match: {market['slug']})")

    end = pd.Timestamp.now("UTC").floor("s")
    start = end - pd.Timedelta(hours=options.hours)
    span = [moment.isoformat().replace("+00:00", "Z") for moment in (start, end)]
    quote = bookreel.get(
        f"/v1/markets/{market['market_id']}/snapshots",
        **{"from": span[0], "to": span[1], "side": options.side, "limit": 500, "dry_run": "true"},
    )
    print(f"{count(quote['rows'], 'row')} for {count(quote['credits'], 'credit')}, {count(len(quote['gaps']), 'gap')}")

    rows, gaps = bookreel.snapshots(market["market_id"], options.side, *span)
    if not rows:
        sys.exit("Nothing was recorded in this time range. Try another --slug or more --hours.")
    frame = pd.DataFrame(rows)
    frame["capture_timestamp"] = pd.to_datetime(frame["capture_timestamp"])
    frame = frame.set_index("capture_timestamp")
    jumps = frame["sequence_number"].diff().dropna()
    print(frame[["best_bid", "best_ask", "mid", "spread"]].describe().round(4))
    print(f"{int((jumps > 1).sum())} jumps in the sequence, {len(gaps)} gap records")
    if options.csv:
        frame.to_csv(options.csv)
    plot(frame, gaps, market, options)


def plot(frame, gaps, market, options):
    import matplotlib
    import pandas as pd

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(11, 6), height_ratios=[2, 1])
    above.plot(frame.index, frame["mid"], linewidth=0.9)
    above.fill_between(frame.index, frame["best_bid"], frame["best_ask"], alpha=0.25, linewidth=0)
    above.set_title(f"{market['question']} · {options.side}")
    above.set_ylabel("mid, bid to ask")
    below.plot(frame.index, frame["spread"], linewidth=0.9, color="tab:red")
    below.set_ylabel("spread")
    for gap in gaps:
        for axis in (above, below):
            axis.axvspan(pd.Timestamp(gap["from"]), pd.Timestamp(gap["to"]), color="grey", alpha=0.3)
    figure.autofmt_xdate()
    figure.tight_layout()
    figure.savefig(options.plot, dpi=120)
    print(f"plot: {options.plot}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
