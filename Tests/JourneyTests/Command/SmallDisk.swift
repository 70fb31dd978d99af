// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Subprocess
import SystemPackage

/// A file system of its own that is soon full, so that what is written there meets a disk without room for real.
struct SmallDisk: Sendable {
    /// Where tests and the PostgreSQL server may write.
    let folder: URL
    private let isMounted: Bool

    private var filler: URL { folder.appendingPathComponent("filler") }

    /// Makes one, lends it to `use`, removes it.
    ///
    /// Where nothing may be mounted, as in a container without rights, the container's own small `/dev/shm` serves.
    static func with(megabytes: Int, _ use: (SmallDisk) async throws -> Void) async throws {
        let disk = try await make(megabytes)
        do {
            try await use(disk)
        } catch {
            await disk.remove()
            throw error
        }
        await disk.remove()
    }

    private static func make(_ megabytes: Int) async throws -> SmallDisk {
        let name = "farewell-disk-\(UUID().uuidString.prefix(8).lowercased())"
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let options = "size=\(megabytes)m,mode=0777"
        if await asRoot(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.path]) {
            return SmallDisk(folder: folder, isMounted: true)
        }
        try FileManager.default.removeItem(at: folder)
        let shared = SmallDisk(folder: URL(filePath: "/dev/shm/\(name)"), isMounted: false)
        guard try room(at: "/dev/shm") <= 256 << 20 else {
            throw FarewellError(
                "test.no-disk", .yoursToFix, "The tests need a small file system and may not mount one.",
                remedy: "Run them as root, or let sudo call mount without a password.")
        }
        try FileManager.default.createDirectory(
            at: shared.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
        return shared
    }

    /// A folder on it that belongs to PostgreSQL's user.
    func folderOfServer() throws -> URL {
        let server = folder.appendingPathComponent("server")
        try FileManager.default.createDirectory(at: server, withIntermediateDirectories: true)
        if geteuid() == 0 {
            try FileManager.default.setAttributes([.ownerAccountName: "postgres"], ofItemAtPath: server.path)
        }
        return server
    }

    private func remove() async {
        try? makeRoom()
        if isMounted { _ = await Self.asRoot(["umount", "--lazy", folder.path]) }
        try? FileManager.default.removeItem(at: folder)
    }

    private static func asRoot(_ command: [String]) async -> Bool {
        let words = geteuid() == 0 ? command : ["sudo", "--non-interactive"] + command
        let result = try? await Subprocess.run(
            .name(words[0]), arguments: Arguments(Array(words.dropFirst())), output: .discarded, error: .discarded)
        return result?.terminationStatus.isSuccess ?? false
    }

    private static func room(at path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: path)
        return (attributes[.systemFreeSize] as? NSNumber)?.intValue ?? .max
    }

    /// Takes all room but so many bytes.
    func fill(leaving bytes: Int) throws {
        try makeRoom()
        let descriptor = try FileDescriptor.open(
            FilePath(filler.path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        try descriptor.closeAfter {
            var rest = try Self.room(at: folder.path) - bytes
            let piece = [UInt8](repeating: 0, count: 1 << 20)
            do {
                while rest > 0 { rest -= try descriptor.writeAll(piece.prefix(rest)) }
            } catch Errno.noSpace {
                // Another process wrote meanwhile; full is full.
            }
        }
    }

    func makeRoom() throws {
        if FileManager.default.fileExists(atPath: filler.path) { try FileManager.default.removeItem(at: filler) }
    }
}
