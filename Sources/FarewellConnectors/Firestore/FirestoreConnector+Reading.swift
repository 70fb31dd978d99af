// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Reads every document that an erasure would delete, with everything below it. Of a document that belongs to several
/// people, from which an erasure removes the subject, it reads the name and the value that names the subject.
extension FirestoreConnector: ReadingConnector {
    /// Documents of which one answer has the contents.
    private static let some = 25

    /// The values that an export leaves out of documents, except for the field that names the subject; and whether the
    /// documents belong to several people.
    static func reading(_ system: SystemPlan, _ place: Place) -> (WithheldValues, isOfOthers: Bool) {
        guard case .field(let field) = place else { return (WithheldValues(system.export, .firestore), false) }
        let parts = FirestoreDatabase.parts(ofField: field.name)
        return (WithheldValues(system.export, .firestore, keep: parts), field.removes)
    }

    public func read(_ request: ConnectorRequest, into sink: any ConnectorSink) async throws {
        let name = isOfOthers ? "documents.naming-you.json" : "documents.json"
        var documents = try ExportedDocuments(name, of: database.system, into: sink, without: withheld)
        for name in request.names {
            switch try root(of: name) {
            case .document(let document): try await read(document, isThere: true, into: sink, &documents)
            case .collection(let collection):
                var page: String?
                repeat {
                    let found = try await database.entries(of: collection, page: page)
                    for entry in found.entries {
                        try await read(entry.path, isThere: entry.isThere, into: sink, &documents)
                    }
                    page = found.next
                } while page != nil
            case .match(let match): try await read(match, into: sink, &documents)
            }
        }
        if documents.count > 0 { sawSomething() } else { try await requirePlace(for: request) }
        try documents.end()
    }

    /// A document and everything below it.
    private func read(
        _ document: String, isThere: Bool, into sink: any ConnectorSink, _ documents: inout ExportedDocuments
    ) async throws {
        if isThere { try await add([document], into: sink, &documents) }
        try await readBelow(document, into: sink, &documents)
    }

    private func readBelow(
        _ document: String, into sink: any ConnectorSink, _ documents: inout ExportedDocuments
    ) async throws {
        var last: String?
        repeat {
            let found = try await database.descendants(of: document, after: last, limit: Self.page)
            for start in stride(from: 0, to: found.count, by: Self.some) {
                try await add(Array(found[start..<min(start + Self.some, found.count)]), into: sink, &documents)
            }
            last = found.count == Self.page ? found.last : nil
        } while last != nil
    }

    /// Adds those of these documents that are still there, in this order.
    private func add(
        _ paths: [String], into sink: any ConnectorSink, _ documents: inout ExportedDocuments
    ) async throws {
        guard let found = try await database.contents(of: paths) else {
            guard paths.count > 1 else { return try sink.leaveOut(.unreadable) }
            for path in paths { try await add([path], into: sink, &documents) }
            return
        }
        let byPath = Dictionary(found.map { (ExactText($0.path), $0.raw) }) { first, _ in first }
        for path in paths {
            if let raw = byPath[ExactText(path)] { try documents.add(raw) }
        }
    }

    private func read(
        _ match: FirestoreDatabase.Match, into sink: any ConnectorSink, _ documents: inout ExportedDocuments
    ) async throws {
        var reached = FirestoreDatabase.Reached()
        var limit = Self.some
        while true {
            let page = try await database.contents(match, after: reached, limit: limit)
            if page == nil, limit > 1 {
                limit = 1
                continue
            }
            // A document that is too long to read is named, and the documents below it are read.
            let isUnread = page == nil
            guard
                let found = try await isUnread
                    ? database.contents(match, after: reached, limit: 1, namesOnly: true) : page
            else { throw ConnectorFault.tooLong(database.system) }
            for document in found {
                if isUnread {
                    try sink.leaveOut(.unreadable)
                } else if match.field.removes {
                    try documents.add(try database.mention(in: document, of: match))
                } else {
                    try documents.add(document.raw)
                }
                if !match.field.removes { try await readBelow(document.path, into: sink, &documents) }
            }
            guard found.count == limit else { return }
            reached = database.reached(after: found, of: match, from: reached)
            limit = Self.some
        }
    }
}
