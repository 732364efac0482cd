// SPDX-License-Identifier: GPL-3.0-or-later
import ProsodyFixture

/// Rooms full of invented people, provided by a component of the server itself. Whoever enters one
/// of them is told of everybody in it.
enum Crowd {
  static let size = 5_000
  static let domain = "throng." + Prosody.domain
  static let plugin = "crowd"

  /// Lines for the server's configuration.
  static let settings = """
    Component "\(domain)" "\(plugin)"

    """

  /// The component, a module of Prosody.
  static let text = """
    local st = require "util.stanza";
    local info = "http://jabber.org/protocol/disco#info";
    local muc = "http://jabber.org/protocol/muc";

    local function presence(from, to, number, status)
      local stanza = st.presence({ from = from, to = to })
        :tag("occupant-id", { xmlns = "urn:xmpp:occupant-id:0",
          id = "an-id-as-long-as-those-of-prosody-" .. number }):up()
        :tag("x", { xmlns = muc .. "#user" })
          :tag("item", { affiliation = "none", role = "participant" }):up();
      if status then stanza:tag("status", { code = status }):up(); end
      return stanza;
    end

    module:hook("presence/full", function (event)
      local origin, entering = event.origin, event.stanza;
      local nick, person = entering.attr.to, entering.attr.from;
      if entering.attr.type or not entering:get_child("x", muc) then return true; end
      local room = nick:match("^[^/]*");
      for number = 1, \(size) do
        origin.send(presence(room .. "/guest" .. number, person, room:sub(1, 8) .. number));
      end
      origin.send(presence(nick, person, room:sub(1, 8) .. 0, "110"));
      origin.send(st.message({ type = "groupchat", from = room, to = person })
        :text_tag("subject", "Crowd"));
      return true;
    end, 10);

    module:hook("iq-get/bare/" .. info .. ":query", function (event)
      local answer = st.reply(event.stanza):tag("query", { xmlns = info })
        :tag("identity", { category = "conference", type = "text" }):up();
      for _, feature in ipairs({ muc, "urn:xmpp:occupant-id:0", info }) do
        answer:tag("feature", { var = feature }):up();
      end
      event.origin.send(answer);
      return true;
    end, 10);
    """
}
