#!/usr/bin/env python3
"""Print the live book of a coin's current window, line by line, and reconnect when the connection breaks.

    python3 examples/python/stream.py --coin BTC --timeframe 5m

Needs the package websockets (`pip install websockets`) and a key of the tier pro or higher. After a reconnect it
resumes from the last received slot; slots that cannot be resumed are reported as a gap.
"""

import argparse
import asyncio
import datetime
import json
import os
import sys

try:
    import websockets
except ImportError:
    websockets = None


async def frames(url, key, selector, depth):
    """Yield every book frame and every gap once, in order."""
    last_seq, pause = {}, 1
    while True:
        try:
            async with websockets.connect(f"{url.replace('http', 'ws', 1)}/v1/stream", max_size=None) as socket:
                await socket.send(json.dumps({"id": 1, "op": "auth", "key": key}))
                request = {"selectors": [selector], "channels": ["book"], "options": {"depth": depth}}
                command = {"op": "resume", "since": last_seq} if last_seq else {"op": "subscribe"}
                await socket.send(json.dumps({"id": 2, **command, **request}))
                async for text in socket:
                    frame = json.loads(text)
                    if frame["type"] in ("closing", "error") and not frame.get("reconnect"):
                        sys.exit(f"{frame['code']}: {frame['message']}")
                    for refused in frame.get("rejected", []):
                        sys.exit(f"{refused['reason']}: {refused['message']}")
                    if frame["type"] == "gap":
                        yield frame
                    elif frame["type"] == "snapshot" and frame["seq"] > last_seq.get(frame["market"], 0):
                        # Only the current window needs to be resumed.
                        last_seq, pause = {frame["market"]: frame["seq"]}, 1
                        yield frame
        except (websockets.InvalidURI, websockets.InvalidHandshake) as error:
            sys.exit(f"{url} is not an address of Bookreel ({error}). Check --url.")
        except (OSError, websockets.ConnectionClosed) as error:
            if not last_seq and isinstance(error, OSError):
                sys.exit(f"{url} can't be reached ({error}). Check --url, or start the service: npm run dev")
            print(f"the connection broke ({error or 'closed'}), reconnecting in {pause} s", file=sys.stderr)
        await asyncio.sleep(pause)
        pause = min(30, pause * 2)


def line(frame):
    if frame["type"] == "gap":
        return f"gap: {frame['kind']} {frame['from_seq']} to {frame['to_seq']}, {frame['cause']}"
    at = datetime.datetime.fromtimestamp(frame["captured_at"] / 1000, datetime.timezone.utc)
    (bid, bid_size), (ask, ask_size) = (frame["up"][side][0] if frame["up"][side] else (None, 0) for side in ("bids", "asks"))
    spot = frame["spot"]["price"] if frame.get("spot") else "–"
    proof = next((flag.removesuffix("_up") for flag in frame["flags"] if flag.endswith("verified_up")), "")
    return f"{at:%H:%M:%S.%f}"[:-3] + f"  {frame['seq']}  {bid_size:>9} @ {bid} | {ask} @ {ask_size:<9}  spot {spot}  {proof}"


async def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--url", default=os.environ.get("BOOKREEL_URL", "http://127.0.0.1:8080"), help="address of the service (default: BOOKREEL_URL)")
    arguments.add_argument("--key", default=os.environ.get("BOOKREEL_KEY"), required="BOOKREEL_KEY" not in os.environ, help="API key (default: BOOKREEL_KEY)")
    arguments.add_argument("--coin", default="BTC", help="BTC, ETH, … (default: BTC)")
    arguments.add_argument("--timeframe", choices=["5m", "15m", "1h", "4h", "1d"], default="5m")
    arguments.add_argument("--count", type=int, help="stop after this number of frames")
    options = arguments.parse_args()
    if websockets is None:
        sys.exit("This example needs websockets: pip install websockets")
    count = 0
    async for frame in frames(options.url, options.key, {"coin": options.coin, "timeframe": options.timeframe}, depth=5):
        print(line(frame), flush=True)
        count += 1
        if count == options.count:
            return


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        sys.exit(130)
