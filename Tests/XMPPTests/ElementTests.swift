// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import XMPP

struct ElementTests {
  @Test func isWrittenWithItsNamespacesOnceAndNothingThatCouldBeMarkup() {
    let message = Element(
      "message", ["to": "ben@example.org", "id": "<'\"&>"],
      children: [
        Element("body", text: "a < b & c\u{1}\r\n"),
        Element("active", namespace: "urn:x", children: [Element("inner", namespace: "urn:x")]),
      ])
    #expect(
      message.xml()
        == "<message id='&lt;&apos;&quot;&amp;&gt;' to='ben@example.org'>"
        + "<body>a &lt; b &amp; c\u{FFFD}&#13;\n</body>"
        + "<active xmlns='urn:x'><inner/></active></message>")
  }

  @Test func anAddressIsBareAndFullAndRefusesWhatIsNone() {
    #expect(Address("Anna@Example.org/Phone")?.description == "anna@example.org/Phone")
    #expect(Address("room@muc.example/a b@c/d")?.bare.description == "room@muc.example")
    for wrong in ["", "@example.org", "anna@", "a b@c", "anna@x/", "a@b@c", "a<b@c"] {
      #expect(Address(wrong) == nil, "\(wrong)")
    }
  }

  @Test func theAddressOfAnAccountHasAUserAndNoResource() {
    #expect(accountAddress("Anna@Example.ORG") == "anna@example.org")
    for wrong in ["", "example.org", "@example.org", "anna@example.org/phone", "an na@x"] {
      #expect(accountAddress(wrong) == nil, "\(wrong)")
    }
  }
}
