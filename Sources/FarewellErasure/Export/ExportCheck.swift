// SPDX-License-Identifier: Apache-2.0

import Crypto
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

/// Checks an export against its signed manifest: the manifest is genuine, each of its files is there and unchanged, and
/// there is no other file.
package struct ExportCheck {
    private let path: String
    /// No manifest is longer.
    private static let limit = 8 << 20

    /// The result of the check.
    package struct Outcome: Sendable, Hashable {
        package var manifest: ExportManifest
        package var files = 0
        /// Files that are missing, changed or not in the manifest, each with its fault. Their names may be personal.
        package var wrong: [String] = []
    }

    /// - Parameter path: The folder of the export.
    package init(_ path: String) { self.path = path }

    /// - Throws: what `ExportSigner.verified` throws; errors of the disk.
    package func run(by keys: PublicKeyList) async throws -> Outcome {
        let root = try opened()
        guard let signed = try found(["manifest.jws"], in: root), signed.count <= Self.limit else {
            throw Self.noExport
        }
        let (manifest, payload) = try ExportSigner.verified(String(decoding: signed, as: UTF8.self), by: keys)
        var outcome = Outcome(manifest: manifest)
        var expected: [[UInt8]: String] = [:]
        for file in manifest.files { expected[Array(file.path.utf8)] = file.sha256 }
        let plain = try found(["manifest.json"], in: root)
        if plain != Array(payload) {
            outcome.wrong.append("manifest.json: is \(plain == nil ? "missing" : "not the signed manifest")")
        }
        for folder in manifest.folders {
            try list(folder.list, root, &expected)
        }
        var seen: Set<[UInt8]> = [Array("manifest.json".utf8), Array("manifest.jws".utf8)]
        try await FolderFiles(root: path).forEachFile { file in
            let name = Array(file.path.map(\.raw).joined(separator: [UInt8(ascii: "/")]))
            guard seen.insert(name).inserted else { return }
            outcome.files += 1
            let shown = Shown.line(String(decoding: name, as: UTF8.self), limit: 200)
            guard let hash = expected[name] else { return outcome.wrong.append("\(shown): is not in the manifest") }
            var sha = SHA256()
            let isOrdinary = try file.folder.read(file.name) { sha.update(data: $0) }
            if !isOrdinary || sha.finalize().hexadecimal != hash { outcome.wrong.append("\(shown): was changed") }
        }
        for name in expected.keys where !seen.contains(name) {
            outcome.wrong.append("\(Shown.line(String(decoding: name, as: UTF8.self), limit: 200)): is missing")
        }
        outcome.wrong.sort()
        return outcome
    }

    private func opened() throws -> OpenFolder {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard [ENOENT, ENOTDIR].contains(errno) else {
                throw FileFailure(errno).error("The export cannot be opened")
            }
            throw FarewellError(
                "export.missing", .yoursToFix, "There is no export at \(Shown.line(path, limit: 200)).",
                remedy: "Name the folder that farewell export created.")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw FarewellError(
                "export.not-one", .yoursToFix,
                "\(Shown.line(path, limit: 200)) is not a folder, and --check reads the folder of an export.",
                remedy: "Unpack an archive first, and name the folder in it; for a link, name the folder itself.")
        }
        do {
            return try OpenFolder.root(path)
        } catch let error as FarewellError {
            throw FarewellError(
                error.code, error.family, "The folder \(Shown.line(path, limit: 200)) cannot be opened as an export.",
                remedy: "Check that you may read it.")
        }
    }

    /// The lines of a list of hashes.
    private func list(_ path: String, _ root: OpenFolder, _ expected: inout [[UInt8]: String]) throws {
        // The manifest has the list's own hash: a missing list is reported like any other file.
        guard let bytes = try found(path.split(separator: "/").map(String.init), in: root, limit: .max) else { return }
        for line in bytes.split(separator: 10) {
            let isEscaped = line.first == UInt8(ascii: "\\")
            let rest = isEscaped ? line.dropFirst() : line
            guard rest.count > 66 else { continue }
            let hash = String(decoding: rest.prefix(64), as: UTF8.self)
            expected[isEscaped ? Self.unescaped(rest.dropFirst(66)) : Array(rest.dropFirst(66))] = hash
        }
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var (result, isEscape) = ([UInt8](), false)
        for byte in bytes {
            if isEscape {
                result.append(byte == UInt8(ascii: "n") ? 10 : byte == UInt8(ascii: "r") ? 13 : byte)
                isEscape = false
            } else if byte == UInt8(ascii: "\\") {
                isEscape = true
            } else {
                result.append(byte)
            }
        }
        return result
    }

    /// The bytes of an ordinary file: of a longer one at least as many as exceed the limit; `nil` where there is none.
    private func found(_ parts: [String], in root: OpenFolder, limit: Int = Self.limit) throws -> [UInt8]? {
        let names = parts.compactMap { FileName($0) }
        var folder = root
        for name in names.dropLast() {
            guard let next = try folder.folder(name) else { return nil }
            folder = next
        }
        guard let name = names.last, names.count == parts.count else { return nil }
        var bytes: [UInt8] = []
        let isThere = try folder.read(name) { piece in
            if bytes.count <= limit { bytes += piece }
        }
        return isThere ? bytes : nil
    }

    private static let noExport = FarewellError(
        "export.not-one", .yoursToFix,
        "The folder is not an export of Farewell: its signed manifest is missing or too long.",
        remedy: "Name a folder that farewell export created.")
}
