// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The folder of an export while it is written: hidden, beside its final place, readable by its owner only, and locked,
/// so that the next run can distinguish the remains of a killed run from a folder in use.
package final class ExportFolder: Sendable {
    private let parent: Int32
    private let parentPath: String
    private let name: String
    private let hidden: String
    let descriptor: Int32
    let meter: ExportMeter
    /// The folders in which files were made, by their names.
    let folders = Guarded<Set<[[UInt8]]>>([])
    /// The data that interrupted runs have read.
    let rest: ExportRest?
    /// How much of it this run has taken.
    let taken = Guarded((files: 0, bytes: 0))
    /// The list of complete files; negative where there is none.
    let list = Guarded<Int32>(-1)
    let hasNoted = Guarded(false)

    var hiddenPath: String { parentPath + "/" + hidden }

    private init(
        parent: Int32, parentPath: String, name: String, hidden: String, descriptor: Int32, meter: ExportMeter,
        rest: ExportRest?
    ) {
        self.parent = parent
        self.parentPath = parentPath
        self.name = name
        self.hidden = hidden
        self.descriptor = descriptor
        self.meter = meter
        self.rest = rest
    }

    deinit {
        list.withLock { if $0 >= 0 { close($0) } }
        close(descriptor)
        close(parent)
    }

    /// Makes the hidden folder; removes first what a killed run left there, unless this run continues it.
    ///
    /// - Parameter continuing: The identity of the export, and the time; `nil` starts again in any case.
    /// - Throws: `export.output` where the path names no folder to be made; `export.exists` where something stands
    ///   there; `export.busy` where another process is writing the same export; `export.foreign` where something else
    ///   has the name of the hidden folder.
    static func begin(
        at path: String, meter: ExportMeter, continuing export: (identity: String, now: String)? = nil
    ) async throws -> ExportFolder {
        let folder = try await made(at: path, meter: meter, continuing: export?.identity)
        do {
            if let export { try folder.beginList(export.identity, now: export.now) }
        } catch {
            await folder.discard()
            throw error
        }
        return folder
    }

    private static func made(
        at path: String, meter: ExportMeter, continuing identity: String?
    ) async throws -> ExportFolder {
        let (parentPath, name) = try place(of: path)
        let parent = open(parentPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw FileFailure(errno).error("The folder for the export cannot be opened") }
        do {
            let hidden = Self.hidden(name)
            if let identity, (try? refuseExisting(name, in: parent)) != nil,
                let (descriptor, rest) = try await takeOver(parentPath + "/" + hidden, of: identity, meter)
            {
                return ExportFolder(
                    parent: parent, parentPath: parentPath, name: name, hidden: hidden, descriptor: descriptor,
                    meter: meter, rest: rest)
            }
            try await removeLeftover(hidden, in: parent, parentPath)
            try refuseExisting(name, in: parent)
            meter.change()
            guard mkdirat(parent, hidden, 0o700) == 0 else {
                throw errno == EEXIST ? busy : FileFailure(errno).error("The folder for the export cannot be created")
            }
            let descriptor = openat(parent, hidden, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { throw FileFailure(errno).error("The folder for the export cannot be opened") }
            guard fchmod(descriptor, 0o700) == 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                throw busy
            }
            return ExportFolder(
                parent: parent, parentPath: parentPath, name: name, hidden: hidden, descriptor: descriptor,
                meter: meter, rest: nil)
        } catch {
            close(parent)
            throw error
        }
    }

    /// A new file for its owner only, and the folders on the way to it. Every part of the path is one safe name.
    func file(_ path: [FileName]) throws -> ExportFile { try file(path, isCounted: true) }

    private func file(_ path: [FileName], isCounted: Bool) throws -> ExportFile {
        guard let name = path.last else { throw Self.unsafe }
        let folder = try self.folder(path.dropLast())
        defer { close(folder) }
        meter.change()
        let raw = openat(folder, name.bytes, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard raw >= 0 else { throw FileFailure(errno).error("A file of the export cannot be created") }
        folders.withLock { _ = $0.insert(path.dropLast().map(\.raw)) }
        return ExportFile(raw, meter: meter, isCounted: isCounted)
    }

    func file(_ parts: String...) throws -> ExportFile {
        let names = parts.compactMap { FileName($0) }
        guard names.count == parts.count else { throw Self.unsafe }
        return try file(names)
    }

    /// Removes a file that was made.
    func remove(_ path: [FileName]) throws {
        guard let name = path.last else { throw Self.unsafe }
        let folder = try self.folder(path.dropLast())
        defer { close(folder) }
        meter.change()
        guard unlinkat(folder, name.bytes, 0) == 0 else {
            throw FileFailure(errno).error("A file of the export cannot be removed")
        }
    }

    /// Removes a folder in which files were made, and those above it, as far as they are empty.
    func removeEmpty(_ path: ArraySlice<FileName>) throws {
        var names = path
        while let name = names.last {
            let parent = try self.folder(names.dropLast())
            defer { close(parent) }
            meter.change()
            guard unlinkat(parent, name.bytes, AT_REMOVEDIR) == 0 else {
                // POSIX allows both for a folder with something in it.
                if errno == ENOTEMPTY || errno == EEXIST { return }
                throw FileFailure(errno).error("A folder of the export cannot be removed")
            }
            let removed = names.map(\.raw)
            folders.withLock { _ = $0.remove(removed) }
            names = names.dropLast()
        }
    }

    func folder(_ names: ArraySlice<FileName>) throws -> Int32 {
        var folder = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        for name in names where folder >= 0 {
            let parent = folder
            defer { close(parent) }
            meter.change()
            if mkdirat(parent, name.bytes, 0o700) != 0, errno != EEXIST {
                throw FileFailure(errno).error("A folder of the export cannot be created")
            }
            folder = openat(parent, name.bytes, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
        guard folder >= 0 else { throw FileFailure(errno).error("A folder of the export cannot be opened") }
        return folder
    }

    /// Whether the output is one archive, and not a folder.
    private var isArchive: Bool { name.lowercased().hasSuffix(".zip") }

    /// Gives the folder its name, once everything is in it and on the disk; or makes an archive of it and gives that
    /// the name.
    func publish() async throws {
        if isArchive { return try await publishArchive() }
        meter.change()
        try await removeRest()
        try syncFolders()
        try Self.refuseExisting(name, in: parent)
        meter.change()
        guard renameat(parent, hidden, parent, name) == 0 else {
            throw errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR
                ? Self.exists : FileFailure(errno).error("The export cannot be renamed")
        }
        meter.change()
        guard fsync(parent) == 0 else {
            let failure = FileFailure(errno)
            _ = renameat(parent, name, parent, hidden)
            throw failure.error("The export cannot be synced to disk")
        }
    }

    /// Writes the entries of all folders to the disk; the files themselves are on it already.
    private func syncFolders() throws {
        let made = folders.withLock { $0 }
        let all = Set(made.flatMap { names in (0...names.count).map { Array(names.prefix($0)) } })
        for names in all {
            let raw = try folder(names.compactMap { FileName(bytes: $0) }[...])
            defer { close(raw) }
            guard fsync(raw) == 0 else { throw FileFailure(errno).error("The export cannot be synced to disk") }
        }
    }

    /// Refuses to write the export into a folder of which it is a copy.
    ///
    /// - Throws: `export.output`.
    func refusePlace(in root: String, _ path: FolderPath) throws {
        guard let real = realpath(root, nil) else { return }
        defer { free(real) }
        let names = path.names.map { Array($0.raw) }
        let place = Array(([Array(String(cString: real).utf8)] + names).joined(separator: [UInt8(ascii: "/")]))
        let parent = Array(parentPath.utf8)
        guard parent == place || parent.starts(with: place + [UInt8(ascii: "/")]) else { return }
        throw FarewellError(
            "export.output", .yoursToFix, "The output is inside a folder with the subject's files.",
            remedy: "Name an output elsewhere.")
    }

    private func publishArchive() async throws {
        let temporary = "archive"
        let inside = Array(name.utf8.dropLast(4))
        // It holds the files once more, and they are counted already.
        let written = try file([temporary].compactMap { FileName($0) }, isCounted: false)
        let archive = Guarded(ZipArchive(written))
        try await FolderFiles(root: parentPath + "/" + hidden).forEachFile { entry in
            guard entry.path.map(\.text) != [temporary], entry.path.first.map({ Self.isRest($0.text) }) != true else {
                return
            }
            try Task.checkCancellation()
            let path = Array(([inside] + entry.path.map(\.raw)).joined(separator: [UInt8(ascii: "/")]))
            try archive.withLock { archive in
                try archive.add(path) { _ = try entry.folder.read(entry.name, $0) }
            }
        }
        try archive.withLock { try $0.end() }
        try Self.refuseExisting(name, in: parent)
        meter.change()
        // A link, because it replaces nothing.
        guard linkat(descriptor, temporary, parent, name, 0) == 0 else {
            throw errno == EEXIST ? Self.exists : FileFailure(errno).error("The export cannot be renamed")
        }
        do {
            guard fsync(parent) == 0 else { throw FileFailure(errno).error("The export cannot be synced to disk") }
            meter.change()
            // In a new task, because a cancelled task would leave the written files.
            try await Task { [hidden, parentPath] in try await Self.remove(hidden, below: parentPath) }.value
        } catch {
            _ = unlinkat(parent, name, 0)
            throw error
        }
    }

    /// Removes everything that was written.
    func discard() async { try? await Self.remove(hidden, below: parentPath) }

    // MARK: The place

    private static func place(of path: String) throws -> (parent: String, name: String) {
        var bytes = Array(path.utf8)
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        let name = Array(bytes[start...])
        // The first part of the paths of an archive's entries.
        let stem = String(decoding: name, as: UTF8.self).lowercased().hasSuffix(".zip") ? Array(name.dropLast(4)) : name
        guard FileName(bytes: name) != nil, FileName(bytes: stem) != nil, name.count <= 200, !bytes.contains(0) else {
            throw FarewellError(
                "export.output", .yoursToFix, "The output does not name a new folder.",
                remedy: "Name a new folder, such as --output export-4711.")
        }
        let parent = start == 0 ? "." : start == 1 ? "/" : String(decoding: bytes[..<(start - 1)], as: UTF8.self)
        // Its path may contain links: files are created and removed in the real folder only.
        guard let real = realpath(parent, nil) else {
            throw FileFailure(errno).error("The parent folder of the export cannot be found")
        }
        defer { free(real) }
        return (String(cString: real), String(decoding: name, as: UTF8.self))
    }

    private static func refuseExisting(_ name: String, in parent: Int32) throws {
        var status = stat()
        guard fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0 else { throw exists }
        guard errno == ENOENT else { throw FileFailure(errno).error("The output cannot be inspected") }
    }

    /// Removes the folder of a killed run. A folder that another run is writing stays.
    private static func removeLeftover(_ hidden: String, in parent: Int32, _ parentPath: String) async throws {
        let raw = openat(parent, hidden, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard raw >= 0 else {
            if errno == ENOENT { return }
            let failure = FileFailure(errno)
            guard try isFolder(hidden, in: parent) else {
                throw FarewellError(
                    "export.foreign", .yoursToFix,
                    "\(Shown.line(hidden, limit: 80)) beside the output is not a folder of an export.",
                    remedy: "Remove it, or name another output.")
            }
            throw failure.error("The rest of an earlier export (\(Shown.line(hidden, limit: 80))) cannot be opened")
        }
        defer { close(raw) }
        var status = stat()
        guard fstat(raw, &status) == 0, status.st_uid == geteuid() else {
            throw FarewellError(
                "export.foreign", .yoursToFix,
                "The folder \(Shown.line(hidden, limit: 80)) beside the output belongs to another user.",
                remedy: "Remove it, or name another output.")
        }
        guard flock(raw, LOCK_EX | LOCK_NB) == 0 else { throw busy }
        try await remove(hidden, below: parentPath)
    }

    private static let ending = ".farewell-export"
    private static func hidden(_ name: String) -> String { ".\(name)\(ending)" }

    /// The hidden folder in which an export to this path lies until it is complete.
    ///
    /// - Throws: `export.output` where the path names no folder to be made.
    package static func hiddenPath(of path: String) throws -> String {
        let (parent, name) = try place(of: path)
        return (parent == "/" ? "" : parent) + "/" + hidden(name)
    }

    /// Removes a hidden folder that a killed run left.
    ///
    /// - Parameter path: The answer of `hiddenPath` to that run.
    /// - Returns: Whether there was one.
    /// - Throws: `export.busy` if another process is writing it; `export.foreign`; errors of the disk.
    package static func removeRest(at path: String) async throws -> Bool {
        guard let slash = path.lastIndex(of: "/") else { return false }
        let hidden = String(path[path.index(after: slash)...])
        guard hidden.hasPrefix("."), hidden.hasSuffix(ending) else { return false }
        let parentPath = slash == path.startIndex ? "/" : String(path[..<slash])
        let parent = open(parentPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else {
            if errno == ENOENT { return false }
            throw FileFailure(errno).error("The folder for the export cannot be opened")
        }
        defer { close(parent) }
        guard try isFolder(hidden, in: parent) else { return false }
        try await removeLeftover(hidden, in: parent, parentPath)
        return true
    }

    /// Whether a folder stands at the place of a hidden one. An export makes no link and no other file there.
    ///
    /// - Parameter path: The answer of `hiddenPath`.
    package static func isFolder(at path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func isFolder(_ hidden: String, in parent: Int32) throws -> Bool {
        var status = stat()
        guard fstatat(parent, hidden, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return false }
            throw FileFailure(errno).error("The rest of an earlier export cannot be inspected")
        }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    private static func remove(_ hidden: String, below parent: String) async throws {
        guard let path = FolderPath(parts: [Array(hidden.utf8)]) else { return }
        _ = try await FolderRemoval(root: parent, isShared: nil).remove(path)
    }

    private static let exists = FarewellError(
        "export.exists", .yoursToFix, "The output already exists. An export replaces nothing.",
        remedy: "Name another output, or remove the existing one.")
    private static let busy = FarewellError(
        "export.busy", .tryAgain, "Another process is writing the same export.", remedy: "Wait until it finishes.")
    private static let unsafe = FarewellError("export.name", .ours, "A file of the export has no safe name.")
}
