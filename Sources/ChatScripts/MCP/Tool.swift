// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// A tool that an agent can call: what a model reads about it, and what it does.
@MainActor
struct Tool {
  enum Answer {
    case result(JSON)
    /// The answer comes later.
    case wait(MessageWait)
  }

  let name: String
  /// For models, and so always in English.
  let description: String
  /// Whether it sends something to others, which is limited.
  var sends = false
  /// Whether it changes nothing.
  var onlyReads = false
  var parameters: [ToolParameter] = []
  let run: (Agent, ToolArguments) throws -> Answer

  /// The object of `tools/list`.
  var object: JSON {
    let required = parameters.filter(\.isRequired).map { JSON.text($0.name.rawValue) }
    return [
      "name": .text(name), "description": .text(description),
      "inputSchema": [
        "type": "object",
        "properties": .members(
          Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, $0.schema) })),
        "required": required.isEmpty ? .null : .array(required),
        "additionalProperties": .flag(false),
      ],
      "annotations": [
        "readOnlyHint": .flag(onlyReads), "destructiveHint": .flag(false),
        "openWorldHint": .flag(false),
      ],
    ]
  }
}

struct ToolParameter {
  enum Form {
    case text, flag
    case number(ClosedRange<Int64>)
  }

  let name: JSONName
  let form: Form
  var isRequired = false
  let help: String

  fileprivate var schema: JSON {
    switch form {
    case .text: ["type": "string", "description": .text(help)]
    case .flag: ["type": "boolean", "description": .text(help)]
    case .number(let range):
      [
        "type": "integer", "description": .text(help), "minimum": .integer(range.lowerBound),
        "maximum": range.upperBound == .max ? .null : .integer(range.upperBound),
      ]
    }
  }

  fileprivate func check(_ value: JSON) throws {
    switch form {
    case .text where value.text != nil, .flag where value.flag != nil: return
    case .number(let range) where value.integer.map(range.contains) == true: return
    case .text: throw Refusal(say("%1 must be a text.", word))
    case .flag: throw Refusal(say("%1 must be true or false.", word))
    case .number(let range):
      throw Refusal(
        range.upperBound == .max
          ? say("%1 must be a whole number.", word)
          : say(
            "%1 must be a whole number from %2 to %3.", word, SafeText(Int(range.lowerBound)),
            SafeText(Int(range.upperBound))))
    }
  }

  fileprivate var word: SafeText { SafeText(line: name.rawValue) }
}

/// What a call of a tool passes to it.
struct ToolArguments {
  private let values: JSON

  /// - Throws: ``Refusal`` for arguments that the tool does not take.
  @MainActor init(_ values: JSON, for tool: Tool) throws {
    self.values = values
    guard case .object(let members) = values else {
      throw RPCError(code: .invalidParams, message: "arguments must be an object.")
    }
    for name in members.keys.sorted()
    where !tool.parameters.contains(where: { $0.name.rawValue == name }) {
      throw Refusal(
        say("%1 takes no argument %2.", SafeText(line: tool.name), SafeText(line: name)))
    }
    for parameter in tool.parameters {
      let value = values[parameter.name]
      if value != .null {
        try parameter.check(value)
      } else if parameter.isRequired {
        throw Refusal(
          say("%1 needs the argument %2.", SafeText(line: tool.name), parameter.word))
      }
    }
  }

  /// Empty without the argument.
  func text(_ name: JSONName) -> String { values[name].text ?? "" }
  func number(_ name: JSONName) -> Int? { values[name].integer.map { Int($0) } }
  func isSet(_ name: JSONName) -> Bool { values[name].flag ?? false }
  func has(_ name: JSONName) -> Bool { values[name] != .null }
}
