// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import OMEMO

/// Publishes the keys of this device, and the device in the lists of its account.
struct KeyPublisher: Sendable {
  /// When this connection published the keys of this device; nil if it has not.
  private var publishedAt: Milliseconds?
  /// The lists of the account's devices that are known, so that adding to them loses none.
  private var known: Set<OMEMOVersion> = []
  /// How often this connection has published a list: two programs must not fight for ever.
  private var listsPublished: [OMEMOVersion: Int] = [:]
  /// Nodes that had to be opened to everybody first.
  private var configured: Set<String> = []

  /// Publishes the keys of this device, and completes the lists, once everything that was sent
  /// meanwhile has been read: until then, messages may need the old ones.
  mutating func publish(
    _ book: inout KeyBook, _ library: OMEMOLibrary, in context: inout ClientContext
  ) {
    guard publishedAt == nil || !book.usedPreKeys.isEmpty else { return }
    if let last = publishedAt, context.clock.time - last < Limits.keyPause {
      return context.clock.set(.keys, in: Limits.keyPause)
    }
    publishedAt = context.clock.time
    var own = book.own
    for id in book.usedPreKeys { own.preKeys[id] = nil }
    let (made, now) = ((try? own.signedPreKeyTime(library)) ?? 0, UInt64(context.clock.wall))
    if now >= made + Limits.signedPreKeyStays {
      guard (try? own.renewSignedPreKey(library, time: now)) != nil else { return }
    }
    guard (try? own.refill(library)) != nil else { return }
    book.set(own)
    // The newer version first: whoever asks in between should find that.
    for version in OMEMOVersion.allCases.reversed() {
      guard let bundle = try? own.bundle(version, library) else { continue }
      let (node, item) = version.bundlePlace(of: own.id)
      send(bundle.element, to: node, item, in: &context)
      completeList(version, of: &book, in: &context)
    }
  }

  /// Notes that the account's list of devices is known, so that it can be changed.
  mutating func noteKnown(_ version: OMEMOVersion) { known.insert(version) }

  /// Publishes a list of the account's devices that has this one.
  mutating func completeList(
    _ version: OMEMOVersion, of book: inout KeyBook, in context: inout ClientContext
  ) {
    let account = context.owner.account
    guard publishedAt != nil, known.contains(version), listsPublished[version, default: 0] < 3
    else { return }
    let listed = book.lists[account]?[version] ?? []
    if listed.contains(book.own.id) { return }
    listsPublished[version, default: 0] += 1
    // Leave out the devices that the owner has removed, and the one that a restored file replaced.
    let devices = listed.filter {
      book.identities[KeyBook.Device(account: account, number: $0)]?.trust != .refused
    }
    publish(devices.union([book.own.id]), version, of: &book, in: &context)
  }

  /// Removes a device from the lists of the account.
  func remove(_ device: UInt32, from book: inout KeyBook, in context: inout ClientContext) {
    for version in OMEMOVersion.allCases where known.contains(version) {
      guard let listed = book.lists[context.owner.account]?[version], listed.contains(device)
      else { continue }
      publish(listed.subtracting([device]), version, of: &book, in: &context)
    }
  }

  private func publish(
    _ devices: Set<UInt32>, _ version: OMEMOVersion, of book: inout KeyBook,
    in context: inout ClientContext
  ) {
    book.set(devices, of: context.owner.account, version)
    send(version.list(devices), to: version.listNode, "current", in: &context)
  }

  private func send(
    _ payload: Element, to node: String, _ item: String, in context: inout ClientContext
  ) {
    let publish = Element(
      "publish", namespace: Feature.publishing, ["node": node],
      children: [
        Element("item", namespace: Feature.publishing, ["id": item], children: [payload])
      ])
    context.sendIQ(
      "set",
      Element(
        "pubsub", namespace: Feature.publishing,
        children: [
          publish,
          Element(
            "publish-options", namespace: Feature.publishing,
            children: [.form(Feature.publishingOptions, Self.options(of: node))]),
        ]), .keysPublished(node: node, publish))
  }

  private static func options(of node: String) -> [(name: String, value: String)] {
    // In version 2, one node has the keys of all devices.
    [("pubsub#persist_items", "true"), ("pubsub#access_model", "open")]
      + (node == OMEMOVersion.two.bundlePlace(of: 0).node ? [("pubsub#max_items", "max")] : [])
  }

  /// Opens a node to everybody if the server refuses the options, and publishes once more.
  mutating func finish(
    _ node: String, _ publish: Element, _ answer: IQRequest.Answer, in context: inout ClientContext
  ) {
    guard case .error(let error) = answer,
      ["conflict", "precondition-not-met", "bad-request"].contains(error.condition),
      configured.insert(node).inserted
    else { return }
    context.sendIQ(
      "set",
      Element(
        "pubsub", namespace: Feature.publishingOwner,
        children: [
          Element(
            "configure", namespace: Feature.publishingOwner, ["node": node],
            children: [.form(Feature.publishingConfiguration, Self.options(of: node))])
        ]), .keysPublished(node: node, Element("")))
    context.sendIQ(
      "set", Element("pubsub", namespace: Feature.publishing, children: [publish]),
      .keysPublished(node: node, Element("")))
  }
}
