// SPDX-License-Identifier: GPL-3.0-or-later

extension JSONForm {
  /// What JSON Schema (draft 2020-12) says of such a value. It must allow what later versions may
  /// add: members and, where words can grow, words.
  package var schema: JSON {
    switch self {
    case .text: ["type": "string"]
    case .number(let least):
      ["type": "integer", "minimum": least.map { .integer($0) } ?? .null]
    case .flag: ["type": "boolean"]
    case .flagOrNumber: ["type": ["boolean", "integer"]]
    case .map: ["type": "object", "additionalProperties": ["type": "string"]]
    case .one: ["const": .integer(1)]
    case .time:
      [
        "type": "string",
        "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
      ]
    case .person: ["$ref": "#/$defs/person"]
    case .conversation: ["$ref": "#/$defs/place"]
    case .sentence: ["$ref": "#/$defs/sentence"]
    case .word(let words): ["enum": .array(words.all.map { .text($0.word) })]
    case .growingWord(let words):
      ["type": "string", "examples": .array(words.all.map { .text($0.word) })]
    case .list(let form): ["type": "array", "items": form.schema]
    case .object(let members): members.schema(type: nil)
    }
  }
}

extension [JSONMember] {
  /// - Parameter type: the value of the member `type`; nil for an object without that member.
  package func schema(type: String?) -> JSON {
    var properties: [String: JSON] = [:]
    if let type { properties[JSONName.type.rawValue] = JSON.object(["const": .text(type)]) }
    for member in self { properties[member.name.rawValue] = member.form.schema }
    let required = (type == nil ? [] : [JSONName.type]) + filter(\.isAlways).map(\.name)
    return [
      "type": "object", "properties": .object(properties),
      "required": .array(required.map { .text($0.rawValue) }),
    ]
  }
}

extension JSON {
  /// The schema of lines with a member `type`. What it does not name is allowed.
  ///
  /// - Parameters:
  ///   - types: the names of types, each with what a line of that type must be.
  ///   - others: what a line without a type can be.
  package static func schema(
    _ title: String, _ definitions: [String: JSON], _ types: [(name: String, form: JSON)],
    besides others: [JSON] = []
  ) -> JSON {
    let rules: [JSON] = types.map { name, form in
      [
        "if": ["properties": ["type": ["const": .text(name)]], "required": ["type"]],
        "then": form,
      ]
    }
    return [
      "$schema": "https://json-schema.org/draft/2020-12/schema", "title": .text(title),
      "type": "object", "anyOf": .array(others + [["required": ["type"]]]),
      "allOf": .array(rules), "$defs": .object(definitions),
    ]
  }
}

extension JSONTable {
  /// The schema for the lines of an export and of commands with `--json`, in `share/hobnob/schema`.
  package static var schema: JSON {
    func any(_ forms: [JSON]) -> JSON { ["anyOf": .array(forms)] }
    func members(_ members: [JSONMember]) -> JSON { JSONForm.object(members).schema }
    var definitions: [String: JSON] = [
      "person": any([JSONForm.text.schema, members(networkPerson)]),
      "place": any([JSONForm.text.schema, members(networkRoom), members(chat)]),
      "sentence": any([
        JSONForm.text.schema, members(sentence), JSONForm.list(.sentence).schema,
      ]),
      "header": members(header),
    ]
    for type in types { definitions[type.name] = type.members.schema(type: type.name) }
    return JSON.schema(
      "A line of JSON that hobnob prints, as hobnob-json(5) explains it",
      definitions, types.map { ($0.name, ["$ref": .text("#/$defs/\($0.name)")]) },
      besides: [["$ref": "#/$defs/header"]])
  }
}
