#!/usr/bin/env python3
"""Print the recorded windows of a coin as JSON lines, in the frames of the live stream.

    python3 examples/python/replay.py --coin BTC --timeframe 5m --minutes 30 > frames.ndjson

Needs the package websockets (`pip install websockets`) and a key of the tier pro or higher. The price is printed to standard error
first. `--speed 1` is real time; the default is as fast as possible.
"""

import argparse
import asyncio
import json
import os
import sys
import time

try:
    import websockets
except ImportError:
    websockets = None


def count(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def speed(text):
    """Check a speed before the connection is opened."""
    if text != "max" and not 0.1 <= float(text) <= 1000:
        raise ValueError
    return text if text == "max" else float(text)


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
        print(f"{count(plan['rows'], 'row')} of {count(plan['markets'], 'market')}, at most {count(plan['credits'], 'credit')}", file=sys.stderr)
        if options.dry_run:
            return
        await socket.send(json.dumps({"id": 3, "speed": options.speed, **request}))
        await reply_to(socket, 3)
        async for text in socket:
            print(text)
            frame = json.loads(text)
            if frame["type"] == "replay_ended":
                return print(f"{frame['reason']}: {count(frame['rows'], 'row')}, {count(frame['credits'], 'credit')}", file=sys.stderr)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--url", default=os.environ.get("BOOKREEL_URL", "http://127.0.0.1:8080"), help="address of the service (default: BOOKREEL_URL)")
    arguments.add_argument("--key", default=os.environ.get("BOOKREEL_KEY"), required="BOOKREEL_KEY" not in os.environ, help="API key (default: BOOKREEL_KEY)")
    arguments.add_argument("--coin", default="BTC", help="BTC, ETH, … (default: BTC)")
    arguments.add_argument("--timeframe", choices=["5m", "15m", "1h", "4h", "1d"], default="5m")
    arguments.add_argument("--minutes", type=float, default=30, help="length of the replay, which ends now")
    arguments.add_argument("--depth", type=int, default=5, help="levels per side")
    arguments.add_argument("--speed", type=speed, default="max", help="0.1 to 1000 times real time, or max (default)")
    arguments.add_argument("--dry-run", action="store_true", help="only print the price")
    options = arguments.parse_args()
    if websockets is None:
        sys.exit("This example needs websockets: pip install websockets")
    try:
        asyncio.run(replay(options))
    except BrokenPipeError:
        # The reader of the output has ended; without this, Python complains when it flushes the output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, websockets.InvalidURI, websockets.InvalidHandshake) as error:
        sys.exit(f"{options.url} can't be reached ({error}). Check --url, or start the service: npm run dev")
    except websockets.ConnectionClosed as error:
        sys.exit(f"The connection broke ({error}). Run the command again.")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
