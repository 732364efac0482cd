// SPDX-License-Identifier: GPL-3.0-or-later
import CExpat
import Glibc
import Sentences

/// Reads one stream (RFC 6120, 4) from its bytes. The same bytes give the same events, however they
/// are split. Each stream needs a new reader.
///
/// It trusts nobody: anything too long, too deep or not allowed in XMPP ends the stream. After the
/// login (`skips`), it skips a stanza beyond the limits instead, since anybody may have sent it,
/// and the server would deliver it again on the next connection.
final class XMLReader {
  enum Event: Hashable, Sendable {
    /// The stream's header, with its attributes.
    case opened([String: String])
    case element(Element)
    /// A stanza beyond the limits was skipped: its name, its attributes if its start tag was within
    /// the limits, and its size.
    case skipped(Element, bytes: Int)
    /// The beginning of a long list (`Namespace.lists`), as a separate answer; `element` brings its
    /// end.
    case part(Element)
    /// The other side has ended the stream; this is the last event.
    case closed
    /// The stream cannot be read any further; this is the last event.
    case failed(XMLFault)
  }

  struct Limits: Sendable {
    /// Bytes of a stanza, which may hold an encrypted text of a megabyte; also bytes up to the end of a stream's header.
    var bytes = 3 << 19
    /// Depth of nested elements, counting the stanza itself.
    var depth = 64
    /// Attributes of one element.
    var attributes = 64
  }

  /// Whether to skip a stanza beyond the limits and to report a long list in parts; otherwise the
  /// stream ends there.
  var skips = false

  private let limits: Limits
  /// How many times as long as the limit a skipped stanza may be: it takes no memory, but an
  /// endless one would block all others.
  private static let longestSkipped = 64
  private var parser: OpaquePointer
  private var scanner = StanzaScanner()
  private var events: [Event] = []
  private var isOver = false
  /// The elements that are open, the stanza first.
  private var open: [Element] = []
  private var text = ""
  private var isInStream = false
  /// The bytes up to the end of the stream's header, for the next parser.
  private var header: [UInt8] = []
  /// How many bytes the parser got, and how many of them it has finished.
  private var fed = 0
  private var handled = 0
  /// The stanza that is being skipped, and its bytes so far.
  private var skipped: Element?
  private var skippedBytes = 0

  init(limits: Limits = Limits()) {
    self.limits = limits
    parser = Self.makeParser()
    prepareParser()
  }

  private static func makeParser() -> OpaquePointer {
    guard let parser = XML_ParserCreateNS("UTF-8", XML_Char(bitPattern: separator)) else {
      fatalError("out of memory")
    }
    return parser
  }

