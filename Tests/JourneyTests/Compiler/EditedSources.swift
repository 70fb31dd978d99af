// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess
import SystemPackage
import Testing

/// The package's sources with edits, judged by the compiler of this build with its options and modules. The package
/// stays as it is: edited files and the modules made from them are in a folder of their own.
struct EditedSources {
    private let root = URL(fileURLWithPath: Python.root)
    private let folder: URL
    /// SwiftPM's list of the commands of this build.
    private let commands: Data
    /// The paths of the edited and the new files within the package.
    private var edited: Set<String> = []

    init() throws {
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL.deletingLastPathComponent()
        let above = [products, products.deletingLastPathComponent(), products.deletingLastPathComponent().deletingLastPathComponent()]
        let lists = above.map { $0.appendingPathComponent(products.lastPathComponent + ".yaml") }
        let list = try #require(lists.first { FileManager.default.fileExists(atPath: $0.path) }, "\(lists)")
        commands = try Data(contentsOf: list)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("edited-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: modules, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    private var modules: URL { folder.appendingPathComponent("modules") }

    private func file(_ path: String) -> URL { (edited.contains(path) ? folder : root).appendingPathComponent(path) }

    // MARK: Editing

    func text(of path: String) throws -> String { try String(contentsOf: file(path), encoding: .utf8) }

    mutating func write(_ text: String, to path: String) throws {
        edited.insert(path)
        try FileManager.default.createDirectory(
            at: file(path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file(path))
    }

    /// Adds a line behind the first one that ends like this.
    mutating func add(_ line: String, after end: String, in path: String) throws {
        var lines = try text(of: path).split(separator: "\n", omittingEmptySubsequences: false)
        let place = try #require(lines.firstIndex { $0.hasSuffix(end) }, "\(path) has no line \(end)")
        lines.insert(line[...], at: place + 1)
        try write(lines.joined(separator: "\n"), to: path)
    }

    // MARK: Compiling

    /// Makes the module, for the modules that are checked afterwards.
    func make(_ module: String) async throws {
        let place = modules.appendingPathComponent(module + ".swiftmodule").path
        let errors = try await compile(
            module, ["-emit-module", "-experimental-skip-all-function-bodies", "-o", place] + files(of: module).map(\.url.path))
        try #require(errors.isEmpty, "\(errors)")
    }

    /// The errors of the edited files and of those with a `switch` that names one of these cases: only a file that names
    /// them all distinguishes them without a default.
    func errors(in module: String, naming cases: [String]) async throws -> [String] {
        let words = cases.map { Data(".\($0)".utf8) }
        var arguments: [String] = []
        for (path, url) in try files(of: module) {
            let text = try Data(contentsOf: url)
            let mayDistinguish = text.range(of: Data("switch ".utf8)) != nil && words.contains { text.range(of: $0) != nil }
            if mayDistinguish || edited.contains(path) { arguments.append("-primary-file") }
            arguments.append(url.path)
        }
        return try await compile(module, ["-typecheck"] + arguments)
    }

    /// The files that the build compiled and the new ones, in the order of their paths.
    private func files(of module: String) throws -> [(path: String, url: URL)] {
        let list = try #require(try command(of: module).first { $0.hasPrefix("@") && $0.hasSuffix("/sources") }?.dropFirst())
        // Paths with characters that a shell knows are in quotation marks.
        let built = try String(contentsOfFile: String(list), encoding: .utf8).split(separator: "\n")
            .map { $0.trimmingCharacters(in: ["'"]) }
        let own = root.path + "/"
        let (inside, generated) = (built.filter { $0.hasPrefix(own) }, built.filter { !$0.hasPrefix(own) })
        let paths = Set(inside.map { String($0.dropFirst(own.count)) })
            .union(edited.filter { $0.hasPrefix("Sources/\(module)/") })
        return paths.sorted().map { ($0, file($0)) } + generated.map { ($0, URL(fileURLWithPath: $0)) }
    }

    /// The words of the command by which the build compiled the module.
    private func command(of module: String) throws -> [String] {
        let hit = try #require(commands.range(of: Data(#""-module-name","\#(module)","#.utf8)), "\(module) was not built")
        let start = try #require(commands.range(of: Data("[".utf8), options: .backwards, in: 0..<hit.lowerBound)).lowerBound
        let end = commands.range(of: Data("\n".utf8), in: hit.upperBound..<commands.endIndex)?.lowerBound ?? commands.endIndex
        return try JSONDecoder().decode([String].self, from: Data(commands[start..<end]))
    }

    private static let pairs: Set = [
        "-I", "-F", "-Xcc", "-sdk", "-target", "-module-name", "-package-name", "-module-cache-path", "-swift-version",
        "-enable-upcoming-feature",
    ]
    private static let single: Set = ["-parse-as-library", "-enable-testing", "-warnings-as-errors"]

    /// Calls the compiler with the build's options about language and modules.
    ///
    /// - Returns: Its errors: each file within the package, and the message.
    private func compile(_ module: String, _ arguments: [String]) async throws -> [String] {
        let command = try command(of: module)
        var options = ["-frontend", "-diagnostic-style", "llvm", "-I", modules.path]
        var rest = command.dropFirst()
        while let word = rest.popFirst() {
            if Self.pairs.contains(word), let value = rest.popFirst() {
                options += [word, value]
            } else if Self.single.contains(word) || word.hasPrefix("-D") || word.hasPrefix("-I") {
                options.append(word)
            }
        }
        let end = try await Subprocess.run(
            .path(FilePath(command[0])), arguments: .init(options + arguments), output: .discarded,
            error: .string(limit: 1 << 24))
        let errors = end.standardError.split(separator: "\n").compactMap { line -> String? in
            let parts = line.split(separator: ": ", maxSplits: 2)
            guard parts.count == 3, parts[1] == "error", let file = parts[0].split(separator: ":").first else { return nil }
            let path = [folder, root].first { file.hasPrefix($0.path + "/") }.map { file.dropFirst($0.path.count + 1) }
            return "\(path ?? file): \(parts[2])"
        }
        try #require(end.terminationStatus.isSuccess || !errors.isEmpty, "\(end.standardError)")
        return errors
    }
}
