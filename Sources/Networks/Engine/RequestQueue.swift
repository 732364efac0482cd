// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Sentences

/// The shells' requests. After a lost connection, those without an answer are sent again.
package struct RequestQueue: Sendable {
  private enum State {
    case waiting, running
    /// It waits until the owner is in a room.
    case postponed
  }

  /// How many may wait.
  package static let most = 1_000

  private var list: [(request: NetworkRequest, state: State)] = []
  private var ended: [NetworkRequest.ID] = []

  package init() {}

  /// The answer to a request that the network may have got before the connection broke, or before
  /// another process ended.
  package static func doubt(about request: NetworkRequest) -> Remark {
    let verb = request.verb
    // The rest of a line in the network's own words may have a password.
    let words =
      verb == .line
      ? [request.text.prefix { $0 != " " } + " …"]
      : [request.target[...], request.person[...], request.text[...]]
    let command = (["/" + verb.command[...]] + words.filter { !$0.isEmpty }).joined(separator: " ")
    return filled(("The connection broke, and “%1” may have arrived.", [command]))
  }

  /// - Returns: the answers to the requests that were refused, because the queue is full or because
  ///   the network may have got them from another process.
  package mutating func add(_ new: [NetworkRequest]) -> [NetworkEvent] {
    var answers: [NetworkEvent] = []
    for request in new where !ended.contains(request.id) && index(of: request) == nil {
      if request.wasTried, request.verb.speaks {
        _ = end(request)
        answers.append(.answered(request, Self.doubt(about: request)))
      } else if list.count >= Self.most {
        let sentence: Remark = translated(
          "There are too many requests at once. Try again in a moment.")
        answers.append(.answered(request, sentence))
      } else {
        list.append((request, .waiting))
      }
    }
    return answers
  }

  private func index(of request: NetworkRequest) -> Int? {
    list.firstIndex { $0.request.id == request.id }
  }

  package mutating func next() -> NetworkRequest? {
    guard let index = list.firstIndex(where: { $0.state == .waiting }) else { return nil }
    list[index].state = .running
    return list[index].request
  }

  /// - Returns: whether it had not ended yet.
  package mutating func end(_ request: NetworkRequest) -> Bool {
    let index = index(of: request)
    if let index { list.remove(at: index) }
    if index != nil || !ended.contains(request.id) { ended.append(request.id) }
    if ended.count > Self.most { ended.removeFirst(Self.most / 2) }
    return index != nil
  }

  /// Lets a request wait for a room.
  package mutating func postpone(_ request: NetworkRequest) {
    if let index = index(of: request) { list[index].state = .postponed }
  }

  /// Makes the requests that waited for a room ready for another try.
  package mutating func resume() {
    for index in list.indices where list[index].state == .postponed {
      list[index].state = .waiting
    }
  }

  /// Begins all requests anew, since the connection is gone.
  package mutating func restart() {
    for index in list.indices { list[index].state = .waiting }
  }
}
