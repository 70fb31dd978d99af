// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The entries of the folder in which a template has one entry for each subject.
struct FolderEntries {
    /// The path to it, the same for all subjects.
    let parent: [FileName]
    private let before: String
    private let after: String

    /// - Throws: `folder.template`, `folder.subject`.
    init(template: String, subject: String) throws {
        let path = try FolderPath(template: template, subject: subject)
        parent = Array(path.names.prefix(path.common))
        let part = template.split(separator: "/", omittingEmptySubsequences: false)[path.common]
        let mark = part.firstRange(of: "{subject}")
        before = mark.map { String(part[..<$0.lowerBound]) } ?? ""
        after = mark.map { String(part[$0.upperBound...]) } ?? ""
    }

    /// The key for which an entry would stand; `nil` if the template leads to no such entry.
    func key(of entry: FileName) -> String? {
        let bytes = Array(entry.text.utf8)
        let (start, end) = (Array(before.utf8), Array(after.utf8))
        guard bytes.count > start.count + end.count, bytes.starts(with: start),
            bytes.suffix(end.count).elementsEqual(end)
        else { return nil }
        return String(decoding: bytes[start.count..<bytes.count - end.count], as: UTF8.self)
    }
}
