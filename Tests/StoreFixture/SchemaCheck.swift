// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation

/// Compares lines with `share/hobnob/schema`, by Python's jsonschema.
package enum SchemaCheck {
  /// The repository's root.
  package static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  package static let file = root.appending(path: "share/hobnob/schema/export.json")

  /// Whether a file has this schema, as it would be written; it is if `HOBNOB_WRITE_SCHEMA` is set.
  package static func isWritten(_ schema: JSON, in file: URL = file) throws -> Bool {
    let value = try JSONSerialization.jsonObject(with: Data(schema.line.utf8))
    let made = try JSONSerialization.data(
      withJSONObject: value, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    let whole = made + Data("\n".utf8)
    if ProcessInfo.processInfo.environment["HOBNOB_WRITE_SCHEMA"] != nil {
      try whole.write(to: file)
    }
    return try Data(contentsOf: file) == whole
  }

  /// - Parameter strictly: whether to refuse members and words that the schema does not name.
  /// - Returns: what is wrong, with its line.
  package static func faults(
    of lines: [String], strictly: Bool = true, schema: URL = file
  ) throws -> [String] {
    let input = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try lines.joined(separator: "\n").write(to: input, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: input) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", script, schema.path, strictly ? "strictly" : "", input.path]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static let script = """
    import json, sys, jsonschema
    schema = json.load(open(sys.argv[1]))
    def narrow(node):
      if isinstance(node, dict):
        if "properties" in node and node.get("type") == "object":
          node["additionalProperties"] = False
        if "examples" in node: node["enum"] = node.pop("examples")
        for child in node.values(): narrow(child)
      elif isinstance(node, list):
        for child in node: narrow(child)
    if sys.argv[2]:
      for definition in schema["$defs"].values(): narrow(definition)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for line in open(sys.argv[3]):
      for error in validator.iter_errors(json.loads(line)):
        print(error.json_path + ": " + error.message[:200] + " in " + line[:300].strip())
        break
    """
}
