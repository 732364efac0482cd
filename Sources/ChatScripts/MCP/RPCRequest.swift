// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A request of JSON-RPC 2.0, or a notification, which gets no answer.
struct RPCRequest {
  /// A text or a whole number; nil for a notification.
  let id: JSON?
  let method: String
  let params: JSON

  /// Nil for an answer: the server has asked nothing.
  ///
  /// - Parameter line: one JSON value.
  /// - Throws: ``RPCError`` for anything else; `StoreError`.
  init?(_ line: String, _ database: any Queries) throws {
    guard let value = try JSON(line, database) else {
      throw RPCError(code: .parseError, message: "The line is not JSON.")
    }
    guard case .object(let members) = value else {
      let reason = if case .array = value { "Batches are not supported." } else { "Not an object." }
      throw RPCError(code: .invalidRequest, message: reason)
    }
    id = members["id"]
    guard id == nil || id?.text != nil || id?.integer != nil else {
      throw RPCError(code: .invalidRequest, message: "id must be a string or an integer.")
    }
    if members["method"] == nil, members["result"] != nil || members["error"] != nil { return nil }
    guard let method = value["method"].text, value["jsonrpc"] == "2.0" else {
      throw RPCError(
        code: .invalidRequest, message: "A request needs jsonrpc \"2.0\" and a method.", id: id)
    }
    (self.method, params) = (method, members["params"] ?? [:])
    guard case .object = params else {
      throw RPCError(code: .invalidParams, message: "params must be an object.", id: id)
    }
  }
}

/// Why a request is wrong as JSON-RPC. What a tool refuses is a result instead.
struct RPCError: Error {
  enum Code: Int64 {
    case parseError = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
  }

  let code: Code
  let message: String
  /// The request; nil if it is unknown.
  var id: JSON?

  static let lineTooLong = RPCError(
    code: .invalidRequest, message: "The line has more than \(InputLines.longest) bytes.")
}

/// The answers to requests, as lines.
enum RPCAnswer {
  static func result(_ result: JSON, to id: JSON) -> String { line(id, "result", result) }

  static func error(_ error: RPCError) -> String {
    let object: JSON = ["code": .integer(error.code.rawValue), "message": .text(error.message)]
    return line(error.id ?? .null, "error", object)
  }

  // An object's line leaves out members that are null, and `id` may be.
  private static func line(_ id: JSON, _ name: String, _ value: JSON) -> String {
    "{\"jsonrpc\":\"2.0\",\"id\":\(id.line),\"\(name)\":\(value.line)}"
  }
}
