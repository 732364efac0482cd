// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  /// Requests of an account's owner that have no answer yet, oldest first.
  package func requests(of account: Account) throws -> [NetworkRequest] {
    try database.rows(
      """
      SELECT w.id, w.verb, w.target, w.person, w.text, w.count, w.secret,
        w.tried <> ifnull(a.holder, '') AS tried
      FROM request w JOIN account a ON a.id = w.account
      WHERE a.id = ? AND w.answer IS NULL ORDER BY w.id
      """, account.id, read: { NetworkRequest($0) }
    ).compactMap { $0 }
  }

  /// The answers to a participant's requests that arrived between two positions.
  func networkAnswers(
    after start: Int64, upTo end: Int64, for me: ID<Participant>
  ) throws -> [NetworkAnswer] {
    try database.rows(
      """
      SELECT w.id, w.verb, w.target, w.person, w.text, w.count, w.secret, 0 AS tried, w.answer,
        a.network
      FROM request w JOIN account a ON a.id = w.account AND a.owner = ?3
      WHERE w.change > ?1 AND w.change <= ?2 AND w.answer IS NOT NULL ORDER BY w.change
      """, start, end, me
    ) { row in
      NetworkRequest.init(row).map {
        NetworkAnswer(request: $0, network: row.text("network"), text: row.remark("answer"))
      }
    }.compactMap { $0 }
  }
}

extension Access where Mode: MayWrite {
  @discardableResult
  package func insert(
    _ verb: NetworkRequest.Verb, target: String, person: String = "", text: String = "",
    count: Int = 0, secret: String = "", of account: Account
  ) throws -> NetworkRequest {
    let now = clock()
    try database.run(
      "DELETE FROM request WHERE account = ? AND answer IS NOT NULL AND at < ?", account.id,
      now - NetworkRequest.answersStay)
    let id = try nextChange()
    try database.run(
      """
      INSERT INTO request(id, account, verb, target, person, text, count, secret, at, change)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?1)
      """, id, account.id, verb.rawValue, target, person, text, count, secret, now)
    return NetworkRequest(
      id: id, verb: verb, target: target, person: person, text: text, count: count, secret: secret)
  }

  /// Records the network's answer to a request; the first one counts. A line in the network's own
  /// language may have had a password.
  package func answer(_ request: NetworkRequest, of account: Account, _ text: Remark) throws {
    try database.run(
      """
      UPDATE request SET answer = ?, secret = '', change = ?,
        text = iif(verb = '\(NetworkRequest.Verb.line.rawValue)', '', text)
      WHERE id = ? AND account = ? AND answer IS NULL
      """,
      text, try nextChange(), request.id, account.id)
  }
}

extension DurableTransaction {
  /// Stores a request to an account's network; the bell wakes its process, if one runs.
  ///
  /// - Parameter secret: the password of a room; the store holds it until the network answers.
  /// - Returns: the request, whose answer will be in `Changes.answers`.
  /// - Throws: `RuleError.noSuchAccount`, `StoreError`.
  @discardableResult
  package func ask(
    _ verb: NetworkRequest.Verb, target: String = "", person: String = "", text: String = "",
    count: Int = 0, secret: String = "", of account: Account
  ) throws -> NetworkRequest {
    guard try self.account(network: account.network)?.id == account.id else {
      throw RuleError.noSuchAccount(account.network)
    }
    return try insert(
      verb, target: target, person: person, text: text, count: count, secret: secret, of: account)
  }
}

extension NetworkRequest {
  /// How long answers stay for slow shells, in milliseconds.
  fileprivate static let answersStay: Milliseconds = 24 * 3_600_000

  /// Nil for a request that only a later version knows.
  fileprivate init?(_ row: Row) {
    guard let verb = Verb(rawValue: row.text("verb")) else { return nil }
    self.init(
      id: row.int64("id"), verb: verb, target: row.text("target"), person: row.text("person"),
      text: row.text("text"), count: row.int("count"), secret: row.text("secret"),
      wasTried: row.optionalInt64("tried") == 1)
  }
}
