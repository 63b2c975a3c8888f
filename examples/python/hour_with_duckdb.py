#!/usr/bin/env python3
"""Download one finished hour of a market as a Parquet file, verify its hash, and query it with DuckDB.

    python3 examples/python/hour_with_duckdb.py --key "$BOOKREEL_KEY_SCALE"

Needs Python 3.11 and duckdb (`pip install duckdb`), and a key of the tier scale or enterprise. Without --market it
takes the newest finished one-hour window of Bitcoin. Prints the price first, resumes a broken download, and is not
charged twice for the same hour. A file that is already complete is not downloaded again.
"""

import argparse
import datetime
import hashlib
import importlib.util
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

# The file of an hour is available five minutes after the end of the hour.
FINISHED_AFTER = datetime.timedelta(minutes=5)


class Bookreel:
    def __init__(self, url, key):
        self.url, self.key = url.rstrip("/"), key

    def open(self, path, parameters, **headers):
        """Return the open response; end the program with the message of the service when it refuses."""
        address = f"{self.url}{path}?{urllib.parse.urlencode(parameters)}"
        request = urllib.request.Request(address, headers={"X-API-Key": self.key, **headers})
        try:
            return urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            sys.exit(refusal(error))
        except UnicodeError:
            sys.exit("--key or --url contains characters that are not allowed there. Copy them again.")
        except OSError as error:
            sys.exit(f"{self.url} can't be reached ({getattr(error, 'reason', error)}). Check --url, or start the service: npm run dev")

    def get(self, path, **parameters):
        with self.open(path, parameters) as answer:
            return json.load(answer)


def refusal(error):
    """The code and the message of an error answer."""
    try:
        body = json.load(error)
        return f"{body['error']}: {body['message']}"
    except (ValueError, KeyError, TypeError):
        return f"status {error.code} from {error.url}, which is not an answer of Bookreel. Check --url."


def newest_finished(bookreel):
    """Return the newest one-hour window of Bitcoin whose file is available, and its hour."""
    now = datetime.datetime.now(datetime.timezone.utc)
    listed = bookreel.get("/v1/markets/history", crypto="BTC", timeframe="1h", status="closed", limit=100)
    for market in listed["markets"]:
        end = datetime.datetime.fromisoformat(market["end_date"])
        if end + FINISHED_AFTER < now:
            return market, (end - datetime.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    sys.exit("No one-hour window of Bitcoin is finished yet. Choose another market with --market and --hour.")


def is_complete(path, expected):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == expected


def download(bookreel, path, parameters, file_name):
    """Resume an earlier attempt."""
    have = os.path.getsize(file_name) if os.path.exists(file_name) else 0
    # The hash of the service tells whether the file on disk is a part of this one, or complete.
    with bookreel.open(path, parameters, Range="bytes=0-0") as answer:
        expected, total = answer.headers["X-Sha256"], int(answer.headers["Content-Range"].split("/")[1])
    if have == total and is_complete(file_name, expected):
        return print(f"{file_name} is already complete")
    resumes = 0 < have < total
    with bookreel.open(path, parameters, **({"Range": f"bytes={have}-"} if resumes else {})) as answer:
        with open(file_name, "ab" if answer.status == 206 else "wb") as file:
            while piece := answer.read(1 << 20):
                file.write(piece)
    if not is_complete(file_name, expected):
        os.remove(file_name)
        sys.exit(f"{file_name} was damaged or of another hour, and is deleted. Run the command again.")
    print(f"{file_name}: {total} bytes, hash verified")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--url", default=os.environ.get("BOOKREEL_URL", "http://127.0.0.1:8080"), help="address of the service (default: BOOKREEL_URL)")
    arguments.add_argument("--key", default=os.environ.get("BOOKREEL_KEY"), required="BOOKREEL_KEY" not in os.environ, help="API key (default: BOOKREEL_KEY)")
    arguments.add_argument("--market", help="slug or condition id; needs --hour")
    arguments.add_argument("--hour", help="start of a finished hour, e.g. 2026-11-15T12:00:00Z; needs --market")
    arguments.add_argument("--file", default="hour.parquet", help="file to write (default: hour.parquet)")
    options = arguments.parse_args()
    if (options.market is None) != (options.hour is None):
        arguments.error("--market and --hour are given together")
    if importlib.util.find_spec("duckdb") is None:
        sys.exit("This example needs duckdb: pip install duckdb")

    bookreel = Bookreel(options.url, options.key)
    if options.market is None:
        market, hour = newest_finished(bookreel)
    else:
        market, hour = bookreel.get(f"/v1/markets/by-slug/{urllib.parse.quote(options.market, safe='')}"), options.hour
    path, parameters = f"/v1/markets/{market['market_id']}/export", {"hour": hour}
    quote = bookreel.get(path, **parameters, dry_run="true")
    print(f"{market['slug']}, hour {hour}: {quote['rows']} rows for {quote['credits']} credit{'' if quote['credits'] == 1 else 's'}")
    download(bookreel, path, parameters, options.file)

    import duckdb

    duckdb.sql(f"CREATE VIEW snapshots AS SELECT * FROM read_parquet('{options.file}')")
    duckdb.sql("""
        SELECT side, date_trunc('minute', capture_timestamp) AS minute,
          count(*) AS snapshots, avg(mid) AS mid, avg(spread) AS spread, max(spread) AS widest
        FROM snapshots GROUP BY ALL ORDER BY minute, side
    """).show()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
