// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "farewell-benchmarks",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "farewell", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Measures Farewell beside the bare statements. A package of its own, so that users never build it.
        .executableTarget(
            name: "farewell-bench",
            dependencies: [
                .product(name: "Farewell", package: "farewell"),
                .product(name: "FarewellClient", package: "farewell"),
                .product(name: "FarewellConnectors", package: "farewell"),
                .product(name: "FarewellSQL", package: "farewell"),
                .product(name: "FarewellErasure", package: "farewell"),
                .product(name: "FarewellPlan", package: "farewell"),
                .product(name: "FarewellSessions", package: "farewell"),
                .product(name: "FarewellSample", package: "farewell"),
                .product(name: "FarewellVerifier", package: "farewell"),
                .product(name: "PlanCorpus", package: "farewell"),
                // The measured server, in a process of its own.
                .product(name: "farewell", package: "farewell"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // Two programs that differ only in the client, to measure its share.
        .executableTarget(name: "size-without-client", swiftSettings: strict),
        .executableTarget(
            name: "size-with-client",
            dependencies: [
                .product(name: "Farewell", package: "farewell"), .product(name: "FarewellClient", package: "farewell"),
            ], swiftSettings: strict),
    ]
)
