// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

/// An app's own package, resolved by the real SwiftPM.
@Suite("The dependencies that an app resolves")
struct ClientPackagesTests {
    private struct Node: Decodable {
        let identity: String
        let dependencies: [Node]

        var all: [String] { [identity] + dependencies.flatMap(\.all) }
    }

    /// The packages that a package resolves which depends on this one by these words and uses these products.
    private func resolved(_ dependency: String, _ products: [String]) async throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = FileManager.default.temporaryDirectory.appending(path: "consumer-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder.appending(path: "Sources/app"), withIntermediateDirectories: true)
        let list = products.map { ".product(name: \"\($0)\", package: \"\(root.lastPathComponent)\")" }.joined(separator: ", ")
        let manifest = """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "app", platforms: [.macOS(.v14), .iOS(.v17)],
                dependencies: [.package(path: "\(root.path)"\(dependency))],
                targets: [.executableTarget(name: "app", dependencies: [\(list)])])
            """
        try Data(manifest.utf8).write(to: folder.appending(path: "Package.swift"))
        try Data("print(1)".utf8).write(to: folder.appending(path: "Sources/app/main.swift"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", folder.path, "--disable-automatic-resolution", "show-dependencies",
            "--format", "json",
        ]
        let said = try await process.ended(writingTo: folder.path + "/said")
        let json = try #require(said.firstIndex(of: "{").map { String(said[$0...]) }, "\(said)")
        let node = try JSONDecoder().decode(Node.self, from: Data(json.utf8))
        let checkouts = folder.appending(path: ".build/checkouts").path
        #expect((try? FileManager.default.contentsOfDirectory(atPath: checkouts))?.isEmpty != false, "nothing was fetched")
        return Array(Set(node.all)).sorted()
    }

    @Test("AP-4 APP-11 an app with the screens resolves only this package, without the trait of the server")
    func screens() async throws {
        let packages = try await resolved(", traits: []", ["FarewellClient", "FarewellUI", "FarewellClientTesting"])
        #expect(packages.count == 2, "\(packages)")
    }
}
