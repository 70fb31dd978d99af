// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The files that a run takes over from an interrupted run, and leaves to the next.
extension ExportFolder {
    /// The parts of an export that hold complete files after an interruption. All else is rewritten.
    private static let lasting = ["files", "systems"]

    // MARK: Beginning

    /// Takes the hidden folder of an interrupted run of the same export, with its complete files.
    ///
    /// - Parameter hidden: The path of that folder.
    /// - Returns: The folder, locked, and its files; `nil` where there is none, or none that can be continued.
    /// - Throws: errors of the disk.
    static func takeOver(
        _ hidden: String, of identity: String, _ meter: ExportMeter
    ) async throws -> (descriptor: Int32, rest: ExportRest)? {
        let raw = open(hidden, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard raw >= 0 else { return nil }
        do {
            var status = stat()
            guard fstat(raw, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0,
                flock(raw, LOCK_EX | LOCK_NB) == 0
            else {
                close(raw)
                return nil
            }
            try await setAside(hidden, raw, identity, meter)
            var rest = ExportRest()
            for (run, since) in try runs(below: raw, identity) {
                guard let folder = try opened(ExportRest.name(of: run), below: raw) else { continue }
                try rest.add(run, in: folder, since: since)
            }
            guard !rest.isEmpty else {
                close(raw)
                return nil
            }
            return (raw, rest)
        } catch {
            close(raw)
            throw error
        }
    }

    /// Moves the last run's list and files into a folder of their own, and removes everything else but such folders of
    /// earlier runs.
    private static func setAside(
        _ hidden: String, _ raw: Int32, _ identity: String, _ meter: ExportMeter
    ) async throws {
        let earlier = try runs(below: raw, identity)
        var kept = Set(earlier.map { ExportRest.name(of: $0.run) })
        if let root = try opened(".", below: raw), try beginning(in: root, identity) != nil {
            let name = ExportRest.name(of: (earlier.map(\.run).max() ?? 0) + 1)
            try await remove(below: hidden) { $0 == name }
            meter.change()
            guard mkdirat(raw, name, 0o700) == 0 else { throw failure(errno) }
            for moved in [ExportRest.list] + lasting {
                meter.change()
                guard renameat(raw, moved, raw, name + "/" + moved) == 0 || errno == ENOENT else {
                    throw failure(errno)
                }
            }
            kept.insert(name)
        }
        meter.change()
        try await remove(below: hidden) { !kept.contains($0) }
    }

    /// The earlier runs of an export of which there are lists, with their beginnings.
    private static func runs(below raw: Int32, _ identity: String) throws -> [(run: Int, since: String)] {
        guard let root = try opened(".", below: raw) else { return [] }
        var runs: [(run: Int, since: String)] = []
        while let name = try root.next() {
            guard let run = ExportRest.run(name.text), let folder = try root.folder(name),
                let since = try beginning(in: folder, identity)
            else { continue }
            runs.append((run: run, since: since))
        }
        return runs.sorted { $0.run < $1.run }
    }

    private static func beginning(in folder: OpenFolder, _ identity: String) throws -> String? {
        guard let name = FileName(ExportRest.list) else { return nil }
        var head: [UInt8] = []
        _ = try folder.read(name) { bytes in
            if head.count < 1_024 { head += bytes.prefix(1_024) }
        }
        return ExportRest.since(in: head, of: identity)
    }

    private static func opened(_ name: String, below raw: Int32) throws -> OpenFolder? {
        let folder = openat(raw, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(errno)
        }
        return try OpenFolder(folder)
    }

    private static func remove(below hidden: String, _ isGone: (_ name: String) -> Bool) async throws {
        var names: [FileName] = []
        do {
            let root = try OpenFolder.root(hidden)
            while let name = try root.next() {
                if isGone(name.text) { names.append(name) }
            }
        }
        for name in names {
            guard let path = FolderPath(parts: [name.raw]) else { continue }
            _ = try await FolderRemoval(root: hidden, isShared: nil).remove(path)
        }
    }

    private static func failure(_ number: Int32) -> FarewellError {
        FileFailure(number).error("The rest of an interrupted export cannot be used")
    }

    // MARK: Taking files over

    /// Moves a file here that an interrupted run has read completely from the same source.
    ///
    /// - Returns: Its size and hash, which its bytes have; `nil` where there is none.
    /// - Throws: `export.too-large`; errors of the disk.
    func takeOver(_ source: ExportSource, to path: [FileName]) throws -> ExportFile.Size? {
        guard let entry = rest?.entry(of: source, below: descriptor), let old = entry.path.last, let name = path.last,
            let from = try existing(entry.path.dropLast()), try Self.isWhole(old, in: from, entry.size)
        else { return nil }
        try meter.add(bytes: entry.size.bytes)
        let folder = try self.folder(path.dropLast())
        defer { close(folder) }
        var status = stat()
        meter.change()
        guard fstatat(folder, name.bytes, &status, AT_SYMLINK_NOFOLLOW) != 0, errno == ENOENT,
            renameat(from.descriptor, old.bytes, folder, name.bytes) == 0
        else { throw Self.failure(errno) }
        folders.withLock { _ = $0.insert(path.dropLast().map(\.raw)) }
        try note(source, entry.size, path)
        taken.withLock { taken in
            taken.files += 1
            taken.bytes += entry.size.bytes
        }
        return entry.size
    }

    private func existing(_ names: ArraySlice<FileName>) throws -> OpenFolder? {
        var folder = try Self.opened(".", below: descriptor)
        for name in names { folder = try folder?.folder(name) }
        return folder
    }

    private static func isWhole(_ name: FileName, in folder: OpenFolder, _ size: ExportFile.Size) throws -> Bool {
        var hash = SHA256()
        var count = 0
        let isOrdinary = try folder.read(name) { bytes in
            try Task.checkCancellation()
            hash.update(data: bytes)
            count += bytes.count
        }
        return isOrdinary && count == size.bytes && hash.finalize().hexadecimal == size.sha256
    }

    /// The files that were taken over.
    var takenOver: ExportManifest.Earlier? {
        guard let rest else { return nil }
        let taken = taken.withLock { $0 }
        return taken.files == 0 ? nil : .init(files: taken.files, bytes: taken.bytes, since: rest.since)
    }

    // MARK: Leaving files to the next run

    /// Begins the list of complete files.
    func beginList(_ identity: String, now: String) throws {
        meter.change()
        let raw = openat(descriptor, ExportRest.list, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard raw >= 0 else { throw Self.failure(errno) }
        list.withLock { $0 = raw }
        try append(ExportRest.header(identity, since: now))
    }

    /// Notes that a file is complete and on the disk.
    func note(_ source: ExportSource, _ size: ExportFile.Size, _ path: [FileName]) throws {
        try append(ExportRest.line(source, size, path))
        hasNoted.withLock { $0 = true }
    }

    private func append(_ line: [UInt8]) throws {
        try list.withLock { raw in
            guard raw >= 0 else { return }
            meter.change()
            guard line.withUnsafeBytes({ WholeWrite.write($0, to: raw) }) else { throw Self.failure(errno) }
        }
    }

    /// Leaves the complete files to the next run, and nothing else. Without complete files nothing stays.
    func leave() async {
        guard list.withLock({ $0 >= 0 }), rest != nil || hasNoted.withLock({ $0 }) else { return await discard() }
        do {
            try await Self.remove(below: hiddenPath) { name in
                name != ExportRest.list && !Self.lasting.contains(name) && ExportRest.run(name) == nil
            }
        } catch {
            await discard()
        }
    }

    /// Whether a name in the hidden folder is for continuing it, and no part of the export.
    static func isRest(_ name: String) -> Bool { name == ExportRest.list || ExportRest.run(name) != nil }

    /// Removes what only an interrupted run needs.
    func removeRest() async throws { try await Self.remove(below: hiddenPath) { Self.isRest($0) } }
}
