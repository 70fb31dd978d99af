// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The proof that the plan names the right place.
extension FirestoreConnector {
    public func prove() async throws -> String? {
        try await provePlace()
        return switch place {
        case .path: "the database answers, and the collection \(mayBeEmpty ? "exists or may be empty" : "exists")"
        case .field: "the database answers, and the field has the plan's type"
        }
    }

    /// - Throws: `ConnectorFault.unproved` if nothing shows that this is the right place for the request's names.
    func requirePlace(for request: ConnectorRequest) async throws {
        guard case .field(let field) = place else {
            return try await named.require(request.names, request.record, siblings, end: end)
        }
        // A record of one subject proves nothing for other subjects.
        guard request.record != .dataOfSubject else { return try await provePlace(.dataOfSubject) }
        try await proof.require { try await provePlace(request.record) }
        guard !field.isMixed, !mayBeEmpty, !proof.hasSeenSomething else { return }
        if let objection = sample.withLock({ $0?.objection(to: request.names) }) { throw unfit(objection, field) }
    }

    private func provePlace(_ record: PlaceRecord = .nothing) async throws {
        switch place {
        case .path: try await named.prove(siblings, end: end)
        case .field(let field):
            let ends = try await database.ends(of: field)
            let found = FirestoreSample(ends, of: field, root: database.rootName)
            sample.withLock { $0 = found }
            if !field.isMixed { try requireType(field, ends) }
            guard !mayBeEmpty, record != .dataOfSubject, !proof.hasSeenSomething else { return }
            if ends.isEmpty {
                guard record == .nothing else { return }
                let isEmpty = try await !database.hasDocuments(field)
                throw unproved(
                    isEmpty ? "the collection is empty" : "no document of the collection has the field")
            }
            guard field.isMixed || field.mayHaveForm(ends, root: database.rootName) else {
                throw unfit("no value of the field has the form of the setting `value`", field)
            }
        }
    }

    private func unproved(_ why: String) -> ConnectorFault {
        .unproved(
            database.system, why,
            remedy:
                "Correct the project, database, path, collection or field in the plan, or set `empty: allowed` there; "
                + "then release the erasure.")
    }

    /// Something of a person's was seen.
    func sawSomething() {
        proof.sawSomething()
        named.sawSomething()
    }

    /// The names beside the subject's document or collection.
    private func siblings(after name: String?) async throws -> NameSample {
        guard case .path(let before, _) = place else { return NameSample() }
        let above = before.joined(separator: "/")
        func sample(_ paths: [String], isWhole: Bool = true) -> NameSample {
            NameSample(names: paths.map { FirestoreDatabase.split($0).name }, isWhole: isWhole)
        }
        if before.count % 2 == 0 {
            let found = try await PageMark.filled { page -> (entries: [String], next: String?) in
                let found = try await database.collections(of: above, page: page)
                return (found.names, found.next)
            }
            return sample(found.entries)
        }
        if let name { return sample(try await database.documents(of: above, after: name, limit: 100)) }
        let found = try await PageMark.filled { try await database.entries(of: above, page: $0, limit: 100) }
        return sample(found.entries.map(\.path), isWhole: found.isAll)
    }

    private var end: NamedPlace.End? {
        if case .path(_, let after) = place, !after.isEmpty { reachesAny } else { nil }
    }

    /// Whether anything is at the place of one of some names.
    private func reachesAny(_ names: [String]) async throws -> Bool {
        for root in names.compactMap({ try? root(of: $0) }) {
            switch root {
            case .document(let document):
                if try await !database.present([document]).isEmpty { return true }
                if try await !database.descendants(of: document, after: nil, limit: 1).isEmpty { return true }
            case .collection(let collection):
                let found = try await PageMark.filled { try await database.entries(of: collection, page: $0, limit: 1) }
                if !found.entries.isEmpty { return true }
            case .match: continue
            }
        }
        return false
    }

    /// A query for values of one type finds none of another, nor elements of another.
    private func requireType(_ field: FirestoreField, _ ends: [FirestoreField.End]) throws {
        let values = ends.map(\.value)
        let members = values.map { $0.flatMap(FirestoreField.member) ?? "" }
        if let other = members.first(where: { $0 != field.kind.member }) {
            let all = Set(members).count == 1
            throw unfit(
                "the field contains \(all ? "" : "also ")\(FirestoreField.words(of: other)), and the plan's type is "
                    + field.kind.rawValue, field)
        }
        guard let wanted = field.kind.element else { return }
        let elements = values.flatMap { $0.map(FirestoreField.elements) ?? [] }
        if let other = elements.first(where: { $0 != wanted }) {
            let all = !elements.contains(wanted)
            throw unfit(
                "the field's arrays contain \(all ? "" : "also ")\(FirestoreField.words(ofElement: other)), and the "
                    + "plan's type is \(field.kind.rawValue)", field)
        }
    }

    private func unfit(_ why: String, _ field: FirestoreField) -> ConnectorFault {
        .unproved(
            database.system, why,
            remedy:
                "Set type, value and person to the field's contents. If they differ, write one system of the plan for "
                + "each type or form, each with `mixed: allowed`. Then release the erasure.")
    }
}
