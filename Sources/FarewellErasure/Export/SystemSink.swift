// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys

/// Writes each item of a system into a file of its own, with a safe name, and lists the system's names beside them.
final class SystemSink: ConnectorSink {
    private struct State: Sendable {
        var copied = 0
        var bytes = 0
        var first: [FolderExport.Named] = []
        var file: ExportFile?
        var path: [FileName] = []
        var name = ""
    }

    private let export: ExportFolder
    private let folder: String
    private let list: ExportFile
    private let index: ExportFile
    private let state = Guarded(State())
    /// How many files the page names.
    private static let shown = 100

    /// - Parameter name: A safe one, which no other system has.
    init(_ export: ExportFolder, _ name: String) throws {
        self.export = export
        folder = name
        list = try export.file("lists", "system." + name + ".sha256")
        index = try export.file("lists", "system." + name + ".json")
        try index.write("[")
    }

    /// Removes an unfinished first item; whether no item is complete.
    func isAbandoned() throws -> Bool {
        try state.withLock { state in
            guard state.copied == 0 else { return false }
            guard state.file != nil else { return true }
            state.file = nil
            try export.remove(state.path)
            return true
        }
    }

    func begin(_ name: String) throws {
        try Task.checkCancellation()
        try state.withLock { state in
            // Numbered, because two names may be the same once they are safe.
            var safe = ExportNames()
            let last = name.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) }
            let file = "\(state.copied + 1)-" + safe.name(for: last ?? "")
            state.path = ["systems", folder, file].compactMap { FileName($0) }
            state.file = try export.file(state.path)
            state.name = name
        }
    }

    func add(_ bytes: [UInt8]) throws {
        try Task.checkCancellation()
        try state.withLock { try $0.file?.write(bytes) }
    }

    func end() throws {
        try state.withLock { state in
            guard let size = try state.file?.end() else { return }
            state.file = nil
            try list.write(FolderExport.line(size.sha256, state.path))
            let path = state.path.map(\.text).joined(separator: "/")
            let entry = try CanonicalJSON.data(["file": path, "name": state.name])
            try index.write(Array((state.copied == 0 ? "\n" : ",\n").utf8) + entry)
            state.copied += 1
            state.bytes += size.bytes
            if state.first.count < Self.shown { state.first.append(FolderExport.shown(state.path)) }
        }
    }

    /// - Parameter place: The system's name in the plan.
    func finish(_ place: String) throws -> (result: FolderExport.Result, index: ExportManifest.File) {
        try index.write("\n]\n")
        let (listed, indexed) = (try list.end(), try index.end())
        let (listPath, indexPath) = ("lists/system.\(folder).sha256", "lists/system.\(folder).json")
        let copied = state.withLock { $0 }
        return (
            FolderExport.Result(
                folder: .init(place: place, files: copied.copied, bytes: copied.bytes, list: listPath),
                first: copied.first,
                list: .init(path: listPath, bytes: listed.bytes, sha256: listed.sha256)),
            .init(path: indexPath, bytes: indexed.bytes, sha256: indexed.sha256)
        )
    }
}
