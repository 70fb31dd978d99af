// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellErasure
import Foundation
import Testing

@Suite("A user's files by their paths")
struct FileRemovalTests {
    let tree: FileTree
    var eraser: FolderEraser { tree.eraser }

    init() throws { tree = try FileTree() }

    @Test("named files are erased, all files beside them stay")
    func named() async throws {
        for name in ["a.jpg", "a.jpg.bak", "b/c.jpg", "b/c.jpg2", "b/d.jpg"] { try tree.make("root/\(name)", "123") }
        let target = FolderTarget.files(["b/c.jpg", "a.jpg", "b/none.jpg", "none/none.jpg"])
        #expect(try await eraser.preview(target) == FolderCount(files: 2, bytes: 6))
        #expect(try await eraser.verify(target).files == 2)
        let outcome = try await eraser.erase(target)
        #expect(outcome.erased == FolderCount(files: 2, bytes: 6) && outcome.isComplete)
        #expect(try await eraser.verify(target).isEmpty)
        for name in ["a.jpg.bak", "b/c.jpg2", "b/d.jpg"] { #expect(tree.has("root/\(name)")) }
        #expect(try await eraser.erase(target).erased.isEmpty)
    }

    @Test("paths that could leave the root are refused one by one; the others are still erased")
    func unsafePaths() async throws {
        try tree.make("root/good", "x")
        let bad = [
            "../outside/canary", "/etc/passwd", "a/../../outside/canary", "/good", "//good", "..", ".", "/", "./", "./.",
            "good\u{0}", "\u{0}", "a/../good", String(repeating: "x", count: 256), "https://example.org/good",
        ]
        let outcome = try await eraser.erase(.files(bad + ["", "good"]))
        #expect(outcome.erased.files == 1 && !outcome.isComplete)
        #expect(outcome.refused.map(\.index) == Array(0...bad.count))
        // An absolute path and an address lead to another place than the root.
        let elsewhere: Set = ["/etc/passwd", "/good", "//good", "https://example.org/good"]
        #expect(outcome.refused.map(\.reason) == bad.map { elsewhere.contains($0) ? .elsewhere : .unsafe } + [.empty])
        #expect(try tree.outsideIsUntouched())
    }

    @Test(
        "a path with redundant parts names the same file, once",
        arguments: ["./a/b", "a//b", "a/./b", "a/b/", ".//a/././b//"])
    func spellings(path: String) async throws {
        try tree.make("root/a/b", "12")
        let target = FolderTarget.files([path, "a/b"])
        #expect(try await eraser.preview(target) == FolderCount(files: 1, bytes: 2))
        #expect(try await eraser.verify(target).files == 1)
        let shared = try await eraser.erase(target, isShared: { _ in true })
        #expect(shared.shared == 1 && tree.has("root/a/b"))
        let outcome = try await eraser.erase(target)
        #expect(outcome.erased == FolderCount(files: 1, bytes: 2) && outcome.isComplete)
        #expect(!tree.has("root/a/b"))
    }

    @Test("a link on the way, a file on the way and a folder are refused with their reason")
    func refusals() async throws {
        try tree.link("root/way", to: tree.outside)
        try tree.make("root/file", "x")
        try tree.make("root/folder/inside", "x")
        let outcome = try await eraser.erase(.files(["way/canary", "file/a", "folder", "way/deeper/canary"]))
        #expect(outcome.refused.map(\.reason) == [.throughLink, .throughFile, .folder, .throughLink])
        #expect(outcome.erased.isEmpty)
        #expect(try tree.outsideIsUntouched() && tree.has("root/folder/inside") && tree.has("root/file"))
    }

    @Test("a named link is deleted itself; its target stays")
    func link() async throws {
        try tree.link("root/link", to: tree.outside + "/canary")
        #expect(try await eraser.erase(.files(["link"])).erased == FolderCount(files: 1))
        #expect(try !tree.has("root/link") && tree.outsideIsUntouched())
    }

    @Test("a path named twice is erased once; names of other users' files stay")
    func repeated() async throws {
        try tree.make("root/a", "x")
        try tree.make("root/ours", "x")
        let outcome = try await eraser.erase(.files(["a", "a", "ours"]), isShared: { $0 == "ours" })
        #expect(outcome.erased.files == 1 && outcome.shared == 1)
        #expect(tree.has("root/ours"))
    }

    @Test("another name of a named file is reported")
    func hardLink() async throws {
        try tree.make("root/a", "x")
        try tree.hardLink("outside/a", to: "root/a")
        #expect(try await eraser.erase(.files(["a"])).otherNames == 1)
    }

    @Test("random paths never leave the root and never crash")
    func random() async throws {
        var generator = Seeded(state: 20_251_121)
        let parts = ["..", ".", "", "a", "b", "way", "\u{0}", "outside", "root", "é", "a\nb", "/"]
        for round in 0..<300 {
            for name in ["a", "b/a", "b/b"] { try tree.make("root/\(name)", "x") }
            if !tree.has("root/way") { try tree.link("root/way", to: tree.outside) }
            let paths = (0..<8).map { _ in
                (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                    parts[Int.random(in: 0..<parts.count, using: &generator)]
                }.joined(separator: "/")
            }
            let outcome = try await eraser.erase(.files(paths))
            let safe = paths.filter { FolderPath(file: $0) != nil }
            #expect(outcome.erased.files <= safe.count, "round \(round)")
            #expect(try tree.outsideIsUntouched(), "round \(round) of seed 20251121")
        }
    }
}

/// The same numbers each time for the same state.
struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        var mixed = state ^ (state >> 33)
        mixed = mixed &* 0xFF51_AFD7_ED55_8CCD
        return mixed ^ (mixed >> 29)
    }
}
