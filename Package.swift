// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// The compiler settings of every target: a warning is an error, `any` is written out.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// An app turns the trait `Server` off, by `traits: []`, and then resolves none of the packages below.
func server(_ product: String, of package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Server"]))
}

// SwiftUI is Apple's. On Linux the views are compiled on a replacement interface, for the tests alone: no product there
// contains it or code compiled on it, and on systems with SwiftUI there is no such target.
#if os(Linux)
let views: [String] = []
let interfaces: [Target.Dependency] = ["SwiftUIInterface", "UIKitInterface"]
let asSwiftUI: [SwiftSetting] = [
    .unsafeFlags(["-module-alias", "SwiftUI=SwiftUIInterface", "-module-alias", "UIKit=UIKitInterface"])
]
#else
let views = ["FarewellViews"]
let interfaces: [Target.Dependency] = []
let asSwiftUI: [SwiftSetting] = []
#endif

let package = Package(
    name: "farewell",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        .library(name: "Farewell", targets: ["Farewell"]),
        .library(name: "FarewellSQL", targets: ["FarewellSQL"]),
        .library(name: "FarewellKeys", targets: ["FarewellKeys"]),
        .library(name: "FarewellPlan", targets: ["FarewellPlan"]),
        .library(name: "FarewellErasure", targets: ["FarewellErasure"]),
        .library(name: "FarewellSessions", targets: ["FarewellSessions"]),
        .library(name: "FarewellVerifier", targets: ["FarewellVerifier"]),
        .library(name: "FarewellConnectors", targets: ["FarewellConnectors"]),
        .library(name: "FarewellServer", targets: ["FarewellServer"]),
        .library(name: "FarewellClient", targets: ["FarewellClient"]),
        .library(name: "FarewellUI", targets: ["FarewellUI"] + views),
        .library(name: "FarewellSecretService", targets: ["FarewellSecretService"]),
        .library(name: "FarewellClientTesting", targets: ["FarewellClientTesting"]),
        .library(name: "FarewellTesting", targets: ["FarewellTesting"]),
        .library(name: "FarewellSample", targets: ["FarewellSample"]),
        .library(name: "PlanCorpus", targets: ["PlanCorpus"]),
        .executable(name: "farewell", targets: ["FarewellCommand"]),
        .executable(name: "farewell-sample", targets: ["FarewellSampleCommand"]),
    ],
    traits: [
        .default(enabledTraits: ["Server"]),
        .trait(name: "Server", description: "The server, the erasure engine and the command, with their packages."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/onevcat/Rainbow", from: "4.2.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["YAML", "Reloading"]),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        // Nouns, promises and decisions. Depends on nothing, so that any app can import it.
        .target(name: "Farewell", swiftSettings: strict),

        // The system's own client library of PostgreSQL.
        .systemLibrary(
            name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),

        // Checks imported bcrypt hashes by the system's own crypt_r, if there is one.
        .target(name: "CCrypt", linkerSettings: [.linkedLibrary("crypt", .when(platforms: [.linux]))]),

        // Counts the rows that a SQLite connection changes, by the pre-update hook, which Swift cannot call.
        .target(name: "CSQLiteChanges", linkerSettings: [.linkedLibrary("sqlite3")]),

        // One interface over two databases. A module of its own to keep GRDB and libpq from all other modules.
        .target(
            name: "FarewellSQL",
            dependencies: [
                "Farewell", "CLibPQ", "CSQLiteChanges",
                server("GRDB", of: "GRDB.swift"), server("GRDBSQLite", of: "GRDB.swift"),
                server("Crypto", of: "swift-crypto"), server("DequeModule", of: "swift-collections"),
            ], swiftSettings: strict),

        // Keys, seals, ledger, audit log, receipts, the clock. A module of its own: erasures and sessions both need it.
        .target(
            name: "FarewellKeys",
            dependencies: [
                "Farewell", "FarewellSQL", server("AsyncAlgorithms", of: "swift-async-algorithms"),
                server("Crypto", of: "swift-crypto"), server("Logging", of: "swift-log"),
            ], swiftSettings: strict),

        // Reads, derives, checks and draws a plan, and writes its statements. A module of its own to keep Yams out.
        .target(
            name: "FarewellPlan",
            dependencies: [
                "Farewell", "FarewellSQL", "FarewellKeys",
                server("Crypto", of: "swift-crypto"), server("Yams", of: "Yams"),
            ], swiftSettings: strict),

        // The durable run, verification, events. A module of its own to keep sessions and HTTP out of it.
        .target(
            name: "FarewellErasure",
            dependencies: [
                "Farewell", "FarewellSQL", "FarewellKeys", "FarewellPlan",
                server("Crypto", of: "swift-crypto"), server("Logging", of: "swift-log"),
            ], swiftSettings: strict),

        // Users, sessions, tokens, revocations. A module of its own to keep erasures and HTTP out of it.
        .target(
            name: "FarewellSessions",
            dependencies: [
                "Farewell", "FarewellSQL", "FarewellKeys", "CCrypt",
                server("Crypto", of: "swift-crypto"), server("CryptoExtras", of: "swift-crypto"),
                server("Logging", of: "swift-log"),
            ], swiftSettings: strict),

        // Checks tokens, ours and other issuers', and follows revocations. Alone, it links no database.
        .target(
            name: "FarewellVerifier",
            dependencies: [
                "Farewell", server("NIOSSL", of: "swift-nio-ssl"),
                server("AsyncHTTPClient", of: "async-http-client"), server("Crypto", of: "swift-crypto"),
                server("CryptoExtras", of: "swift-crypto"), server("Logging", of: "swift-log"),
                server("NIOCore", of: "swift-nio"), server("NIOHTTP1", of: "swift-nio"),
                server("NIOPosix", of: "swift-nio"), server("ServiceLifecycle", of: "swift-service-lifecycle"),
            ], swiftSettings: strict),

        // Erases in third-party systems. A module of its own to keep their protocols out of the engine.
        .target(
            name: "FarewellConnectors",
            dependencies: [
                "Farewell", "FarewellVerifier", server("NIOSSL", of: "swift-nio-ssl"),
                server("AsyncHTTPClient", of: "async-http-client"), server("Crypto", of: "swift-crypto"),
                server("CryptoExtras", of: "swift-crypto"), server("NIOCore", of: "swift-nio"),
                server("NIOHTTP1", of: "swift-nio"), server("NIOPosix", of: "swift-nio"),
                server("Subprocess", of: "swift-subprocess"),
            ], swiftSettings: strict),

        // Routes, middleware, operation. A module of its own to keep HTTP out of the engine.
        .target(
            name: "FarewellServer",
            dependencies: [
                "Farewell", "FarewellSQL", "FarewellKeys", "FarewellPlan", "FarewellErasure", "FarewellSessions",
                "FarewellVerifier", server("AsyncAlgorithms", of: "swift-async-algorithms"),
                server("AsyncHTTPClient", of: "async-http-client"), server("Hummingbird", of: "hummingbird"),
                server("HummingbirdCore", of: "hummingbird"), server("Configuration", of: "swift-configuration"),
                server("Crypto", of: "swift-crypto"), server("HTTPTypes", of: "swift-http-types"),
                server("Logging", of: "swift-log"), server("Metrics", of: "swift-metrics"),
                server("Mustache", of: "swift-mustache"), server("NIOCore", of: "swift-nio"),
                server("NIOHTTP1", of: "swift-nio"), server("NIOHTTPTypes", of: "swift-nio-extras"),
                server("NIOHTTPTypesHTTP1", of: "swift-nio-extras"), server("NIOPosix", of: "swift-nio"),
                server("NIOSSL", of: "swift-nio-ssl"), server("ServiceLifecycle", of: "swift-service-lifecycle"),
                server("Subprocess", of: "swift-subprocess"), server("Tracing", of: "swift-distributed-tracing"),
                server("UnixSignals", of: "swift-service-lifecycle"), server("Yams", of: "Yams"),
            ], swiftSettings: strict),

        // AES-GCM, HKDF and SHA-256 of the system's OpenSSL, for devices without CryptoKit.
        .systemLibrary(
            name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),

        // A device: token stores, the session keeper, sign-out, deletion, wipe. An app builds no database or server.
        .target(
            name: "FarewellClient",
            dependencies: ["Farewell", .target(name: "CLibCrypto", condition: .when(platforms: [.linux]))],
            swiftSettings: strict),

        // The models of the account's screens. A module of its own, so that an app without them builds none.
        .target(name: "FarewellUI", dependencies: ["Farewell", "FarewellClient"], swiftSettings: strict),

        // The views over these models. A module of its own to keep SwiftUI from the models.
        .target(
            name: "FarewellViews", dependencies: ["Farewell", "FarewellClient", "FarewellUI"] + interfaces,
            swiftSettings: strict + asSwiftUI),

        // The Secret Service of Linux desktops, by the system's libsecret, which only desktops link.
        .systemLibrary(
            name: "CLibSecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"]), .brew(["libsecret"])]),
        .target(
            name: "FarewellSecretService", dependencies: ["Farewell", "FarewellClient", "CLibSecret"],
            swiftSettings: strict),

        // The conformance suite of token stores. A module of its own, so that an app that tests one builds no database.
        .target(
            name: "FarewellClientTesting", dependencies: ["Farewell", "FarewellClient"], swiftSettings: strict),

        // Shipped to users: the conformance suites of databases and of connectors. Never linked into a product.
        .target(
            name: "FarewellTesting",
            dependencies: ["Farewell", "FarewellSQL", "FarewellErasure"],
            swiftSettings: strict),

        // Makes the users of the example databases. A module of its own, shared by the command, tests and benchmarks.
        .target(
            name: "FarewellSample",
            dependencies: ["Farewell", "FarewellSQL", server("Crypto", of: "swift-crypto")],
            resources: [.embedInCode("coachme.sqlite.sql")], swiftSettings: strict),
        .executableTarget(
            name: "FarewellSampleCommand",
            dependencies: ["FarewellSample", server("ArgumentParser", of: "swift-argument-parser")],
            swiftSettings: strict),

        // The command `farewell`; the target has another name so that case-insensitive disks are safe.
        .executableTarget(
            name: "FarewellCommand",
            dependencies: [
                "Farewell", "FarewellSQL", "FarewellKeys", "FarewellPlan", "FarewellErasure", "FarewellSessions",
                "FarewellConnectors", "FarewellSample", "FarewellServer",
                server("ArgumentParser", of: "swift-argument-parser"), server("Logging", of: "swift-log"),
                server("Rainbow", of: "Rainbow"),
            ], swiftSettings: strict),

        // Tests wait for conditions, with a limit.
        .target(name: "Eventually", path: "Tests/Eventually", swiftSettings: strict),
        // Tests measure that the time of work is linear in the size of its input.
        .target(name: "LinearGrowth", path: "Tests/LinearGrowth", swiftSettings: strict),
        // A program of Interop that runs beside tests.
        .target(name: "InteropProgram", path: "Tests/InteropProgram", swiftSettings: strict),
        .testTarget(name: "FarewellTests", dependencies: ["Farewell", "LinearGrowth"], swiftSettings: strict),
        .testTarget(
            name: "FarewellClientTests",
            dependencies: [
                "Eventually", "FarewellClient", "FarewellClientTesting", "InteropProgram", "LinearGrowth",
                "creator-example", "keyring-body", "sessions-example", server("Crypto", of: "swift-crypto"),
            ], swiftSettings: strict),
        .testTarget(
            name: "FarewellUITests",
            dependencies: ["FarewellUI", "FarewellViews"] + interfaces, swiftSettings: strict),
        // The process that uses a keyring of its own.
        .executableTarget(
            name: "keyring-body",
            dependencies: ["Farewell", "FarewellClient", "FarewellClientTesting", "FarewellSecretService"],
            path: "Tests/KeyringBody", swiftSettings: strict),
        // Small apps on a command line: the examples to read, and the processes that the tests kill.
        .target(
            name: "ExampleApp", dependencies: ["Farewell", "FarewellClient"],
            path: "Examples/ExampleApp", swiftSettings: strict),
        .executableTarget(
            name: "sessions-example", dependencies: ["Farewell", "FarewellClient", "ExampleApp"],
            path: "Examples/sessions", exclude: ["README.md"], swiftSettings: strict),
        .executableTarget(
            name: "creator-example",
            dependencies: [
                "Farewell", "FarewellClient", "FarewellSecretService", "ExampleApp",
                server("GRDB", of: "GRDB.swift"),
            ],
            path: "Examples/creator", exclude: ["README.md"], swiftSettings: strict),
        .testTarget(
            name: "FarewellSQLTests",
            dependencies: [
                "Eventually", "FarewellSQL", "FarewellTesting", "LinearGrowth",
                server("GRDB", of: "GRDB.swift"), server("GRDBSQLite", of: "GRDB.swift"),
                server("Subprocess", of: "swift-subprocess"),
            ], swiftSettings: strict),
        // Throw-away databases, state directories, engines and authorities for the tests of several modules.
        .target(
            name: "TestFixtures",
            dependencies: [
                "FarewellErasure", "FarewellSessions", "FarewellSample",
                server("Crypto", of: "swift-crypto"), server("Logging", of: "swift-log"),
            ],
            path: "Tests/TestFixtures", swiftSettings: strict),
        // Schemas of all kinds, with their author's knowledge of each column, for tests and benchmarks.
        .target(
            name: "PlanCorpus", dependencies: ["Farewell", "FarewellSQL", "FarewellPlan"], path: "Tests/PlanCorpus",
            exclude: ["Schemas"], swiftSettings: strict),
        .testTarget(name: "FarewellKeysTests", dependencies: ["FarewellKeys", "TestFixtures"], swiftSettings: strict),
        .testTarget(
            name: "FarewellSessionsTests", dependencies: ["Eventually", "FarewellSessions", "TestFixtures"],
            swiftSettings: strict),
        .testTarget(
            name: "FarewellPlanTests",
            dependencies: ["FarewellPlan", "LinearGrowth", "TestFixtures", server("Yams", of: "Yams")],
            swiftSettings: strict),
        .testTarget(
            name: "FarewellErasureTests",
            dependencies: ["Eventually", "FarewellErasure", "PlanCorpus", "TestFixtures"],
            swiftSettings: strict),
        .testTarget(
            name: "FarewellSampleTests", dependencies: ["FarewellSample", "TestFixtures"], swiftSettings: strict),
        .testTarget(
            name: "FarewellVerifierTests",
            dependencies: [
                "Eventually", "FarewellVerifier", "LinearGrowth",
                server("CryptoExtras", of: "swift-crypto"), server("NIOPosix", of: "swift-nio"),
                server("Subprocess", of: "swift-subprocess"),
            ], swiftSettings: strict),
        .testTarget(
            name: "FarewellConnectorsTests",
            dependencies: [
                "FarewellConnectors", "FarewellErasure", "FarewellPlan", "FarewellTesting", "InteropProgram",
                "LinearGrowth", server("Subprocess", of: "swift-subprocess"),
            ], swiftSettings: strict),
        .testTarget(
            name: "FarewellServerTests",
            dependencies: [
                "Eventually", "FarewellClient", "FarewellServer", "FarewellTesting", "LinearGrowth", "TestFixtures",
                server("Hummingbird", of: "hummingbird"), server("HummingbirdCore", of: "hummingbird"),
                server("HummingbirdTesting", of: "hummingbird"), server("NIOEmbedded", of: "swift-nio"),
            ], swiftSettings: strict),
        // The process that the crash tests kill.
        .executableTarget(
            name: "CrashBody",
            dependencies: [
                "Eventually", "FarewellErasure", "FarewellKeys", "FarewellPlan",
                server("Logging", of: "swift-log"),
            ],
            path: "Tests/CrashBody", swiftSettings: strict),
        .testTarget(
            name: "JourneyTests",
            dependencies: [
                "CrashBody", "Eventually", "FarewellClient", "FarewellUI", "sessions-example",
                "FarewellConnectors", "FarewellErasure", "FarewellKeys", "FarewellPlan", "FarewellSessions",
                "FarewellSample", "FarewellTesting", "FarewellVerifier",
                "FarewellCommand", "FarewellSampleCommand", "InteropProgram", "LinearGrowth", "TestFixtures",
                server("ArgumentParser", of: "swift-argument-parser"),
                server("AsyncHTTPClient", of: "async-http-client"), server("NIOCore", of: "swift-nio"),
                server("NIOFoundationCompat", of: "swift-nio"), server("Logging", of: "swift-log"),
                server("NIOHTTP1", of: "swift-nio"), server("Subprocess", of: "swift-subprocess"),
            ], swiftSettings: strict),
        .testTarget(name: "HouseRules", swiftSettings: strict),
    ]
)

