// SPDX-License-Identifier: GPL-3.0-or-later

/// A text for a person that is kept before it is shown: hobnob's own sentences, which whoever shows
/// them translates, and quotations of others, which stay as they are.
///
/// ```swift
/// let why: Remark = filled(("removed by %1: %2", ["anna", "spam"]))
/// why.text  // "entfernt von anna: spam", in a German shell
/// ```
///
/// Two remarks are equal if they read the same.
public struct Remark: Sendable {
  package indirect enum Part: Sendable {
    case quotation(String)
    /// The key of a sentence, and the remarks that replace its placeholders.
    case sentence(Key, [Remark])
  }

  /// An English sentence; if it depends on a number, in both forms.
  package struct Key: Sendable {
    package var other: String
    package var one: String?
    package var count: Int

    package init(other: String, one: String? = nil, count: Int = 0) {
      (self.other, self.one, self.count) = (other, one, count)
    }
  }

  package var parts: [Part]

  package init(_ parts: [Part]) { self.parts = parts }

  /// What others wrote, or a value; none if it is empty.
  public init(_ quotation: String) { parts = quotation.isEmpty ? [] : [.quotation(quotation)] }

  public var isEmpty: Bool { parts.isEmpty }

  /// In graphemes: what others wrote may be long, and a sentence may repeat it.
  private static let longestArgument = 10_000

  /// The text in the language of this process's user.
  public var text: String {
    parts.map { part in
      switch part {
      case .quotation(let text): text
      case .sentence(let key, let arguments):
        filled(translated(key), arguments.map { String($0.text.prefix(Self.longestArgument)) })
      }
    }.joined()
  }

  public static func + (left: Remark, right: Remark) -> Remark { Remark(left.parts + right.parts) }
  public static func += (left: inout Remark, right: Remark) { left.parts += right.parts }
}

extension Remark: Hashable {
  public static func == (left: Remark, right: Remark) -> Bool { left.text == right.text }
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Remark: ExpressibleByStringInterpolation, CustomStringConvertible {
  public init(stringLiteral quotation: String) { self.init(quotation) }
  public var description: String { text }
}

extension Sequence<Remark> {
  public func joined(separator: Remark = "") -> Remark {
    var result: Remark?
    for each in self { result = result.map { $0 + separator + each } ?? each }
    return result ?? ""
  }

  /// The remarks as a list, such as “anna, ben”.
  public func joinedAsList() -> Remark {
    // Side by side, not each inside the next: what is stored is only a few sentences deep.
    joined(separator: filled(("%1, %2", ["", ""])))
  }
}

/// What replaces a placeholder: a remark, or a quotation.
public protocol RemarkArgument: Sendable {
  var remark: Remark { get }
}

extension Remark: RemarkArgument {
  public var remark: Remark { self }
}

extension String: RemarkArgument {
  public var remark: Remark { Remark(self) }
}

// `filled` and `translated` make remarks where one is wanted.

@_disfavoredOverload
public func filled(_ sentence: Sentence) -> Remark {
  filled(translated(sentence.key) as Remark, sentence.arguments)
}

/// A sentence, from `translated`, with its arguments inserted.
@_disfavoredOverload
public func filled(_ sentence: Remark, _ arguments: [any RemarkArgument]) -> Remark {
  let arguments = arguments.map(\.remark)
  return Remark(
    sentence.parts.map { part in
      if case .sentence(let key, _) = part { .sentence(key, arguments) } else { part }
    })
}

@_disfavoredOverload
public func translated(_ english: StaticString) -> Remark {
  Remark([.sentence(Remark.Key(other: english.description), [])])
}

@_disfavoredOverload
public func translated(_ one: StaticString, _ other: StaticString, count: Int) -> Remark {
  Remark([
    .sentence(Remark.Key(other: other.description, one: one.description, count: count), [])
  ])
}