  private func prepareParser() {
    cexpat_report_at_once(parser)
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser, { reader($0).begin($1, $2) }, { data, _ in reader(data).end() })
    XML_SetCharacterDataHandler(parser) { reader($0).read(text: $1, count: Int($2)) }
    XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in reader(data).fail(.docType) }
    XML_SetCommentHandler(parser) { data, _ in reader(data).fail(.comment) }
    XML_SetProcessingInstructionHandler(parser) { data, _, _ in
      reader(data).fail(.processingInstruction)
    }
    XML_SetXmlDeclHandler(parser) { data, _, encoding, _ in
      if let encoding, String(cString: encoding).lowercased() != "utf-8" {
        reader(data).fail(.otherEncoding)
      }
    }
  }

  deinit { XML_ParserFree(parser) }

  /// Returns what the next bytes complete. After `closed` and `failed` it ignores them.
  func read(_ bytes: some Collection<UInt8>) -> [Event] {
    Array(bytes).withUnsafeBufferPointer { bytes in
      var rest = bytes
      while !isOver, !rest.isEmpty {
        let (count, isEnd) = scanner.read(rest)
        take(UnsafeBufferPointer(rebasing: rest.prefix(count)), isEnd: isEnd)
        rest = UnsafeBufferPointer(rebasing: rest.dropFirst(count))
      }
    }
    defer { events = [] }
    return events
  }

  /// Reads bytes of at most one stanza.
  ///
  /// - Parameter isEnd: whether the stanza ends with these bytes.
  private func take(_ bytes: UnsafeBufferPointer<UInt8>, isEnd: Bool) {
    var rest = bytes
    while !isOver, skipped == nil, !rest.isEmpty {
      // The parser never gets more of a stanza than the limit, however the bytes are split.
      let room = handled + limits.bytes - fed
      guard room > 0 else {
        giveUp(.tooLong(limit: limits.bytes), open.first ?? scanner.stanza)
        break
      }
      feed(UnsafeBufferPointer(rebasing: rest.prefix(room)))
      rest = UnsafeBufferPointer(rebasing: rest.dropFirst(room))
    }
    if let skipped { skip(skipped, rest.count, isEnd: isEnd) }
  }

  private func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
    fed += bytes.count
    if !isInStream { header += bytes }
    let status = bytes.withMemoryRebound(to: CChar.self) {
      XML_Parse(parser, $0.baseAddress, Int32($0.count), 0)
    }
    if isOver || skipped != nil || status == XML_STATUS_OK { return }
    let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
    fail(.notXML(reason ?? ""))
  }

  // MARK: - what the parser calls

  /// Separates a namespace from a name; XML cannot contain this byte. expat writes no separator if
  /// there is no namespace.
  private static let separator: UInt8 = 1

  private func begin(
    _ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    if isOver || skipped != nil { return }
    let (namespace, name) = Self.parts(of: name, inherited: open.last?.namespace)
    let known = namespace == Namespace.client ? "" : namespace ?? Namespace.none
    var values: [String: String] = [:]
    var index = 0
    while let key = attributes?[index], let value = attributes?[index + 1] {
      index += 2
      if index / 2 > limits.attributes {
        // Some attributes would be missing, so the stanza gets none: without `to` or `type`, `from`
        // would mislead.
        let stanza = isInStream ? open.first ?? Element(name, namespace: known) : nil
        return giveUp(.tooManyAttributes(limit: limits.attributes), stanza)
      }
      let (namespace, key) = Self.parts(of: key)
      switch namespace {
      case nil: values[key] = String(cString: value)
      case "http://www.w3.org/XML/1998/namespace": values["xml:" + key] = String(cString: value)
      // No extension that we know has attributes in a namespace; without it, this would be another
      // attribute.
      default: break
      }
    }
    if !isInStream {
      guard name == "stream", namespace == Namespace.streams else { return fail(.notAStream) }
      isInStream = true
      handled = position
      events.append(.opened(values))
      return
    }
    if open.count >= limits.depth { return giveUp(.tooDeep(limit: limits.depth), open.first) }
    endText()
    open.append(Element(name, namespace: known, values))
  }

  private func end() {
    if isOver || skipped != nil { return }
    endText()
    guard let element = open.popLast() else {
      isOver = true
      events.append(.closed)
      XML_StopParser(parser, XML_Bool(XML_FALSE))
      return
    }
    if open.isEmpty {
      handled = position
      events.append(.element(element))
      // The same bytes may also contain stanzas that the session missed.
      if element.name == "resumed", element.namespace == Namespace.acknowledgements { skips = true }
    } else {
      open[open.count - 1].add(element)
      tellPart()
    }
  }

  /// Reports what has arrived of a long list, and forgets it.
  private func tellPart() {
    guard skips, open.count == 2, position - handled > limits.bytes / 16, open[0].name == "iq",
      open[0].namespace.isEmpty, open[0]["type"] == "result",
      Namespace.lists.contains(open[1].namespace)
    else { return }
    handled = position
    var part = open[0]
    part.add(open[1])
    open[1].nodes = []
    events.append(.part(part))
  }

  private func read(text bytes: UnsafePointer<CChar>?, count: Int) {
    if isOver || skipped != nil { return }
    let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
    if open.isEmpty {
      // Servers send white space to see whether we are still there (RFC 6120, 4.6.1).
      guard bytes.allSatisfy({ [0x09, 0x0A, 0x0D, 0x20].contains($0) }) else {
        return fail(.textBetweenStanzas)
      }
      handled = position
    } else {
      text += String(decoding: bytes, as: UTF8.self)
    }
  }

  private func endText() {
    if text.isEmpty { return }
    if !open.isEmpty { open[open.count - 1].nodes.append(.text(text)) }
    text = ""
  }

  /// The byte where the current event ends.
  private var position: Int {
    Int(XML_GetCurrentByteIndex(parser)) + Int(XML_GetCurrentByteCount(parser))
  }

  // MARK: - skipping

  /// Skips the rest of a stanza. If skipping is off or no stanza has begun, ends the stream.
  private func giveUp(_ fault: XMLFault, _ stanza: Element?) {
    guard skips, isInStream, let stanza else { return fail(fault) }
    skipped = Element(stanza.name, namespace: stanza.namespace, stanza.attributes)
    skippedBytes = fed - handled
    XML_StopParser(parser, XML_Bool(XML_FALSE))
  }

  private func skip(_ stanza: Element, _ count: Int, isEnd: Bool) {
    skippedBytes += count
    let most = Self.longestSkipped * limits.bytes
    if let fault = scanner.fault { return fail(fault) }
    if skippedBytes > most { return fail(.tooLong(limit: most)) }
    guard isEnd else { return }
    skipped = nil
    events.append(.skipped(stanza, bytes: skippedBytes))
    startAnew()
  }

  /// Makes a new parser, as if the next stanza were the first after the stream's header.
  private func startAnew() {
    XML_ParserFree(parser)
    parser = Self.makeParser()
    prepareParser()
    let (opening, reported) = (header, events)
    (header, open, text, isInStream, fed, handled) = ([], [], "", false, 0, 0)
    opening.withUnsafeBufferPointer { feed($0) }
    events = reported
  }

  private func fail(_ fault: XMLFault) {
    if isOver { return }
    isOver = true
    open = []
    text = ""
    events.append(.failed(fault))
    XML_StopParser(parser, XML_Bool(XML_FALSE))
  }

  /// Bytes of the longest namespace that matters here.
  private static let longestNamespace = 255

  /// A namespace is written once and applies to everything inside, so its copies take more memory
  /// than what was sent: a long one would fill the memory.
  ///
  /// - Parameter inherited: the namespace around it, whose memory is shared.
  private static func parts(
    of name: UnsafePointer<CChar>?, inherited: String? = nil
  ) -> (namespace: String?, name: String) {
    guard let name else { return (nil, "") }
    guard let end = strchr(name, Int32(separator)) else { return (nil, String(cString: name)) }
    let bytes = UnsafeRawBufferPointer(start: name, count: UnsafePointer(end) - name)
    let own = String(cString: end + 1)
    if bytes.count > longestNamespace { return (Namespace.none, own) }
    if let inherited, inherited.utf8.elementsEqual(bytes) { return (inherited, own) }
    return (String(decoding: bytes, as: UTF8.self), own)
  }
}

private func reader(_ data: UnsafeMutableRawPointer?) -> XMLReader {
  guard let data else { fatalError("the parser has lost its reader") }
  return Unmanaged<XMLReader>.fromOpaque(data).takeUnretainedValue()
}
