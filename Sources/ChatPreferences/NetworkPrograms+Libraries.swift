// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform
import StyledText

/// Runs the program of a network to ask it one question (`--sandbox`, `--example`, `--address`,
/// `--option`), and
/// says which shared library the system lacks if the program cannot start. hobnob itself needs
/// none.
extension NetworkPrograms {
  /// How the program describes its sandbox.
  ///
  /// - Parameter patience: milliseconds after which a program that does not answer is killed.
  /// - Returns: nil if it could not be run, or failed.
  /// - Throws: a ``Refusal`` that says which shared library the system lacks.
  package static func sandbox(
    of program: String, patience: Int64 = patience
  ) throws(Refusal) -> String? {
    guard let answer = answer(of: [program, "--sandbox"], within: patience) else { return nil }
    if answer.status == 0 { return answer.line }
    if let reason = missingLibrary(answer.complaint, of: program) { throw Refusal(reason) }
    return nil
  }

  /// Says which shared library the system lacks although the program can do some work without it;
  /// nil if it lacks none.
  package static func lackingLibrary(of program: String) -> SafeText? {
    guard let answer = answer(of: [program, "--sandbox"]), answer.status == 0 else { return nil }
    return missingLibrary(answer.complaint, of: program)
  }

  /// An address on each network as a person adds it, with the name of the network if there are
  /// several, and whether its program can register accounts.
  package func examples() -> [(address: String, isRegistered: Bool)] {
    let kinds = kinds
    return kinds.map { kind in
      let answer = (try? command(kind, ["--example"])).flatMap { Self.answer(of: $0) }
      let words =
        answer?.status == 0 ? answer?.line.split(separator: " ").map(String.init) ?? [] : []
      return (
        (kinds.count > 1 ? kind + ":" : "") + (words.first ?? "you@example.org"),
        words.isEmpty || words.contains("register")
      )
    }
  }

  /// The address of a new account as its network writes it.
  ///
  /// - Parameter kind: the kind of network, such as `xmpp`.
  /// - Throws: a ``Refusal`` if the network has no such address, or its program cannot run.
  package func address(_ written: String, on kind: String) throws -> String {
    try checked(["--address", written], on: kind)
  }

  /// The value of an account's option as its network stores it.
  ///
  /// - Parameters:
  ///   - name: not one of `AccountSettings.common`.
  ///   - kind: the kind of network, such as `xmpp`.
  /// - Throws: a ``Refusal`` if the network has no such option, the option cannot have this value,
  ///   or the network's program cannot run.
  package func storedOption(_ name: String, _ value: String, on kind: String) throws -> String {
    try checked(["--option", name, value], on: kind)
  }

  private func checked(_ words: [String], on kind: String) throws -> String {
    let command = try command(kind, words)
    let (program, answer) = (command[0], Self.answer(of: command))
    if let answer, answer.status == 0, !answer.line.isEmpty { return answer.line }
    guard let complaint = answer?.complaint, !complaint.isEmpty else {
      throw Refusal(say("%1 could not be run.", SafeText(line: program)))
    }
    throw Refusal(Self.missingLibrary(complaint, of: program) ?? SafeText(line: complaint))
  }

  /// A program's answer: the status of waitpid(2), and the first line each of its standard output
  /// and its standard error.
  private typealias ProgramAnswer = (status: Int32, line: String, complaint: String)

  /// Milliseconds after which a program that does not answer is killed.
  package static let patience: Int64 = 10_000

  /// Runs a program.
  ///
  /// - Returns: nil if it could not be started.
  private static func answer(
    of command: [String], within patience: Int64 = patience
  ) -> ProgramAnswer? {
    guard let output = ChildProcess.pipe() else { return nil }
    guard let errors = ChildProcess.pipe() else {
      close(output.reading)
      close(output.writing)
      return nil
    }
    let process = ChildProcess.start(
      command, input: .null, output: .descriptor(output.writing),
      errors: .descriptor(errors.writing))
    close(output.writing)
    close(errors.writing)
    let end = Clock.steady() + patience
    let lines = [output.reading, errors.reading].map { descriptor in
      defer { close(descriptor) }
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if let process, poll(&ready, 1, Int32(clamping: max(0, end - Clock.steady()))) == 0 {
        kill(process, SIGKILL)
      }
      let bytes = (try? readAll(descriptor) { $0 < 4096 }) ?? []
      return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    }
    guard let process else { return nil }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return (status, lines[0], lines[1])
  }

  /// Says which missing library kept the program from starting; nil if none did.
  package static func missingLibrary(of program: String) -> SafeText? {
    do throws(Refusal) {
      _ = try sandbox(of: program)
      return nil
    } catch {
      return error.sentence
    }
  }

  /// The dynamic loader's complaint as a sentence; nil if it is not about a library.
  ///
  /// - Parameter complaint: the first line that ld.so(8) printed, which is always in English.
  static func missingLibrary(_ complaint: String, of program: String) -> SafeText? {
    let name = SafeText(line: StoreFiles.split(program).name)
    let text = complaint[...]
    if let library = text.part(after: "error while loading shared libraries: ", before: ":") {
      return say(
        "%1 needs %2, which is not installed; in Debian, the package %3 has it.", name,
        SafeText(line: library), SafeText(line: packages[library] ?? library))
    }
    if let version = text.part(after: ": version `", before: "'") {
      return say(
        "%1 needs %2; the libraries of this system are too old.", name,
        SafeText(line: version))
    }
    return nil
  }

  /// Debian's packages of the shared libraries that the programs need.
  private static let packages = [
    "libcares.so.2": "libc-ares2", "libcrypto.so.3": "libssl3", "libcurl.so.4": "libcurl4",
    "libexpat.so.1": "libexpat1", "libgcc_s.so.1": "libgcc-s1", "libnettle.so.8": "libnettle8",
    "libomemo-c.so.0": "libomemo-c0",
    "libseccomp.so.2": "libseccomp2", "libsqlite3.so.0": "libsqlite3-0", "libssl.so.3": "libssl3",
    "libstdc++.so.6": "libstdc++6",
  ]
}

extension Substring {
  /// The part between the first `start` and the next `end`; nil if either is missing.
  fileprivate func part(after start: String, before end: String) -> String? {
    guard let first = firstRange(of: start) else { return nil }
    let rest = self[first.upperBound...]
    return rest.firstRange(of: end).map { String(rest[..<$0.lowerBound]) }
  }
}
