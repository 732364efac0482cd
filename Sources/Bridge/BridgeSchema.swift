// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Storage

extension BridgeTable {
  /// The schema for the lines of both sides, in `share/hobnob/schema`.
  package static var schema: JSON {
    var definitions: [String: JSON] = [:]
    var names: [String] = []
    var forms: [String: [JSON]] = [:]
    for (writer, types) in [("program", fromProgram), ("hobnob", fromHobnob)] {
      for type in types {
        let definition = "\(writer)-\(type.name)"
        definitions[definition] = type.members.schema(type: type.name)
        if forms[type.name] == nil { names.append(type.name) }
        forms[type.name, default: []].append(["$ref": .text("#/$defs/" + definition)])
      }
    }
    return JSON.schema(
      "A line between hobnob and the program of a network, as hobnob-bridge(7) explains it",
      definitions, names.map { ($0, ["anyOf": .array(forms[$0] ?? [])]) })
  }
}
