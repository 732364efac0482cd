// swift-tools-version:6.3
// SPDX-License-Identifier: GPL-3.0-or-later
import PackageDescription

// Imports point one way, and only to what a target names below: `make` and `make check` build with
// --explicit-target-dependency-import-check error.

let ours: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  // Resolves types from the compiler's knowledge, instead of searching all conformances at run
  // time, which is a fifth of the work of a start.
  .unsafeFlags(
    ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"],
    .when(configuration: .release)),
]
// Code in which the tests would otherwise spend their time: drawing, the store, exports.
let hot: [SwiftSetting] = ours + [.unsafeFlags(["-O"], .when(configuration: .debug))]
let tests: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "hobnob",
  products: [
    .executable(name: "hobnob", targets: ["hobnob"]),
    .executable(name: "hobnob-xmpp", targets: ["hobnob-xmpp"]),
    .executable(name: "hobnob-irc", targets: ["hobnob-irc"]),
    .library(name: "Conversations", targets: ["Conversations", "Storage"]),
    .library(name: "Composer", targets: ["Composer", "StyledText"]),
  ],
  targets: [
    // A static readline needs tinfo behind it.
    .target(
      name: "CReadline", linkerSettings: [.linkedLibrary("readline"), .linkedLibrary("tinfo")]),
    .target(name: "CShapes", exclude: ["shapes.txt"]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CNettle", providers: [.apt(["nettle-dev"])]),
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CSeccomp", providers: [.apt(["libseccomp-dev"])]),
    .systemLibrary(name: "CAres", providers: [.apt(["libc-ares-dev"])]),
    .systemLibrary(name: "COmemo", providers: [.apt(["libomemo-c-dev"])]),
    .systemLibrary(name: "CGettext"),
    .systemLibrary(name: "CLinux"),
    .target(name: "Sentences", dependencies: ["CGettext"], swiftSettings: hot),
    .target(name: "StyledText", dependencies: ["Sentences"], swiftSettings: hot),
    .target(name: "Platform", dependencies: ["CNettle", "CLinux"], swiftSettings: hot),
    .target(
      name: "Storage", dependencies: ["Platform", "Sentences", "CSQLite", "CLinux"],
      swiftSettings: hot),
    .target(
      name: "Conversations",
      dependencies: ["Storage", "Platform", "Sentences", "CShapes", "CSQLite", "CLinux"],
      swiftSettings: hot),
    // What the process that serves an account may do in the store.
    .target(
      name: "NetworkInbox", dependencies: ["Conversations", "Sentences"], swiftSettings: hot),
    .target(
      name: "Exchange",
      dependencies: ["Conversations", "Platform", "Sentences", "CSQLite", "CLinux"],
      swiftSettings: hot),
    .target(name: "Composer", dependencies: ["StyledText"], swiftSettings: hot),
    .target(
      name: "Terminal", dependencies: ["StyledText", "Sentences", "Platform", "CLinux"],
      swiftSettings: hot),
    .target(
      name: "LineEditing",
      dependencies: ["Composer", "Terminal", "StyledText", "Platform", "CReadline"],
      swiftSettings: ours),
    .target(
      name: "ChatPreferences",
      dependencies: ["Composer", "StyledText", "Sentences", "Conversations", "Platform"],
      swiftSettings: ours),
    .target(
      name: "ChatRendering",
      dependencies: ["ChatPreferences", "Composer", "StyledText", "Conversations", "Platform"],
      swiftSettings: ours),
    .target(
      name: "ChatParts",
      dependencies: [
        "ChatRendering", "ChatPreferences", "Composer", "StyledText", "Sentences", "Conversations",
        "Exchange", "Platform",
      ],
      swiftSettings: ours),
    .target(
      name: "ChatCommands",
      dependencies: [
        "ChatParts", "ChatRendering", "ChatPreferences", "Composer", "StyledText", "Sentences",
        "Conversations", "Exchange", "Platform",
      ],
      swiftSettings: ours),
    .target(
      name: "ChatSession",
      dependencies: [
        "ChatCommands", "ChatParts", "ChatRendering", "ChatPreferences", "Composer", "StyledText",
        "Sentences", "Conversations", "Platform",
      ],
      swiftSettings: ours),
    .target(
      name: "ChatScripts",
      dependencies: [
        "ChatSession", "ChatCommands", "ChatParts", "ChatRendering", "ChatPreferences", "Composer",
        "Terminal", "StyledText", "Sentences", "Conversations", "Exchange", "Platform",
      ],
      swiftSettings: ours),
    .target(
      name: "ChatShell",
      dependencies: [
        "ChatScripts", "ChatSession", "ChatCommands", "ChatParts", "ChatRendering",
        "ChatPreferences", "LineEditing", "Composer", "Terminal", "StyledText", "Sentences",
        "Conversations", "Platform",
      ],
      swiftSettings: ours),
    .executableTarget(
      name: "hobnob",
      dependencies: [
        "ChatShell", "ChatScripts", "ChatSession", "ChatParts", "Conversations", "Platform",
        "Sentences",
      ],
      swiftSettings: ours + [.unsafeFlags(["-Osize"], .when(configuration: .release))],
      linkerSettings: [
        // A program without shared libraries starts in half the time. Packages that use our
        // libraries get none of this. The tests start it thousands of times; the sanitizers need
        // the C library. A static C library has a category of locales only if it is named.
        .unsafeFlags(
          ["-static-executable", "-Xlinker", "-u", "-Xlinker", "_nl_current_LC_MESSAGES_used"],
          .when(configuration: .release)),
        .unsafeFlags(["-static-stdlib"], .when(configuration: .debug)),
      ]),
    // Code that all network processes share, and one folder per network.
    .target(
      name: "Networks",
      dependencies: [
        "NetworkInbox", "Conversations", "Platform", "Sentences", "CLinux", "CCurl", "CSeccomp",
        "CAres",
        "COpenSSL", "CNettle",
      ],
      swiftSettings: ours),
    // Encryption from end to end. It loads libomemo-c itself, which only some accounts need.
    .target(
      name: "OMEMO", dependencies: ["COmemo", "CNettle", "COpenSSL"], swiftSettings: ours),
    .target(
      name: "XMPP",
      dependencies: [
        "OMEMO", "Networks", "NetworkInbox", "Conversations", "Storage", "Platform", "Sentences",
        "CExpat",
      ],
      swiftSettings: ours),
    .executableTarget(
      name: "hobnob-xmpp",
      dependencies: ["XMPP", "Networks", "Conversations", "Platform", "Sentences"],
      swiftSettings: ours,
      // OpenSSL and libcurl are shared libraries, and so is the C library that they use.
      linkerSettings: [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]),
    .target(
      name: "IRC",
      dependencies: ["Networks", "NetworkInbox", "Conversations", "Platform", "Sentences"],
      swiftSettings: ours),
    .executableTarget(
      name: "hobnob-irc",
      dependencies: ["IRC", "Networks", "Platform", "Sentences"],
      swiftSettings: ours,
      // As for hobnob-xmpp.
      linkerSettings: [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]),
    .target(
      name: "Bridge",
      dependencies: ["Networks", "NetworkInbox", "Conversations", "Platform", "Sentences"],
      swiftSettings: ours),
    .executableTarget(
      name: "hobnob-bridge",
      dependencies: [
        "Bridge", "Networks", "NetworkInbox", "Conversations", "Platform", "Sentences",
      ],
      swiftSettings: ours,
      // As for hobnob-xmpp.
      linkerSettings: [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]),
    .executableTarget(
      name: "hobnob-bench",
      dependencies: [
        "NetworkInbox", "Conversations", "Platform", "CLinux", "Repeatable",
      ],
      swiftSettings: ours),
    .executableTarget(
      name: "hobnob-bar-example", dependencies: ["Composer", "StyledText"], swiftSettings: ours),
    .executableTarget(
      name: "hobnob-store-example", dependencies: ["Conversations"], swiftSettings: ours),

    .systemLibrary(name: "CVTerm", path: "Tests/CVTerm", providers: [.apt(["libvterm-dev"])]),
    .target(
      name: "Emulator", dependencies: ["CVTerm", "CLinux"], path: "Tests/Emulator",
      swiftSettings: hot),
    .target(name: "CTestProcess", path: "Tests/CTestProcess"),
    .target(
      name: "Repeatable", dependencies: ["CTestProcess"], path: "Tests/Repeatable",
      swiftSettings: ours),
    .testTarget(
      name: "StyledTextTests", dependencies: ["StyledText", "Sentences", "Repeatable"],
      swiftSettings: tests),
    .target(
      name: "StoreFixture", dependencies: ["NetworkInbox", "Conversations", "Platform", "CSQLite"],
      path: "Tests/StoreFixture", swiftSettings: ours),
    .testTarget(name: "PlatformTests", dependencies: ["Platform"], swiftSettings: tests),
    .testTarget(
      name: "StorageTests",
      dependencies: [
        "NetworkInbox", "Conversations", "Platform", "CSQLite", "StoreFixture", "Repeatable",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "NetworkInboxTests",
      dependencies: [
        "NetworkInbox", "Conversations", "Platform", "StoreFixture", "Repeatable",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "ConversationsTests",
      dependencies: [
        "NetworkInbox", "Conversations", "Platform", "CSQLite", "StoreFixture", "Repeatable",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "ExchangeTests",
      dependencies: [
        "Exchange", "NetworkInbox", "Conversations", "Platform", "StoreFixture", "Repeatable",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "ComposerTests", dependencies: ["Composer", "StyledText", "Repeatable"],
      swiftSettings: tests),
    .testTarget(
      name: "TerminalTests",
      dependencies: ["Terminal", "StyledText", "Platform", "Emulator", "Repeatable"],
      swiftSettings: tests),
    .testTarget(
      name: "LineEditingTests",
      dependencies: [
        "LineEditing", "Composer", "Terminal", "StyledText", "Platform", "Emulator",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "ChatSessionTests",
      dependencies: [
        "ChatShell", "ChatSession", "ChatCommands", "ChatParts", "ChatRendering", "ChatPreferences",
        "NetworkInbox", "Conversations", "StyledText", "Composer", "Platform", "CSQLite",
        "Repeatable", "StoreFixture",
      ],
      exclude: ["network-program"],
      swiftSettings: tests),
    .testTarget(
      name: "ChatScriptsTests",
      dependencies: [
        "ChatScripts", "ChatSession", "ChatCommands", "ChatParts", "ChatRendering",
        "ChatPreferences", "NetworkInbox", "Conversations", "StyledText", "Repeatable",
        "StoreFixture",
      ],
      swiftSettings: tests),
    .executableTarget(
      name: "ConfinementProbe", dependencies: ["Networks", "CLinux"],
      path: "Tests/ConfinementProbe", swiftSettings: ours),
    .executableTarget(
      name: "StubNetwork", dependencies: ["Networks", "NetworkInbox", "Conversations"],
      path: "Tests/StubNetwork", swiftSettings: ours),
    .testTarget(
      name: "NetworksTests",
      dependencies: [
        "Networks", "NetworkInbox", "Conversations", "Platform", "Repeatable", "ProsodyFixture",
        "ConfinementProbe", "StoreFixture", "StubNetwork", "CLinux",
      ],
      swiftSettings: tests),
    .target(
      name: "ProsodyFixture", dependencies: ["Platform"], path: "Tests/ProsodyFixture",
      swiftSettings: ours),
    .testTarget(
      name: "OMEMOTests", dependencies: ["OMEMO", "Repeatable"], swiftSettings: tests),
    .testTarget(
      name: "XMPPTests",
      dependencies: [
        "XMPP", "OMEMO", "Networks", "NetworkInbox", "Conversations", "Platform", "COpenSSL",
        "ProsodyFixture",
        "Repeatable", "StoreFixture",
      ],
      swiftSettings: tests),
    .target(
      name: "IRCFixture", dependencies: ["Platform", "ProsodyFixture"], path: "Tests/IRCFixture",
      exclude: ["Stub"], swiftSettings: ours),
    .testTarget(
      name: "IRCTests",
      dependencies: [
        "IRC", "Networks", "NetworkInbox", "Conversations", "Platform", "IRCFixture",
        "ProsodyFixture", "Repeatable", "StoreFixture",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "BridgeTests",
      dependencies: [
        "Bridge", "Networks", "NetworkInbox", "Conversations", "Platform", "Repeatable", "Storage",
        "StoreFixture",
      ],
      exclude: ["hobnob-net-stub"], swiftSettings: tests),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Emulator", "NetworkInbox", "Conversations", "StyledText", "Platform", "Repeatable",
        "StoreFixture", "IRCFixture", "ProsodyFixture", "StubNetwork",
      ],
      exclude: [
        "Themes", "agents.py", "encrypting.py", "foreign.py", "gateway.py", "hostile-program.py",
      ],
      swiftSettings: tests),
  ],
  swiftLanguageModes: [.v6]
)
