// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import Foundation
import Synchronization
import Testing

/// A folder of its own for one test, gone afterwards.
package final class StateFolder: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("farewell-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func path(_ name: String) -> String { "\(path)/\(name)" }

    package func keys(at seconds: Double = 1_763_723_280, entropy: Entropy = .live) throws -> KeyStore {
        try KeyStore.prepared(in: .existing(at: path), entropy: entropy, now: { Date(timeIntervalSince1970: seconds) })
    }

    package func read(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

    /// Writes in place, so that mode and owner stay as they are.
    package func overwrite(_ name: String, _ data: Data) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path(name)))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: data)
        try file.close()
    }

    package func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return try #require(attributes[.posixPermissions] as? Int)
    }

    package func set(mode: Int, of name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    /// Every byte of every file in the folder.
    package func everything() throws -> Data {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted().reduce(into: Data()) { $0 += try read($1) }
    }
}

extension Entropy {
    /// The same bytes each time for the same seed.
    package static func seeded(_ seed: UInt64) -> Entropy {
        let counter = Counter(seed)
        return Entropy { count in (0..<count).map { _ in counter.next() } }
    }

    private final class Counter: Sendable {
        private let state: Mutex<UInt64>
        init(_ seed: UInt64) { state = Mutex(seed) }
        func next() -> UInt8 {
            state.withLock { value in
                value = value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: value >> 33)
            }
        }
    }
}

/// The code of the error that `body` throws.
package func code(of body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return code(of: error)
    }
}

package func code(of body: () async throws -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch {
        return code(of: error)
    }
}

private func code(of error: any Error) -> String {
    (error as? FarewellError)?.code.rawValue ?? "other: \(error)"
}
