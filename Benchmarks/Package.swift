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
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // Measures Farewell beside the bare statements. A package of its own, so that users never build it.
        .executableTarget(
            name: "farewell-bench",
            dependencies: [
                .product(name: "Farewell", package: "farewell"),
                .product(name: "FarewellClient", package: "farewell"),
                .product(name: "FarewellSQL", package: "farewell"),
                .product(name: "FarewellEngine", package: "farewell"),
                .product(name: "FarewellSample", package: "farewell"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),

        // Two programs that differ in the client alone: what it adds.
        .executableTarget(name: "size-without-client", swiftSettings: strict),
        .executableTarget(
            name: "size-with-client",
            dependencies: [
                .product(name: "Farewell", package: "farewell"), .product(name: "FarewellClient", package: "farewell"),
            ], swiftSettings: strict),
    ]
)
