// SPDX-License-Identifier: Apache-2.0
@testable import FarewellErasure
import Foundation
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A root with files in it, and a folder outside that nothing may touch.
final class FileTree: Sendable {
    let base: String
    var root: String { base + "/root" }
    var outside: String { base + "/outside" }
    var eraser: FolderEraser { FolderEraser(root: root) }

    init() throws {
        base = FileManager.default.temporaryDirectory.appendingPathComponent("farewell-\(UUID().uuidString)").path
        try make("root/.keep", "")
        try make("outside/canary", "outside")
        try make("outside/deeper/canary", "outside")
    }

    deinit { try? FileManager.default.removeItem(atPath: base) }

    /// Writes a file, with the folders on its way; the path is relative to the base.
    func make(_ path: String, _ content: String) throws {
        let full = base + "/" + path
        let mode: mode_t = 0o600
        var file = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode)
        if file < 0, errno == ENOENT {
            try folders(above: path)
            file = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode)
        }
        guard file >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { close(file) }
        guard write(file, content, content.utf8.count) == content.utf8.count else { throw POSIXError(.EIO) }
    }

    private func folders(above path: String) throws {
        let full = URL(fileURLWithPath: base + "/" + path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: full, withIntermediateDirectories: true)
    }

    func link(_ path: String, to target: String) throws {
        try folders(above: path)
        guard symlink(target, base + "/" + path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    func hardLink(_ path: String, to existing: String) throws {
        guard linkat(AT_FDCWD, base + "/" + existing, AT_FDCWD, base + "/" + path, 0) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
    }

    /// Whether the name is there, a dangling link included.
    func has(_ path: String) -> Bool {
        var status = stat()
        return lstat(base + "/" + path, &status) == 0
    }

    func read(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: base + "/" + path)), as: UTF8.self)
    }

    func outsideIsUntouched() throws -> Bool {
        let names = try FileManager.default.subpathsOfDirectory(atPath: outside).sorted()
        return try names == ["canary", "deeper", "deeper/canary"] && read("outside/canary") == "outside"
            && read("outside/deeper/canary") == "outside"
    }
}

extension FolderTarget {
    static func person(_ key: String) -> FolderTarget { .folder(template: "{subject}/", subject: key) }
}
