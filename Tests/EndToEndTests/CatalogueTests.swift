// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

extension EndToEnd {
  @Suite("The catalogues of translations")
  struct CatalogueTests {
    private static var template: CatalogueFile {
      get throws { CatalogueFile(try Repository.text(of: "share/locale/hobnob.pot")) }
    }

    @Test("the template has every sentence of the sources, and no other")
    func templateIsUpToDate() throws {
      let root = Repository.root.path
      let finished = try Program(
        ["python3", root + "/.ci/extract-sentences"],
        environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
      ).finish()
      try #require(finished.status == 0, "\(finished.errors)")
      let (there, wanted) = (try Self.template.sentences, CatalogueFile(finished.output).sentences)
      try #require(wanted.count > 1000)
      func keys(_ entries: [CatalogueFile.Entry]) -> Set<[String]> {
        Set(entries.map { [$0.english, $0.plural ?? ""] })
      }
      let difference = keys(there).symmetricDifference(keys(wanted))
      #expect(difference.isEmpty, "run .ci/extract-sentences > share/locale/hobnob.pot")
    }

    @Test(
      "the template has sentences of each form, and none that is not for people",
      arguments: [
        "%1 is typing", "The host %1 cannot be found (%2).", "“%1” is missing", "empty the line",
        "there is no message %1 here", "the web server took too long",
        "%1: %2 of %3 rows recovered",
        "The server refuses the login (%1): “%2”.", "nobody else may read or write %1",
        "what a completed emoji becomes: the emoji, or its name between colons",
        "seconds before \"typing\" expires; 0 means never",
      ])
    func templateHas(english: String) throws {
      let all = try Self.template.sentences.map(\.english)
      #expect(all.contains { $0.hasPrefix(english) })
      let others: Set = ["iq", "message", "presence", "image/png", ""]
      #expect(others.isDisjoint(with: all))
    }

    @Test("each catalogue is complete and fits the sentences", arguments: CatalogueFile.languages)
    func catalogueIsComplete(language: String) throws {
      let path = "share/locale/\(language).po"
      let checked = try Program(
        ["msgfmt", "--check", "-o", "/dev/null", Repository.root.path + "/" + path],
        environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
      ).finish()
      #expect(checked.status == 0, "\(checked.errors)")
      let faults = CatalogueFile(try Repository.text(of: path)).faults(for: try Self.template)
      #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }

    /// A heading, and a translation of a sentence or of the forms for a count.
    private static func catalogue(_ entry: String) -> CatalogueFile {
      CatalogueFile(
        """
        msgid ""
        msgstr ""
        "Content-Type: text/plain; charset=UTF-8\\n"
        "Plural-Forms: nplurals=2; plural=(n != 1);\\n"

        \(entry)
        """)
    }

    @Test(
      "each fault of a catalogue is found",
      arguments: [
        ("msgid \"%1 of %2\"\nmsgstr \"%2, %1\"", nil),
        ("msgid \"%1 of %2\"\nmsgstr \"\"\n\"%2, \"\n\"%1\"", nil),
        ("msgid \"%1 of %2\"\nmsgstr \"\"", "empty"),
        ("msgid \"%1 of %2\"\nmsgstr \"%1\"", "placeholders"),
        ("msgid \"%1 of %2\"\nmsgstr \"%1 %2 %3\"", "placeholders"),
        ("#, fuzzy\nmsgid \"%1 of %2\"\nmsgstr \"%2, %1\"", "fuzzy"),
        ("#~ msgid \"%1 of %2\"\n#~ msgstr \"%2, %1\"", "missing"),
        ("msgid \"%1 in %2\"\nmsgstr \"%2, %1\"", "not in the program"),
        ("msgid \"%1 of %2\"\nmsgstr \" %2, %1\"", "blanks"),
        ("msgid \"%1 of %2\"\nmsgstr \"%2, %1\\n\"", "blanks"),
        ("msgid \"%1 of %2\"\nmsgstr \"%2, \u{1B}[31m%1\"", "control characters"),
        ("msgid \"%1 of %2\"\nmsgstr \"%1 und noch viel mehr %2\"", "columns"),
        ("msgid \"%1 of %2\"\nmsgstr \"漢字漢字漢字漢字漢%1%2\"", "columns"),
      ] as [(String, String?)])
    func findsFaults(entry: String, fault: String?) {
      let template = CatalogueFile(
        "#. Translators: in a table, at most 20 columns.\nmsgid \"%1 of %2\"\nmsgstr \"\"")
      let faults = Self.catalogue(entry).faults(for: template)
      #expect(fault.map { fault in faults.contains { $0.contains(fault) } } ?? faults.isEmpty)
    }

    @Test(
      "each fault of the forms for a count is found",
      arguments: [
        ("msgstr[0] \"eine Datei\"\nmsgstr[1] \"%1 Dateien\"", nil),
        ("msgstr[0] \"%1 Datei\"\nmsgstr[1] \"%1 Dateien\"", nil),
        ("msgstr[0] \"eine Datei\"\nmsgstr[1] \"mehrere\"", "placeholders"),
        ("msgstr[0] \"%1 Dateien\"", "forms"),
        ("msgstr[0] \"eine Datei\"\nmsgstr[1] \"\"", "empty"),
      ] as [(String, String?)])
    func findsFaultsOfForms(forms: String, fault: String?) {
      let heading = "msgid \"1 file\"\nmsgid_plural \"%1 files\"\n"
      let template = CatalogueFile(heading + "msgstr[0] \"\"\nmsgstr[1] \"\"")
      let faults = Self.catalogue(heading + forms).faults(for: template)
      #expect(fault.map { fault in faults.contains { $0.contains(fault) } } ?? faults.isEmpty)
    }
  }
}
