#!/usr/bin/env python3
"""Download one finished hour of a market as a Parquet file, verify its hash, and query it with DuckDB.

    pip install duckdb
    python3 examples/python/hour_with_duckdb.py --key br_live_… --market 0x… --hour 2026-11-15T12:00:00Z

The key must belong to the scale or enterprise tier. Prints the price first, resumes a broken
download, and is not charged twice for the same hour.
"""

import argparse
import hashlib
import json
import os
import sys
import urllib.parse
import urllib.request


def request(url, key, **headers):
    return urllib.request.urlopen(urllib.request.Request(url, headers={"X-API-Key": key, **headers}), timeout=60)


def download(url, key, path):
    """Resume an earlier attempt. Returns the hash stated by the service."""
    have = os.path.getsize(path) if os.path.exists(path) else 0
    with request(url, key, **({"Range": f"bytes={have}-"} if have else {})) as answer:
        with open(path, "ab" if answer.status == 206 else "wb") as file:
            while piece := answer.read(1 << 20):
                file.write(piece)
        return answer.headers["X-Sha256"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--url", default="http://127.0.0.1:8080")
    arguments.add_argument("--key", required=True)
    arguments.add_argument("--market", required=True, help="condition id")
    arguments.add_argument("--hour", required=True, help="start of a finished hour, e.g. 2026-11-15T12:00:00Z")
    arguments.add_argument("--file", default="hour.parquet")
    options = arguments.parse_args()

    query = urllib.parse.urlencode({"hour": options.hour})
    address = f"{options.url}/v1/markets/{options.market}/export?{query}"
    with request(f"{address}&dry_run=true", options.key) as answer:
        quote = json.load(answer)
    print(f"{quote['rows']} rows for {quote['credits']} credits")
    expected = download(address, options.key, options.file)
    with open(options.file, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        sys.exit(f"{options.file} is damaged: SHA-256 {found} instead of {expected}. Delete the file and run again.")
    print(f"{options.file}: {os.path.getsize(options.file)} bytes, hash verified")

    import duckdb

    duckdb.sql(f"CREATE VIEW snapshots AS SELECT * FROM read_parquet('{options.file}')")
    duckdb.sql("""
        SELECT side, date_trunc('minute', capture_timestamp) AS minute,
          count(*) AS snapshots, avg(mid) AS mid, avg(spread) AS spread, max(spread) AS widest
        FROM snapshots GROUP BY ALL ORDER BY minute, side
    """).show()


if __name__ == "__main__":
    main()
