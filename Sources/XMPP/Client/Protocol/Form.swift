// SPDX-License-Identifier: GPL-3.0-or-later

// Data forms (XEP-0004).
extension Element {
  /// Makes a filled-in form.
  static func form(_ type: String, _ fields: [(name: String, value: String)]) -> Element {
    Element(
      "x", namespace: Feature.forms, ["type": "submit"],
      children: ([("FORM_TYPE", type)] + fields).map { name, value in
        Element(
          "field", namespace: Feature.forms, ["var": name],
          children: [Element("value", namespace: Feature.forms, text: value)])
      })
  }

  /// In a form, the value of a field; nil if it has none.
  func formValue(_ field: String) -> String? {
    children.first { $0.name == "field" && $0["var"] == field }?.first("value", Feature.forms)?.text
  }
}
