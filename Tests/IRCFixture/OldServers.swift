// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import ProsodyFixture

/// ngIRCd: one capability, `CASEMAPPING=ascii`.
public final class NgIRCd: IRCServer, @unchecked Sendable {
  /// - Parameter settings: more lines for its configuration.
  public init(settings: String = "") throws {
    try super.init("ngircd", ports: 2)
    command = [
      IRCPackage.ngircd.folder + "/usr/sbin/ngircd", "-n", "-f", folder + "/ngircd.conf",
    ]
    try write(
      """
      [Global]
      Name = \(Self.name)
      Info = tests
      AdminInfo1 = tests
      Listen = 127.0.0.1
      Ports = \(port)
      Network = Hobnob
      [Limits]
      MaxConnectionsIP = 0
      MaxJoins = 0
      MaxNickLength = 30
      MaxPenaltyTime = 0
      PingTimeout = 120
      [Options]
      Ident = no
      DNS = no
      PAM = no
      [SSL]
      CertFile = \(certificate.certificate)
      KeyFile = \(certificate.key)
      Ports = \(securePort)
      [Operator]
      Name = \(Self.operatorName)
      Password = \(Self.password)
      \(settings)

      """, to: "ngircd.conf")
    try start()
  }
}

/// ircd-hybrid: account-notify, away-notify, MONITOR and WHOX, but no tags.
public final class Hybrid: IRCServer, @unchecked Sendable {
  public init() throws {
    try super.init("hybrid", ports: 2)
    let package = IRCPackage.hybrid.folder
    workingFolder = package + "/usr/lib/ircd-hybrid"
    command = [package + "/usr/sbin/ircd-hybrid", "-foreground"]
    for (option, file) in [
      ("config", "ircd.conf"), ("pid", "ircd.pid"), ("log", "ircd.log"), ("kline", "kline.db"),
      ("dline", "dline.db"), ("xline", "xline.db"), ("resv", "resv.db"),
    ] {
      command += ["-\(option)file", "\(folder)/\(file)"]
    }
    try write(
      """
      serverinfo {
        name = "\(Self.name)"; description = "tests";
        network_name = "Hobnob"; network_description = "tests";
        default_max_clients = 1000; max_nick_length = 30; max_topic_length = 300;
        rsa_private_key_file = "\(certificate.key)";
        tls_certificate_file = "\(certificate.certificate)";
      };
      class {
        name = "users"; ping_time = 90 seconds; number_per_ip_local = 1000;
        number_per_ip_global = 1000; max_number = 1000; max_channels = 500;
        sendq = 8 megabytes; recvq = 8000 bytes;
      };
      listen { host = "127.0.0.1"; port = \(port); flags = tls; port = \(securePort); };
      auth { user = "*@*"; class = "users"; flags = exceed_limit, can_flood; };
      operator {
        name = "\(Self.operatorName)"; user = "*@*"; password = "\(Self.password)";
        encrypted = no; class = "users"; flags = admin, kill;
      };
      channel { default_join_flood_count = 0; disable_fake_channels = no; };
      general {
        throttle_count = 1000; disable_auth = yes; anti_nick_flood = no; caller_id_wait = 0;
        pace_wait_simple = 0; pace_wait = 0; anti_spam_exit_message_time = 0;
        default_floodcount = 0;
      };

      """, to: "ircd.conf")
    try start()
  }
}

/// ircd-irc2, the server of IRCnet: no capabilities, no TLS; nicks of 15 characters; it delays
/// whoever sends too much.
public final class IRC2: IRCServer, @unchecked Sendable {
  public init() throws {
    try super.init("irc2", ports: 1)
    let package = IRCPackage.irc2.folder
    command = [package + "/usr/sbin/ircd", "-t", "-s", "-q", "-p", "standalone"]
    try FileManager.default.copyItem(
      atPath: package + "/etc/ircd/ircd.m4", toPath: folder + "/ircd.m4")
    // Names, ports, classes and who may connect: INSTALL.txt of the package.
    try write(
      """
      M%\(Self.name)%127.0.0.1%tests%\(port)%000A%
      A%tests%tests%tests%%Hobnob%
      P%127.0.0.1%%%\(port)%%
      Y%10%90%%1000%8000000%1000.1000%1000.1000%
      I%*@127.0.0.0/8%%%%10%%

      """, to: "ircd.conf")
    try start()
  }
}
