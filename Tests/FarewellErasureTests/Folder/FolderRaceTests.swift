// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellErasure
import Foundation
import Synchronization
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite("A folder that changes during its erasure")
struct FolderRaceTests {
    @Test("swapping folders for links during an erasure deletes nothing outside the root")
    func swapping() async throws {
        let tree = try FileTree()
        let stop = Flag()
        let root = tree.root
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // `album` is a folder at one moment and a link to the outside at the next.
                while !stop.isUp {
                    _ = symlink(tree.outside, root + "/swap")
                    Self.replace(root + "/7/album", with: root + "/swap")
                    _ = mkdir(root + "/7/album", 0o700)
                    await Task.yield()
                }
            }
            group.addTask {
                for _ in 0..<400 {
                    try? tree.make("root/7/album/one/photo", "x")
                    try? tree.make("root/7/album/photo", "x")
                    // An error is allowed, as long as it is one; a wrong deletion is not.
                    do { _ = try await tree.eraser.erase(.person("7")) } catch is FarewellError {}
                    do {
                        _ = try await tree.eraser.erase(.files(["7/album/canary", "7/album/deeper/canary"]))
                    } catch is FarewellError {}
                    await Task.yield()
                }
                stop.raise()
            }
            try await group.waitForAll()
        }
        #expect(try tree.read("outside/canary") == "outside")
        #expect(try tree.read("outside/deeper/canary") == "outside")
        _ = try await tree.eraser.erase(.person("7"))
        #expect(try await tree.eraser.verify(.person("7")).isEmpty)
    }

    /// Puts what is at `from` in the place of `to`, whatever stands there.
    private static func replace(_ to: String, with from: String) {
        _ = rename(to, "\(from)-\(UInt64.random(in: .min ... .max))")
        _ = rename(from, to)
    }

    @Test("the read-back finds a file written after the erasure, and the next erasure deletes it")
    func writer() async throws {
        let tree = try FileTree()
        try tree.make("root/7/a", "x")
        _ = try await tree.eraser.erase(.person("7"))
        try tree.make("root/7/late", "x")
        #expect(try await tree.eraser.verify(.person("7")).files == 1)
        #expect(try await tree.eraser.erase(.person("7")).erased.files == 1)
        #expect(try await tree.eraser.verify(.person("7")).isEmpty)
    }
}

/// Raised once, visible to all.
private final class Flag: Sendable {
    private let state = Mutex(false)
    var isUp: Bool { state.withLock { $0 } }
    func raise() { state.withLock { $0 = true } }
}