#if os(Linux)
package.targets += [
    .target(
        name: "SwiftUIInterface", dependencies: ["UIKitInterface"], path: "Tests/SwiftUIInterface",
        swiftSettings: strict),
    .target(name: "UIKitInterface", path: "Tests/UIKitInterface", swiftSettings: strict),
]
#endif

// The app's part alone, with its tests, for Apple's systems: FAREWELL_PART=client swift test
if Context.environment["FAREWELL_PART"] == "client" {
    let modules: Set = [
        "Farewell", "CLibCrypto", "FarewellClient", "FarewellUI", "FarewellViews", "FarewellClientTesting",
        "Eventually", "LinearGrowth", "FarewellClientTests", "FarewellUITests", "HouseRules", "SwiftUIInterface",
        "UIKitInterface",
    ]
    package.products.removeAll { !modules.contains($0.name) }
    package.targets.removeAll { !modules.contains($0.name) }
    package.dependencies.removeAll { dependency in
        if case .sourceControl(_, let location, _) = dependency.kind {
            !location.hasSuffix("/swift-crypto")
        } else {
            true
        }
    }
    for target in package.targets where target.name == "FarewellClientTests" {
        // The tests that run processes of the examples, and the keyring of a Linux desktop.
        target.exclude += ["Process", "Store/SecretServiceTests.swift", "Departure/InterruptionTests.swift"]
        target.dependencies.removeAll { dependency in
            if case .byNameItem(let name, _) = dependency { !modules.contains(name) } else { false }
        }
    }
}

// SwiftPM compiles a target again if a module among its own dependencies has changed. A module may change the layout of
// its types and leave the modules that are built on it as they are. So each target names all modules beneath it.
func modules(beneath target: Target, among targets: [Target]) -> Set<String> {
    var found: Set<String> = []
    for case .byNameItem(let name, _) in target.dependencies {
        guard let module = targets.first(where: { $0.name == name }) else { continue }
        found.formUnion(modules(beneath: module, among: targets).union([name]))
    }
    return found
}
let beneath = package.targets.map { modules(beneath: $0, among: package.targets) }
for (target, names) in zip(package.targets, beneath) {
    let known = Set(target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } })
    target.dependencies += names.subtracting(known).sorted().map { .byName(name: $0) }
}

// Tests run for longer than it takes to optimise the modules in which they spend their time: `Scripts/swift test`.
if Context.environment["FAREWELL_TEST_OPTIMISED"] != nil {
    let busy = ["Farewell", "FarewellSQL", "FarewellKeys", "FarewellSessions"]
    for target in package.targets where busy.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-O"]))
    }
}
