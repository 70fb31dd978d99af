// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The files that are under version control, and those that are not.
@Suite("Version control")
struct VersionControlTests {
    let tree = SourceTree.ofThisPackage
    static let built = [".build/", "Package.resolved", ".venv/", "docs/.output/"]

    @Test("build products are ignored", arguments: built)
    func ignored(path: String) {
        #expect(tree[".gitignore"]?.lines.contains(Substring(path)) == true)
    }

    /// Reads git's own index, so that neither git nor a clone is needed: a tarball has none and tracks nothing.
    @Test("build products are not tracked", arguments: built)
    func tracked(path: String) throws {
        let index = tree.root.appending(path: ".git/index")
        guard let bytes = FileManager.default.contents(atPath: index.path) else { return }
        #expect(Self.tracks("Package.swift", in: bytes))
        #expect(!Self.tracks(path, in: bytes))
    }

    /// Entries are flags (two bytes) followed by the path from the root (git's index format, versions 2 and 3).
    private static func tracks(_ path: String, in index: Data) -> Bool {
        let length = UInt8(truncatingIfNeeded: path.utf8.count)
        let isFolder = path.hasSuffix("/")
        var from = index.startIndex
        while let hit = index.range(of: Data(path.utf8), in: from..<index.endIndex) {
            if hit.lowerBound > index.startIndex, isFolder || index[hit.lowerBound - 1] == length { return true }
            from = hit.upperBound
        }
        return false
    }
}
