// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import ProsodyFixture

/// InspIRCd with Anope's services: what the large networks of today offer.
///
/// ```swift
/// let server = try InspIRCd()   // anna and ben have accounts
/// let peer = try IRCPeer(server.port, "ben", account: "ben")
/// ```
public final class InspIRCd: IRCServer, @unchecked Sendable {
  public struct Options: Sendable {
    /// Limits of a public network: lines wait, and a client that sends too many is disconnected.
    public var limitsFloods = false
    /// `ascii` or `rfc1459`.
    public var casemapping = "rfc1459"
    /// Says that clients must use TLS: for how many seconds.
    public var strictTransport: Int?
    /// SASL and NickServ, by Anope.
    public var hasServices = true
    /// Who has an account.
    public var people = ["anna", "ben"]
    /// Modules that it does not load, such as `ircv3_labeledresponse` or `ircv3_echomessage`.
    public var without: [String] = []
    /// Modules that it loads as well, such as `cloaking`.
    public var with: [String] = []
    /// More lines for its configuration.
    public var settings = ""

    public init() {}
  }

  private let options: Options
  private let services: Services?

  public init(_ options: Options = Options(), certificates: Certificates? = nil) throws {
    self.options = options
    services = options.hasServices ? try Services(options) : nil
    try super.init("inspircd", ports: 3, certificates: certificates)
    services?.server = ports[2]
    command = [
      IRCPackage.inspircd.folder + "/usr/sbin/inspircd", "--nofork", "--config",
      folder + "/inspircd.conf",
    ]
    try write(configuration, to: "inspircd.conf")
    try start()
  }

  override public func start() throws {
    try super.start()
    guard let services else { return }
    try services.start()
    let limit = Date(timeIntervalSinceNow: 30)
    while true {
      let socket = try LineSocket(port)
      socket.send("CAP LS 302")
      if try socket.line().contains("PLAIN") { return }
      if limit.timeIntervalSinceNow < 0 { throw ServerFailure("no services: \(services.log)") }
      usleep(10_000)
    }
  }

  override public func stop() {
    services?.kill()
    super.stop()
  }

  override public func kill() {
    services?.kill()
    super.kill()
  }

  override public var log: String { read("inspircd.log") }
  /// What the services have logged.
  public var servicesLog: String { services?.log ?? "" }

  private static let modules = [
    "banexception", "banredirect", "blockcolor", "botmode", "callerid", "cap", "cban",
    "chanhistory", "chghost", "chgident", "chgname", "customprefix", "globops", "hidechans",
    "hostchange", "inviteexception", "ircv3", "ircv3_accounttag", "ircv3_batch",
    "ircv3_capnotify", "ircv3_chghost", "ircv3_ctctags", "ircv3_echomessage",
    "ircv3_invitenotify", "ircv3_labeledresponse", "ircv3_msgid", "ircv3_servertime", "knock",
    "monitor", "namesx", "redirect", "remove", "sajoin", "sakick", "samode", "sanick", "sapart",
    "saquit", "sasl", "services_account", "servprotect", "setname", "spanningtree",
    "ssl_gnutls", "sslinfo", "stripcolor", "svshold", "topiclock", "uhnames",
  ]

  /// The configuration is like XML.
  private static var escapedPassword: String {
    password.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing(">", with: "&gt;")
  }

  private var configuration: String {
    var modules = Self.modules.filter { !options.without.contains($0) }
    modules += options.with + (options.strictTransport == nil ? [] : ["ircv3_sts"])
    let flood =
      options.limitsFloods
      ? #"fakelag="yes" commandrate="1000" threshold="10" recvq="8K""#
      : #"fakelag="no" commandrate="100000000" threshold="1000000" recvq="1M""#
    let sts = options.strictTransport.map {
      #"<sts host="*" duration="\#($0)s" port="\#(securePort)">"#
    }
    return modules.map { "<module name=\"\($0)\">\n" }.joined() + """
      <server name="\(Self.name)" description="tests" network="Hobnob">
      <path configdir="\(folder)" datadir="\(folder)" logdir="\(folder)" runtimedir="\(folder)"
        moduledir="\(IRCPackage.inspircd.folder)/usr/lib/inspircd/modules">
      <admin name="tests" nick="tests" email="tests@hobnob.test">
      <sslprofile name="tls" provider="gnutls" certfile="\(certificate.certificate)"
        keyfile="\(certificate.key)" hash="sha256" requestclientcert="yes">
      <bind address="127.0.0.1" port="\(port)" type="clients">
      <bind address="127.0.0.1" port="\(securePort)" type="clients" sslprofile="tls">
      <bind address="127.0.0.1" port="\(ports[2])" type="servers">
      <connect allow="*" timeout="60" pingfreq="120" hardsendq="16M" softsendq="16M"
        localmax="10000" globalmax="10000" maxchans="1000" maxconnwarn="no"
        resolvehostnames="no" useident="no" \(flood)>
      <performance softlimit="12800" clonesonconnect="no" somaxconn="1024">
      <options casemapping="\(options.casemapping)" splitwhois="no" defaultmodes="not">
      <log method="file" type="* -USERINPUT -USEROUTPUT" level="default" target="inspircd.log">
      <pid file="\(folder)/inspircd.pid">
      <ctctags allowclientonlytags="yes">
      <chanhistory maxlines="50" prefixmsg="no">
      <customprefix name="founder" letter="q" prefix="~" rank="50000" ranktoset="50000">
      <customprefix name="admin" letter="a" prefix="&amp;" rank="40000" ranktoset="50000">
      <customprefix name="halfop" letter="h" prefix="%" rank="20000" ranktoset="30000">
      <sasl target="\(Services.name)" requiressl="no">
      <class name="all" commands="*" privs="*" usermodes="*" chanmodes="*" snomasks="*">
      <type name="all" classes="all">
      <oper name="\(Self.operatorName)" password="\(Self.escapedPassword)" host="*@*" type="all">
      <link name="\(Services.name)" ipaddr="127.0.0.1" port="\(ports[2])" sendpass="link"
        recvpass="link" allowmask="127.0.0.0/8">
      <uline server="\(Services.name)" silent="yes">
      \(sts ?? "")
      \(options.settings)

      """
  }
}

