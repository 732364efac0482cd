// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import Sentences

@Suite("The user's languages")
struct CatalogueTests {
  @Test(
    "are English in the locale C, and without a locale",
    arguments: [
      [:], ["LC_ALL": "C"], ["LC_ALL": "POSIX"], ["LANG": "C.UTF-8"], ["LANG": ""],
      ["LC_ALL": "C", "LANG": "de_DE.UTF-8"], ["LC_MESSAGES": "C", "LANG": "de_DE.UTF-8"],
      ["LC_ALL": "C", "LANGUAGE": "de"], ["LANGUAGE": "de"], ["LANG": "en_GB.UTF-8"],
      ["LANG": "en"], ["LANG": "de_DE.UTF-8", "LANGUAGE": "en:de"],
      ["LANG": "de_DE.UTF-8", "LANGUAGE": "en_US"],
    ])
  func areEnglish(environment: [String: String]) {
    #expect(Catalogue.languages(environment) == [])
  }

  @Test(
    "are those of LANGUAGE, or the first locale that is set",
    arguments: [
      (["LANG": "de_DE.UTF-8"], ["de_DE.UTF-8"]),
      (["LC_ALL": "de_DE.UTF-8", "LANG": "ja_JP.UTF-8"], ["de_DE.UTF-8"]),
      (["LC_ALL": "", "LC_MESSAGES": "ja_JP.UTF-8", "LANG": "de_DE.UTF-8"], ["ja_JP.UTF-8"]),
      (["LC_ALL": "de_AT", "LANG": "C"], ["de_AT"]),
      (["LANG": "en_US.UTF-8", "LANGUAGE": "de"], ["de"]),
      (["LANG": "C.UTF-8", "LANGUAGE": "de"], ["de"]),
      (["LANG": "fr_FR.UTF-8", "LANGUAGE": "de:ja"], ["de", "ja"]),
      (["LANG": "fr_FR.UTF-8", "LANGUAGE": "de:en:ja"], ["de"]),
      (["LANG": "fr_FR.UTF-8", "LANGUAGE": ""], ["fr_FR.UTF-8"]),
    ])
  func areThoseWanted(environment: [String: String], languages: [String]) {
    #expect(Catalogue.languages(environment) == languages)
  }
}
