// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A file that holds one secret, as text.
package enum SecretFile {
    /// The secret without the line feed after it.
    ///
    /// - Throws: `settings.unreadable`, which names the file and none of its contents.
    static func text(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path), data.count <= 64 << 10,
            let text = String(data: data, encoding: .utf8)
        else {
            throw FarewellError(
                "settings.unreadable", .yoursToFix, "The secret in \(path) cannot be read.",
                remedy: "Check that the file exists, is text, and that the server's user may read it.")
        }
        let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else {
            throw FarewellError(
                "settings.unreadable", .yoursToFix, "The file \(path) is empty.", remedy: "Put the secret into it.")
        }
        try requirePrivate(path)
        return secret
    }

    /// Refuses a file that every user of the machine may read or change, or that its group may change.
    ///
    /// - Throws: `settings.unsafe`, which names the file.
    static func requirePrivate(_ path: String) throws {
        guard isOpen(path) else { return }
        throw FarewellError(
            "settings.unsafe", .yoursToFix,
            "The secret in \(path) can be read or changed by other users of this machine.", remedy: remedy)
    }

    package static let remedy =
        "Run chmod 600 on it, or 640 for a group of the server, and treat the secret as exposed."

    /// The files of a plan's systems that every user of the machine may read or change, each once, by path.
    package static func open(of plan: Plan) -> [String] {
        let paths = plan.systems.flatMap(\.secrets.values).compactMap { place -> String? in
            if case .file(let path) = place { path } else { nil }
        }
        return Set(paths).filter(isOpen).sorted()
    }

    /// Whether every user of the machine may read or change it, or its group may change it.
    ///
    /// Containers and the service manager mount secrets where no other user of the machine looks, or on a read-only
    /// file system; the operator does not choose the mode there.
    static func isOpen(_ path: String) -> Bool {
        let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: real),
            attributes[.type] as? FileAttributeType == .typeRegular,
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue, mode & 0o027 != 0
        else { return false }
        guard !handedIn.contains(where: real.hasPrefix) else { return false }
        var system = statvfs()
        return statvfs(path, &system) != 0 || system.f_flag & UInt(ST_RDONLY) == 0
    }

    private static let handedIn = ["/run/secrets/", "/var/run/secrets/", "/run/credentials/"]
}
