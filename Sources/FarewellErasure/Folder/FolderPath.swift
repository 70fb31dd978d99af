// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A template or a path taken apart, each part checked.
struct FolderPath: Hashable {
    let names: [FileName]
    /// The number of leading parts that are the same for all subjects; the rest is the subject's own.
    let common: Int

    /// Fills in a template. Throws `folder.template` or `folder.subject`.
    init(template: String, subject: String) throws {
        let mark = "{subject}"
        let trimmed = template.hasSuffix("/") ? template.dropLast() : template[...]
        let parts = trimmed.split(separator: "/", omittingEmptySubsequences: false)
        guard let common = parts.firstIndex(where: { $0.contains(mark) }), parts.allSatisfy({ FileName($0) != nil })
        else {
            throw FarewellError(
                "folder.template", .yoursToFix, "The folder's template does not name one folder for each subject.",
                remedy: "Write a relative path with {subject} in it, such as {subject}/ or users/{subject}/.")
        }
        guard FileName(subject) != nil else { throw Self.unsafeSubject }
        let names = parts.compactMap { FileName(String($0).replacing(mark, with: subject)) }
        guard names.count == parts.count else { throw Self.unsafeSubject }
        self.names = names
        self.common = common
    }

    /// Splits a relative path; `nil` unless every part is safe. Redundant parts are left out: `./a`, `a/./b`, `a//b`
    /// and `a/` are `a`, `a/b`, `a/b` and `a`.
    init?(file path: String) {
        guard path.utf8.first != UInt8(ascii: "/"), !path.utf8.contains("://".utf8) else { return nil }
        // By bytes: a slash is a slash, also before a combining mark.
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init).filter {
            !$0.utf8.elementsEqual(".".utf8)
        }
        let names = parts.compactMap { FileName($0) }
        guard !parts.isEmpty, names.count == parts.count else { return nil }
        self.names = names
        common = 0
    }

    /// Takes the parts of a relative path; `nil` unless every part is safe.
    init?(parts: [[UInt8]]) {
        let names = parts.compactMap { FileName(bytes: $0) }
        guard !parts.isEmpty, names.count == parts.count else { return nil }
        self.names = names
        common = 0
    }

    /// The path, written in the one way that leaves nothing out.
    var text: String { names.map(\.text).joined(separator: "/") }

    private static var unsafeSubject: FarewellError {
        FarewellError(
            "folder.subject", .yoursToFix, "The subject's key cannot be the name of a folder.",
            remedy: "Name the subject's files by a column instead.")
    }
}
