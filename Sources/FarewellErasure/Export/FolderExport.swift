// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation

/// Copies the subject's files of one folder of the plan into an export.
struct FolderExport: Sendable {
    let context: ErasureContext
    let folder: FolderPlan
    let subject: SealedSubject

    /// The name of a file on the page, and its address there.
    typealias Named = (name: String, address: String)

    struct Result {
        var folder: ExportManifest.Folder
        /// The first files, for the page.
        var first: [(name: String, address: String)] = []
        /// Links and special files, which are not followed.
        var notOrdinary = 0
        /// The list of the files' hashes.
        var list: ExportManifest.File
        /// The list of the original names of the files whose names are not portable.
        var names: ExportManifest.File?
    }

    /// How many files the page names.
    private static let shown = 100

    /// - Parameter name: The name of the folder in the export.
    /// - Throws: `export.output` where the export is written into the subject's own folder.
    func copy(to export: ExportFolder, name: String) async throws -> Result {
        if case .folder(let template, let key) = FolderErasure.target(folder, subject) {
            try export.refusePlace(in: folder.root, try FolderPath(template: template, subject: key))
        }
        let list = try export.file("lists", name + ".sha256")
        let state = Guarded(Copied())
        let portable = Guarded(PortableNames())
        let names = Guarded<ExportFile?>(nil)
        let prefix = ["files", name].compactMap { FileName($0) }
        try await FolderFiles(root: folder.root).forEach(
            FolderErasure.target(folder, subject),
            besides: FolderErasure(context: context, folder: folder).sharing([subject])
        ) { file in
            try Task.checkCancellation()
            let path = prefix + portable.withLock { $0.path(of: file.path) }
            guard let size = try copy(file, to: path, of: export) else {
                state.withLock { $0.notOrdinary += 1 }
                return
            }
            try list.write(Self.line(size.sha256, path))
            if path.dropFirst(prefix.count) != file.path[...] {
                let source = file.path
                try names.withLock { names in
                    let isFirst = names == nil
                    let file = try names ?? export.file("lists", name + ".names.json")
                    names = file
                    try file.write(Array((isFirst ? "[\n" : ",\n").utf8) + Self.entry(path, of: source))
                }
            }
            state.withLock { state in
                state.files += 1
                state.bytes += size.bytes
                if state.first.count < Self.shown { state.first.append(Self.shown(path)) }
            }
        }
        let size = try list.end()
        let copied = state.withLock { $0 }
        let listed = "lists/\(name).sha256"
        let named = try names.withLock { names in
            try names?.write("\n]\n")
            return try names?.end()
        }
        return Result(
            folder: .init(place: folder.name, files: copied.files, bytes: copied.bytes, list: listed),
            first: copied.first, notOrdinary: copied.notOrdinary,
            list: .init(path: listed, bytes: size.bytes, sha256: size.sha256),
            names: named.map { .init(path: "lists/\(name).names.json", bytes: $0.bytes, sha256: $0.sha256) })
    }

    /// The name of a copy, and that of the original with percent-encoded bytes, as JSON.
    private static func entry(_ path: [FileName], of original: [FileName]) throws -> [UInt8] {
        let file = path.map(\.text).joined(separator: "/")
        return try CanonicalJSON.bytes(["file": file, "name": address(original)])
    }

    /// Copies a file, or takes the copy over that an interrupted run has made of it.
    ///
    /// - Returns: `nil` for a link or a special file.
    private func copy(
        _ file: FolderFiles.File, to path: [FileName], of export: ExportFolder
    ) throws -> ExportFile.Size? {
        let now = context.environment.now()
        let mark = try file.folder.mark(of: file.name, now: now)
        let name = Array(file.path.map(\.raw).joined(separator: [UInt8(ascii: "/")]))
        let source = mark.map { ExportSource(place: "folder " + folder.name, name: name, mark: $0) }
        if let source, let size = try export.takeOver(source, to: path) { return size }
        let copy = try export.file(path)
        let isOrdinary = try file.folder.read(file.name) { try copy.write($0) }
        let size = try copy.end()
        guard isOrdinary else {
            try export.remove(path)
            return nil
        }
        // Otherwise it has changed while it was read.
        if let source, try file.folder.mark(of: file.name, now: now) == mark { try export.note(source, size, path) }
        return size
    }

    private struct Copied: Sendable {
        var files = 0
        var bytes = 0
        var notOrdinary = 0
        var first: [(name: String, address: String)] = []
    }

    /// A line as `sha256sum --check` reads it: a name with a line break is escaped, and the line begins with `\`.
    static func line(_ hash: String, _ path: [FileName]) -> [UInt8] {
        let bytes = Array(path.map(\.raw).joined(separator: [UInt8(ascii: "/")]))
        let escaped = bytes.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "\\"): Array("\\\\".utf8)
            case UInt8(ascii: "\n"): Array("\\n".utf8)
            case UInt8(ascii: "\r"): Array("\\r".utf8)
            default: [byte]
            }
        }
        return (escaped == bytes ? [] : [UInt8(ascii: "\\")]) + Array(hash.utf8) + Array("  ".utf8) + escaped + [10]
    }

    /// The name of a file on the page, and its address there (RFC 3986).
    static func shown(_ path: [FileName]) -> (name: String, address: String) {
        (path.dropFirst(2).map(\.text).joined(separator: "/"), address(path))
    }

    private static func address(_ path: [FileName]) -> String {
        path.map { PercentEncoding.text(of: $0.raw) }.joined(separator: "/")
    }
}

extension FileName {
    /// Its bytes.
    var raw: [UInt8] { bytes.dropLast().map { UInt8(bitPattern: $0) } }
}
