# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clients of others (mcp, fastmcp), for tests: each starts hobnob mcp and calls its tools.

usage: agents.py COMMAND [ARGUMENT...]

Each line of output is what a client saw, in JSON. One waits for a message, and says so first.
"""
import asyncio
import json
import os
import sys

import fastmcp
import mcp
from fastmcp.client.transports import StdioTransport
from mcp.client.stdio import stdio_client


def tell(*words):
    print(json.dumps(words), flush=True)


def content(result):
    return json.loads(result.content[0].text)


async def with_mcp(command, arguments):
    server = mcp.StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
    async with stdio_client(server) as streams, mcp.ClientSession(*streams) as session:
        await session.initialize()
        tell("tools", [tool.name for tool in (await session.list_tools()).tools])
        place = {"conversation": "lobby"}
        read = content(await session.call_tool("read_messages", place))
        tell("read", read["messages"])
        waiting = asyncio.create_task(session.call_tool(
            "wait_for_message", {"after": read["position"], "timeout": 50}))
        # Answered although the other call waits.
        await session.call_tool("mark_as_read", place)
        tell("waiting")
        found = content(await waiting)["messages"][0]
        tell("found", found)
        answer = {**place, "number": found["number"], "text": "yes, here"}
        tell("sent", content(await session.call_tool("reply_to_message", answer))["number"])
        refused = await session.call_tool("send_message", {"conversation": "den", "text": "x"})
        tell("refused", refused.content[0].text)


async def with_fastmcp(command, arguments):
    transport = StdioTransport(command=command, args=arguments, env=dict(os.environ))
    async with fastmcp.Client(transport) as client:
        await client.ping()
        listed = content(await client.call_tool("list_conversations"))
        tell("listed", listed["conversations"])
        place = {"conversation": "#lobby"}
        await client.call_tool("react_to_message", {**place, "number": 1, "emoji": "👍"})
        own = content(await client.call_tool("send_message", {**place, "text": "adn done"}))
        await client.call_tool(
            "edit_message", {**place, "number": own["number"], "text": "and done"})
        found = content(await client.call_tool("search_messages", {"query": "done"}))
        tell("search", found["messages"])
        try:
            await client.call_tool("edit_message", {**place, "number": 1, "text": "mine"})
        except fastmcp.exceptions.ToolError as problem:
            tell("refused", str(problem))


asyncio.run(with_mcp(sys.argv[1], sys.argv[2:]))
asyncio.run(with_fastmcp(sys.argv[1], sys.argv[2:]))