/// Anope, linked to an InspIRCd.
private final class Services: LoopbackServer, @unchecked Sendable {
  static let name = "services.hobnob.test"
  private let options: InspIRCd.Options
  /// The port that it links to.
  var server: UInt16 = 0

  init(_ options: InspIRCd.Options) throws {
    self.options = options
    try super.init("anope", ports: 0)
    let package = IRCPackage.anope.folder
    command = [
      package + "/usr/sbin/anope", "--nofork", "--confdir=" + folder, "--config=services.conf",
      "--dbdir=" + folder, "--logdir=" + folder, "--modulesdir=\(package)/usr/lib/anope",
      "--localedir=" + folder,
    ]
    let secret = Data(IRCServer.password.utf8).base64EncodedString()
    let accounts = options.people.map {
      """
      OBJECT NickCore
      ID \($0)
      DATA display \($0)
      DATA pass plain:\(secret)
      END
      OBJECT NickAlias
      DATA nick \($0)
      DATA nc \($0)
      DATA time_registered 1700000000
      DATA last_seen 1700000000
      END

      """
    }
    try write("VERSION 1\nEND\n" + accounts.joined(), to: "anope.db")
  }

  override func start() throws {
    try write(configuration, to: "services.conf")
    try super.start()
  }

  var log: String { read("output") }

  private var configuration: String {
    func block(_ name: String, _ values: [(String, String)]) -> String {
      name + " { " + values.map { "\($0) = \"\($1)\"; " }.joined() + "}\n"
    }
    let modules = ["enc_none", "m_sasl", "ns_cert", "ns_group", "ns_identify", "ns_logout"]
    let commands = [
      ("CERT", "cert"), ("GROUP", "group"), ("IDENTIFY", "identify"), ("LOGOUT", "logout"),
      ("RECOVER", "recover"), ("REGAIN", "recover"),
    ]
    let text = [
      block("uplink", [("host", "127.0.0.1"), ("port", String(server)), ("password", "link")]),
      block(
        "serverinfo",
        [
          ("name", Self.name), ("description", "services"), ("pid", folder + "/anope.pid"),
          ("motd", "/dev/null"),
        ]),
      block(
        "networkinfo",
        [
          ("networkname", "Hobnob"), ("nicklen", "30"), ("userlen", "10"), ("hostlen", "64"),
          ("chanlen", "64"), ("modelistsize", "100"), ("vhost_chars", "a"),
          ("allow_undotted_vhosts", "no"), ("disallow_start_or_end", "."),
        ]),
      block(
        "options",
        [
          ("casemap", options.casemapping), ("seed", "1234567"), ("badpasslimit", "0"),
          ("updatetimeout", "5m"), ("expiretimeout", "30m"), ("readtimeout", "5s"),
          ("warningtimeout", "4h"), ("timeoutcheck", "3s"), ("retrywait", "1s"),
        ]),
      block(
        "service",
        [("nick", "NickServ"), ("user", "services"), ("host", Self.name), ("gecos", "NickServ")]),
      block(
        "module",
        [
          ("name", "inspircd3"), ("use_server_side_mlock", "yes"),
          ("use_server_side_topiclock", "yes"),
        ]),
      block(
        "module",
        [("name", "db_flatfile"), ("database", "anope.db"), ("keepbackups", "0"), ("fork", "no")]),
      block(
        "module",
        [
          ("name", "nickserv"), ("client", "NickServ"), ("forceemail", "no"), ("regdelay", "0s"),
          ("expire", "0"), ("secureadmins", "no"), ("modeonid", "no"),
          ("guestnickprefix", "Guest"), ("nonicknameownership", "no"),
          ("enforceruser", "enforcer"), ("enforcerhost", Self.name), ("releasetimeout", "1m"),
        ]),
      block(
        "module", [("name", "ns_recover"), ("restoreonrecover", "yes")]),
    ]
    return text.joined() + modules.map { block("module", [("name", $0)]) }.joined()
      + commands.map {
        block(
          "command",
          [("service", "NickServ"), ("name", $0), ("command", "nickserv/" + $1)])
      }.joined()
  }
}
