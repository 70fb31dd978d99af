// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys

/// Writes each item of a system into a file of its own, with a safe name, and lists the system's names beside them.
final class SystemSink: ConnectorSink {
    private struct State: Sendable {
        var copied = 0
        var bytes = 0
        var first: [FolderExport.Named] = []
        /// Items that were begun and not ended, and others that the connector could not read.
        var unread = 0
        var withheld = Withheld()
        var file: ExportFile?
        var path: [FileName] = []
        var name = ""
        /// Made when first needed: a system that cannot be read leaves none.
        var lists: Lists?
    }

    /// The hashes of the items, and the system's names for them.
    private struct Lists: Sendable {
        let hashes: ExportFile
        let index: ExportFile
    }

    /// Values that were left out, by their names.
    struct Withheld: Sendable {
        fileprivate(set) var count = 0
        /// The first of them.
        fileprivate(set) var names: Set<ExactText> = []
        fileprivate static let most = 50
    }

    /// The files written for a system.
    struct Written: Sendable {
        let result: FolderExport.Result
        let index: ExportManifest.File
        /// Items that the connector could not read.
        let unread: Int
        let withheld: Withheld
    }

    private let export: ExportFolder
    private let folder: String
    private let place: String
    private let state = Guarded(State())
    /// How many files the page names.
    private static let shown = 100

    /// - Parameters:
    ///   - name: A safe one, which no other system has.
    ///   - place: The system's name in the plan.
    init(_ export: ExportFolder, _ name: String, of place: String) {
        self.export = export
        folder = name
        self.place = place
    }

    /// Leaves nothing of a system of which no item is complete; whether there is none.
    func abandon() throws -> Bool {
        try state.withLock { state in
            guard state.copied == 0 else { return false }
            try removeUnended(&state)
            return true
        }
    }

    /// Removes an item that was begun and not ended, and a folder that is empty then.
    private func removeUnended(_ state: inout State) throws {
        guard state.file != nil else { return }
        state.file = nil
        state.unread += 1
        try export.remove(state.path)
        try export.removeEmpty(state.path.dropLast())
    }

    /// The lists, which are made now if there are none.
    private func lists(_ state: inout State) throws -> Lists {
        if let lists = state.lists { return lists }
        let lists = Lists(
            hashes: try export.file("lists", "system." + folder + ".sha256"),
            index: try export.file("lists", "system." + folder + ".json"))
        try lists.index.write("[")
        state.lists = lists
        return lists
    }

    /// An item that is not ended before the next one is left out, and counted.
    func begin(_ name: String) throws {
        try Task.checkCancellation()
        try state.withLock { state in
            try removeUnended(&state)
            self.name(name, &state)
            state.file = try export.file(state.path)
        }
    }

    /// Names the next item. Numbered, because two names may be the same once they are safe.
    private func name(_ name: String, _ state: inout State) {
        var safe = ExportNames()
        let last = name.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) }
        let file = "\(state.copied + 1)-" + safe.name(for: last ?? "")
        state.path = ["systems", folder, file].compactMap { FileName($0) }
        state.name = name
    }

    func takeOver(_ name: String, marked mark: String) throws -> Bool {
        try Task.checkCancellation()
        return try state.withLock { state in
            try removeUnended(&state)
            self.name(name, &state)
            guard let size = try export.takeOver(source(name, mark), to: state.path) else { return false }
            try count(size, &state)
            return true
        }
    }

    private func source(_ name: String, _ mark: String) -> ExportSource {
        ExportSource(place: "system " + place, name: Array(name.utf8), mark: mark)
    }

    func add(_ bytes: [UInt8]) throws {
        try Task.checkCancellation()
        try state.withLock { try $0.file?.write(bytes) }
    }

    func end() throws { try end(mark: nil) }

    func end(marked mark: String) throws { try end(mark: mark) }

    private func end(mark: String?) throws {
        try state.withLock { state in
            guard let size = try state.file?.end() else { return }
            state.file = nil
            if let mark { try export.note(source(state.name, mark), size, state.path) }
            try count(size, &state)
        }
    }

    /// Lists an item that is complete.
    private func count(_ size: ExportFile.Size, _ state: inout State) throws {
        let lists = try lists(&state)
        try lists.hashes.write(FolderExport.line(size.sha256, state.path))
        let path = state.path.map(\.text).joined(separator: "/")
        let entry = try CanonicalJSON.data(["file": path, "name": state.name])
        try lists.index.write(Array((state.copied == 0 ? "\n" : ",\n").utf8) + entry)
        state.copied += 1
        state.bytes += size.bytes
        if state.first.count < Self.shown { state.first.append(FolderExport.shown(state.path)) }
    }

    func leaveOut(_ omission: ConnectorOmission) throws {
        state.withLock { state in
            switch omission {
            case .unreadable: state.unread += 1
            case .value(let name):
                state.withheld.count += 1
                if state.withheld.names.count < Withheld.most { state.withheld.names.insert(ExactText(name)) }
            }
        }
    }

    /// - Parameter place: The system's name in the plan.
    func finish(_ place: String) throws -> Written {
        try state.withLock { state in
            try removeUnended(&state)
            let lists = try lists(&state)
            try lists.index.write("\n]\n")
            let (listed, indexed) = (try lists.hashes.end(), try lists.index.end())
            let (listPath, indexPath) = ("lists/system.\(folder).sha256", "lists/system.\(folder).json")
            return Written(
                result: FolderExport.Result(
                    folder: .init(place: place, files: state.copied, bytes: state.bytes, list: listPath),
                    first: state.first,
                    list: .init(path: listPath, bytes: listed.bytes, sha256: listed.sha256)),
                index: .init(path: indexPath, bytes: indexed.bytes, sha256: indexed.sha256), unread: state.unread,
                withheld: state.withheld)
        }
    }
}
