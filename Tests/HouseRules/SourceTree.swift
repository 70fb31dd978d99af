// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The files of this package that people write: no build products, no version control, no data.
struct SourceTree {
    let root: URL
    let files: [SourceFile]

    static let ofThisPackage = SourceTree(
        root: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent())

    private static let folders = [".ci", "Benchmarks", "docs", "Examples", "Interop", "Scripts", "Sources", "Tests"]
    /// Longer files are sample data.
    private static let longest = 1_000_000

    init(root: URL) {
        self.root = root
        let manager = FileManager.default
        var paths = ((try? manager.contentsOfDirectory(atPath: root.path)) ?? []).filter { $0 != ".git" }
        for folder in Self.folders {
            guard let below = manager.enumerator(atPath: root.appending(path: folder).path) else { continue }
            while let path = below.nextObject() as? String {
                let name = path.split(separator: "/").last ?? ""
                if name.hasPrefix(".build") || name == ".output" || name == "__pycache__" {
                    below.skipDescendants()
                } else {
                    paths.append("\(folder)/\(path)")
                }
            }
        }
        files = paths.filter { $0 != "Package.resolved" }.sorted().compactMap { path in
            guard let data = manager.contents(atPath: root.appending(path: path).path), data.count <= Self.longest,
                let text = String(data: data, encoding: .utf8)
            else { return nil }
            return SourceFile(path, text)
        }
    }

    subscript(path: String) -> SourceFile? { files.first { $0.path == path } }

    func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: root.appending(path: path).path) }
}
