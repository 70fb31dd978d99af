// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite("The workflows of the repository")
struct WorkflowTests {
    private let tree = SourceTree.ofThisPackage

    private func text(_ path: String) throws -> String {
        try String(contentsOf: tree.root.appending(path: path), encoding: .utf8)
    }

    private static func names(_ pattern: Regex<(Substring, Substring)>, in text: String) -> Set<String> {
        Set(text.matches(of: pattern).map { String($0.1) })
    }

    @Test("AP-1 everything that the workflows run exists: make commands, scripts, products and schemes", arguments: ["ci", "release"])
    func exists(_ workflow: String) throws {
        let steps = try text(".github/workflows/\(workflow).yml")
        let manifest = try text("Package.swift")
        let commands = Self.names(#/run: make ([a-z]+)/#, in: steps)
        let known = Self.names(#/(?m)^([a-z]+):/#, in: try text("Makefile"))
        #expect(!commands.isEmpty && commands.isSubset(of: known), "\(commands)")
        for script in Self.names(#/(Scripts/[a-z-]+)/#, in: steps) {
            #expect(FileManager.default.isExecutableFile(atPath: tree.root.appending(path: script).path), "\(script)")
        }
        let products = Self.names(#/\.library\(name: "([A-Za-z]+)"/#, in: manifest)
        // Xcode makes a scheme of each product, and one of the whole package.
        let package = try #require(Self.names(#/(?m)^    name: "([a-z]+)"/#, in: manifest).first)
        #expect(Self.names(#/--product ([A-Za-z]+)/#, in: steps).isSubset(of: products))
        #expect(Self.names(#/-scheme ([A-Za-z-]+)/#, in: steps).isSubset(of: products.union(["\(package)-Package"])))
    }

    @Test("AP-1 Apple's systems build each product of the app and run its tests, on macOS and in a simulator of iOS")
    func apple() throws {
        let steps = try text(".github/workflows/ci.yml")
        let manifest = try text("Package.swift")
        let part = try #require(manifest.components(separatedBy: "let modules: Set = [").last?.components(separatedBy: "]").first)
        let modules = Self.names(#/"([A-Za-z]+)"/#, in: part)
        #expect(modules.isSuperset(of: ["Farewell", "FarewellClient", "FarewellUI", "FarewellViews", "FarewellClientTesting"]))
        #expect(steps.components(separatedBy: "FAREWELL_PART: client").count == 3, "in both jobs")
        for name in Self.names(#/(?:--product|-scheme) ([A-Za-z]+)\s/#, in: steps) { #expect(modules.contains(name), "\(name)") }
        for step in ["swift test", "generic/platform=iOS'", "generic/platform=iOS Simulator'", "xcodebuild test"] {
            #expect(steps.contains(step), "\(step)")
        }
    }
}
