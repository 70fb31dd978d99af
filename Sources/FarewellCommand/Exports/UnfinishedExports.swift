// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Notes in the state directory where exports are being written: `exports/NAME.path`, locked by the writing process.
///
/// A killed process cannot remove what it wrote. Its note has no lock any longer, so the next command removes both,
/// unless it is the same export and continues.
struct UnfinishedExports {
    private let folder: String

    init(state: String) { folder = state + "/exports" }

    private static let ending = ".path"

    /// Notes the place of an export, and makes the export.
    ///
    /// - Throws: The errors of `body` and of the disk; nothing is exported without a note.
    func noting<Value>(_ output: String, _ body: () async throws -> Value) async throws -> Value {
        let hidden = try ExportFolder.hiddenPath(of: output)
        let name = "\(getpid())-\(hidden.hashValue.magnitude)"
        let (made, noted) = ("\(folder)/.\(name)", "\(folder)/\(name)\(Self.ending)")
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw Self.failure }
        let note = open(made, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard note >= 0 else { throw Self.failure }
        defer { close(note) }
        let bytes = Array(hidden.utf8)
        guard flock(note, LOCK_EX) == 0, write(note, bytes, bytes.count) == bytes.count, fsync(note) == 0,
            rename(made, noted) == 0
        else {
            let failure = Self.failure
            unlink(made)
            throw failure
        }
        // This note stands for those of the runs that it continues.
        for other in notes where other != name + Self.ending { forget(other, of: hidden) }
        defer { if !ExportFolder.isFolder(at: hidden) { unlink(noted) } }
        do {
            return try await body()
        } catch {
            report(hidden, after: error)
            throw error
        }
    }

    /// Reports on standard error that a failed export has left files for its continuation.
    private func report(_ hidden: String, after error: any Error) {
        // Where another process is writing the export, or the folder is another user's, the files are not this one's.
        let code = (error as? FarewellError)?.code
        guard code != "export.busy", code != "export.foreign", ExportFolder.isFolder(at: hidden) else { return }
        Terminal.error.line(
            "The files that are complete stay in \(Terminal.printable(hidden)). The same command continues from them; "
                + "any other command removes them.")
    }

    private static var failure: FarewellError {
        FileFailure(errno).error("The export cannot be noted in the state directory")
    }

    /// Removes what killed exports left, and says so on standard error.
    ///
    /// - Parameter output: The command's output: an unfinished export there is continued.
    func clean(besides output: String?) async {
        let continued = output.flatMap { try? ExportFolder.hiddenPath(of: $0) }
        for name in notes { await clean(name, besides: continued) }
    }

    private var notes: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().filter { $0.hasSuffix(Self.ending) }
    }

    /// Opens the note of a process that has ended, and locks it. The caller closes it.
    private func abandoned(_ path: String) -> (note: Int32, hidden: String)? {
        let note = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard note >= 0 else { return nil }
        guard flock(note, LOCK_EX | LOCK_NB) == 0, let data = try? OrdinaryFile.read(path, limit: 1 << 14),
            let hidden = String(validating: data, as: UTF8.self)
        else {
            close(note)
            return nil
        }
        return (note, hidden)
    }

    /// Removes another process's note of the same place.
    private func forget(_ name: String, of hidden: String) {
        let path = folder + "/" + name
        guard let found = abandoned(path) else { return }
        defer { close(found.note) }
        if found.hidden.utf8.elementsEqual(hidden.utf8) { unlink(path) }
    }

    private func clean(_ name: String, besides continued: String?) async {
        let path = folder + "/" + name
        guard let (note, hidden) = abandoned(path) else { return }
        defer { close(note) }
        if let continued, continued.utf8.elementsEqual(hidden.utf8) { return }
        // A drive that is absent now may be connected again with the files.
        let parent = URL(fileURLWithPath: hidden).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: parent) else { return }
        let terminal = Terminal.error
        let mark = terminal.yellow("! ")
        do {
            if try await ExportFolder.removeRest(at: hidden) {
                terminal.line(
                    mark + "An export was killed. Its unfinished files are removed: \(Terminal.printable(hidden))")
            }
            unlink(path)
        } catch let error as FarewellError where error.code == "export.busy" {
        } catch {
            terminal.line(
                mark + "An export was killed, and its unfinished files cannot be removed: "
                    + Terminal.printable(hidden))
            terminal.line("  → They hold a person's data. Remove the folder.")
        }
    }
}
