// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// The findings of recorded erasures at the place of a system, as its present settings name it.
///
/// A step's record has the place's fingerprint if data was found there. A plan that names another place, in any way,
/// has another fingerprint, so that the records of the first say nothing about the second.
struct PlaceRecords: Sendable {
    let context: ErasureContext
    let system: SystemPlan
    /// Seconds for which an erasure of another subject says where the app keeps its data: 90 days.
    private static let lifetime = 90.0 * 86_400

    /// The hash of everything in the plan that decides where the connector looks and for which names.
    var place: String {
        // These say how strictly or how fast it looks.
        let settings = system.settings.filter { !["empty", "mixed", "rate"].contains($0.key) }
        let person = if case .column(let column) = system.person { "\(column)" } else { "" }
        let owned = system.owned.map { owned in
            ["\(owned.column)"] + owned.owners + owned.condition.parts.flatMap { [$0.column] + $0.values }
        }
        let parts = [
            [system.kind], ["\(context.prepared.plan.subject.table)", person], owned ?? [],
            settings.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] },
            system.secrets.sorted { $0.key < $1.key }.flatMap { [$0.key, "\($0.value)"] },
        ]
        let digest = SHA256.hash(data: (try? CanonicalJSON.data(parts)) ?? Data())
        return digest.map { String(format: "%02x", $0) }.joined()
    }

    /// - Parameter erasure: That of the subject which is under way; `nil` if none is.
    func record(of subject: SealedSubject, in erasure: UUID?) async throws -> PlaceRecord {
        // A column's values may be others than those that an earlier erasure of the subject knew.
        let hash = system.person == .key ? context.subjectHash(subject.key.value).rawValue : nil
        let since = context.environment.now().addingTimeInterval(-Self.lifetime)
        return try await context.control.steps
            .placeRecord(system.step, at: place, of: hash, in: erasure, since: since).run(in: context.database)
    }

    /// The progress with this place if data was found there since a count of an earlier try, which may have been about
    /// another place.
    func noting(_ progress: StepProgress, since before: [String: Int]) -> StepProgress {
        guard Self.found(in: progress.counts) > Self.found(in: before) else { return progress }
        var noted = progress
        noted.place = place
        return noted
    }

    private static func found(in counts: [String: Int]) -> Int {
        (counts[ConnectorDriver.Count.found.rawValue] ?? 0) + (counts[ConnectorDriver.Count.erased.rawValue] ?? 0)
    }
}

extension ConnectorRequest {
    /// Calls a connector, and once more with the record of erasures if nothing else shows that the place is right.
    func proving<Value>(
        _ record: () async throws -> PlaceRecord, _ call: (ConnectorRequest) async throws -> Value
    ) async throws -> Value {
        do {
            return try await call(self)
        } catch let fault as ConnectorFault where fault.isUnproved {
            var request = self
            request.record = try await record()
            guard request.record != .nothing else { throw fault }
            return try await call(request)
        }
    }
}
