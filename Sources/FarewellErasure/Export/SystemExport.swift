// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL

/// Copies the subject's data in one third-party system into an export, if its connector can read.
struct SystemExport: Sendable {
    let context: ErasureContext
    let system: SystemPlan
    let subject: SealedSubject

    enum Result {
        case copied(FolderExport.Result, index: ExportManifest.File)
        case omitted(reason: String)
    }

    /// - Parameter name: What the system is called in the export.
    /// - Throws: the faults of a system that cannot be read now; errors of the disk.
    func copy(to export: ExportFolder, name: String) async throws -> Result {
        guard let connector = context.connectors[system.name] else {
            return .omitted(reason: "The secrets of this system (\(system.kind)) are not available here.")
        }
        guard let connector = connector as? any ReadingConnector else {
            return .omitted(reason: "Farewell cannot read data of this system (\(system.kind)).")
        }
        let names = try await names()
        let sink = try SystemSink(export, name)
        do {
            if !names.isEmpty {
                try await connector.read(ConnectorRequest(key: "export", names: names), into: sink)
            }
        } catch let fault as ConnectorFault {
            guard fault.error.code == "connector.credentials", try sink.isAbandoned() else {
                throw FarewellError(
                    "export.system", fault.error.family,
                    "The system \(Shown.line(system.name, limit: 80)) cannot be exported: \(fault.error.message)",
                    remedy: fault.error.remedyBeforehand)
            }
            _ = try sink.finish(system.name)
            return .omitted(reason: "Farewell's credentials may not read it.")
        }
        let ended = try sink.finish(system.name)
        return .copied(ended.result, index: ended.index)
    }

    /// The system's names for the subject, as an erasure uses them: without those that another subject has too.
    private func names() async throws -> [String] {
        let naming = SystemNames(keys: context.keys, dialect: context.prepared.schema.dialect)
        let all = try naming.names(in: system, of: subject)
        guard case .column(let column) = system.person else { return all }
        let strangers = SharedNames(context: context, column: column)
        var own: [String] = []
        for name in all where try await !strangers.isShared([name], besides: [subject]) { own.append(name) }
        return own
    }
}

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
