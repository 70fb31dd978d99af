// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// The settings every target of our own is compiled with: a warning is an error, `any` is written out.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "farewell",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        .library(name: "Farewell", targets: ["Farewell"]),
        .library(name: "FarewellSQL", targets: ["FarewellSQL"]),
        .library(name: "FarewellEngine", targets: ["FarewellEngine"]),
        .library(name: "FarewellTesting", targets: ["FarewellTesting"]),
        .library(name: "FarewellSample", targets: ["FarewellSample"]),
        .executable(name: "farewell", targets: ["FarewellCommand"]),
        .executable(name: "farewell-sample", targets: ["FarewellSampleCommand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/onevcat/Rainbow", from: "4.2.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // Nouns, promises and decisions. Depends on nothing, so that an app may import it for free.
        .target(name: "Farewell", swiftSettings: strict),

        // PostgreSQL's own client library, as the system has it.
        .systemLibrary(
            name: "CLibPQ", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),

        // One seam over two databases. A module of its own to keep GRDB and libpq from everybody else.
        .target(
            name: "FarewellSQL",
            dependencies: [
                "Farewell", "CLibPQ",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: strict),

        // Durable erasure, plan coverage, verification, receipts. A module of its own to keep HTTP out of it.
        .target(
            name: "FarewellEngine",
            dependencies: [
                "Farewell", "FarewellSQL",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict),

        // Shipped to users: conformance suites, a manual clock, seeded randomness. Never linked into a product.
        .target(
            name: "FarewellTesting",
            dependencies: ["Farewell", "FarewellSQL", "FarewellEngine"],
            swiftSettings: strict),

        // Makes the people of the example databases. A module of its own, shared by the command, tests and benchmarks.
        .target(
            name: "FarewellSample",
            dependencies: ["Farewell", "FarewellSQL", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict),
        .executableTarget(
            name: "FarewellSampleCommand",
            dependencies: [
                "FarewellSample",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // The command `farewell`; the target has another name so that case-insensitive disks are safe.
        .executableTarget(
            name: "FarewellCommand",
            dependencies: [
                "Farewell", "FarewellSQL", "FarewellEngine",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Rainbow", package: "Rainbow"),
            ],
            swiftSettings: strict),

        .testTarget(name: "FarewellTests", dependencies: ["Farewell"], swiftSettings: strict),
        .testTarget(
            name: "FarewellSQLTests",
            dependencies: [
                "FarewellSQL", "FarewellTesting", .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FarewellEngineTests",
            dependencies: [
                "FarewellEngine", "FarewellSample", "FarewellTesting", .product(name: "Yams", package: "Yams"),
            ], swiftSettings: strict),
        // The process that the crash tests kill.
        .executableTarget(
            name: "CrashBody",
            dependencies: ["FarewellEngine", .product(name: "Logging", package: "swift-log")],
            path: "Tests/CrashBody", swiftSettings: strict),
        .testTarget(
            name: "JourneyTests",
            dependencies: [
                "CrashBody",
                "FarewellEngine", "FarewellSample", "FarewellTesting", "FarewellCommand", "FarewellSampleCommand",
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: strict),
        .testTarget(name: "HouseRules", swiftSettings: strict),
    ]
)
