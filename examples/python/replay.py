#!/usr/bin/env python3
"""Print the recorded windows of a coin as JSON lines, in the frames of the live stream.

    python3 examples/python/replay.py --key br_live_… --coin BTC --timeframe 5m --minutes 30 > frames.ndjson

Needs the package websockets (`apt-get install python3-websockets`). The price is printed to standard error
first. `--speed 1` is real time; the default is as fast as possible.
"""

import argparse
import asyncio
import json
import os
import sys
import time

import websockets


async def reply_to(socket, number):
    """Wait for the reply to the command with this id."""
    async for text in socket:
        frame = json.loads(text)
        if frame["type"] in ("closing", "error"):
            sys.exit(f"{frame['code']}: {frame['message']}")
        if frame["type"] == "ack" and frame["id"] == number:
            for refused in frame.get("rejected", []):
                sys.exit(f"{refused['reason']}: {refused['message']}")
            return frame
    sys.exit("the connection closed before the reply; run the command again")


async def replay(options):
    async with websockets.connect(f"{options.url.replace('http', 'ws', 1)}/v1/stream", max_size=None) as socket:
        await socket.send(json.dumps({"id": 1, "op": "auth", "key": options.key}))
        now = int(time.time() * 1000)
        request = {
            "op": "replay",
            "selectors": [{"coin": options.coin, "timeframe": options.timeframe}],
            "channels": ["book"],
            "options": {"depth": options.depth},
            "from": now - int(options.minutes * 60_000),
            "to": now,
        }
        await socket.send(json.dumps({"id": 2, "dry_run": True, **request}))
        plan = (await reply_to(socket, 2))["replay"]
        print(f"{plan['rows']} rows of {plan['markets']} markets, at most {plan['credits']} credits", file=sys.stderr)
        if options.dry_run:
            return
        speed = options.speed if options.speed == "max" else float(options.speed)
        await socket.send(json.dumps({"id": 3, "speed": speed, **request}))
        await reply_to(socket, 3)
        async for text in socket:
            print(text)
            frame = json.loads(text)
            if frame["type"] == "replay_ended":
                return print(f"{frame['reason']}: {frame['rows']} rows, {frame['credits']} credits", file=sys.stderr)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--url", default=os.environ.get("BOOKREEL_URL", "http://127.0.0.1:8080"))
    arguments.add_argument("--key", default=os.environ.get("BOOKREEL_KEY"), required="BOOKREEL_KEY" not in os.environ)
    arguments.add_argument("--coin", default="BTC")
    arguments.add_argument("--timeframe", choices=["5m", "15m", "1h", "4h", "1d"], default="5m")
    arguments.add_argument("--minutes", type=float, default=30, help="length of the replay, which ends now")
    arguments.add_argument("--depth", type=int, default=5, help="levels per side")
    arguments.add_argument("--speed", default="max", help="multiple of real time, or max")
    arguments.add_argument("--dry-run", action="store_true", help="only print the price")
    try:
        asyncio.run(replay(arguments.parse_args()))
    except (OSError, websockets.ConnectionClosed) as error:
        sys.exit(f"the connection broke: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
