# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines that a network's program may write, as share/hobnob/schema/bridge.json has them; stricter
than hobnob, which skips what it does not know."""
import json
import os

import jsonschema

HERE = os.path.dirname(os.path.abspath(__file__))
OF_SOMEBODY = ("message", "edited", "deleted", "reaction")


def strict(schema):
    """The same schema, in which no object has members that are not named."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {name: strict(value) for name, value in schema.items()}
    if "properties" in schema:
        schema["additionalProperties"] = False
    return schema


def validators() -> dict:
    with open(os.path.join(HERE, "..", "..", "share", "hobnob", "schema", "bridge.json")) as file:
        definitions = json.load(file)["$defs"]
    return {name.removeprefix("program-"): jsonschema.Draft202012Validator(strict(form))
            for name, form in definitions.items() if name.startswith("program-")}


VALIDATORS = validators()


def faults(line) -> list[str]:
    """What is wrong with a line."""
    if not isinstance(line, dict) or line.get("type") not in VALIDATORS:
        return [f"no type: {line}"]
    found = [error.message for error in VALIDATORS[line["type"]].iter_errors(line)]
    if line["type"] in OF_SOMEBODY:
        if ("sender" in line) == bool(line.get("mine")):
            found.append("neither sender nor mine, or both")
        person = line.get("conversation", {}).get("person")
        if person and not line.get("mine") and line.get("sender") != person:
            found.append("a sender who is not the person of the direct chat")
    if line["type"] == "reaction" and ("emoji" in line) == ("all" in line):
        found.append("neither emoji nor all, or both")
    return [f"{fault} in {str(line)[:300]}" for fault in found]
