// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform
import StyledText

/// What the program of a network answers when it runs for a moment, and the shared libraries that it
/// needs of the system. hobnob itself needs none.
extension NetworkPrograms {
  /// How the program describes its sandbox.
  ///
  /// - Returns: nil if it could not be run, or failed.
  /// - Throws: a ``Refusal`` that says which shared library the system lacks.
  package static func sandbox(of program: String) throws(Refusal) -> String? {
    guard let (status, line) = answer(of: program, to: ["--sandbox"]) else { return nil }
    if status == 0 { return line }
    if let reason = missingLibrary(line, of: program) { throw Refusal(reason) }
    return nil
  }

  /// The address of a new account as its network writes it.
  ///
  /// - Parameter kind: as in `xmpp`.
  /// - Throws: a ``Refusal`` if the network has no such address, or its program cannot run.
  package func address(_ written: String, on kind: String) throws -> String {
    let program = try path(of: kind)
    guard let (status, line) = Self.answer(of: program, to: ["--address", written]),
      !line.isEmpty
    else { throw Refusal(say("%1 could not be run.", SafeText(line: program))) }
    if status == 0 { return line }
    throw Refusal(Self.missingLibrary(line, of: program) ?? SafeText(line: line))
  }

  /// Runs the program with these words.
  ///
  /// - Returns: the status of waitpid(2) and the first line of what it writes to standard output or
  ///   error; nil if it could not be started.
  private static func answer(
    of program: String, to words: [String]
  ) -> (status: Int32, line: String)? {
    guard let pipe = ChildProcess.pipe() else { return nil }
    let process = ChildProcess.start(
      [program] + words, input: .null, output: .descriptor(pipe.writing),
      errors: .descriptor(pipe.writing))
    close(pipe.writing)
    let bytes = (try? readAll(pipe.reading) { $0 < 4096 }) ?? []
    close(pipe.reading)
    guard let process else { return nil }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return (status, String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self))
  }

  /// Why the program could not start; nil if that was not for want of a library.
  package static func missingLibrary(of program: String) -> SafeText? {
    do throws(Refusal) {
      _ = try sandbox(of: program)
      return nil
    } catch {
      return error.sentence
    }
  }

  /// Says in a sentence what the dynamic loader complains of.
  ///
  /// - Parameter complaint: its first line (ld.so(8)), which it never translates.
  static func missingLibrary(_ complaint: String, of program: String) -> SafeText? {
    let name = SafeText(line: StoreFiles.split(program).name)
    let text = complaint[...]
    if let library = text.part(after: "error while loading shared libraries: ", before: ":") {
      return say(
        "%1 needs %2, which is not installed; in Debian, the package %3 has it.", name,
        SafeText(line: library), SafeText(line: debianPackage(of: library)))
    }
    if let version = text.part(after: ": version `", before: "'") {
      return say(
        "%1 needs %2; the libraries of this system are too old.", name,
        SafeText(line: version))
    }
    return nil
  }

  /// Debian's package of a shared library: mostly its name and version, with a hyphen between two
  /// digits (Debian Policy 8.1).
  private static func debianPackage(of library: String) -> String {
    switch library {
    case "libcares.so.2": return "libc-ares2"
    case "libcrypto.so.3": return "libssl3"
    default: break
    }
    guard let dot = library.firstRange(of: ".so.") else { return library }
    let name = library[..<dot.lowerBound].lowercased().map { $0 == "_" ? "-" : $0 }
    let hyphen = name.last?.isNumber == true ? "-" : ""
    return String(name) + hyphen + library[dot.upperBound...]
  }
}

extension Substring {
  /// The part between the first `start` and the next `end`; nil if either is missing.
  fileprivate func part(after start: String, before end: String) -> String? {
    guard let first = firstRange(of: start) else { return nil }
    let rest = self[first.upperBound...]
    return rest.firstRange(of: end).map { String(rest[..<$0.lowerBound]) }
  }
}
