// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Amazon S3 and compatible services: every version, every delete marker and every upload in progress below the
/// subject's prefix.
///
/// Settings: `region`, `bucket`, `prefix` (`users/{person}/`; it ends with a slash, so that no name begins with another
/// one) or `keys: exact` (the subject's names are keys themselves), `owner` (the number of the account that must own
/// the bucket), `payer` (`requester`: the account of the credentials pays), `endpoint` (then the bucket goes into the
/// path).
///
/// The evidence that the place is the right one is the list itself: a bucket that does not exist, is in another region
/// or may not be listed answers with an error, and a list names its bucket.
///
/// A compatible service may list no versions. Then the list is that of its objects, which are deleted without a
/// version, and the receipt says so. If such a bucket keeps versions, the erasure parks.
public struct S3Connector: Connector {
    let bucket: S3Bucket
    let location: ObjectLocation
    private let place: NamedPlace
    private let declared: ConnectorDeclaration

    public var declaration: ConnectorDeclaration {
        let unlisted = bucket.unlisted
        var declaration = declared
        if unlisted.versions != nil { declaration.abilities.remove(.versions) }
        declaration.remarks += unlisted.remarks(about: bucket.system)
        return declaration
    }

    /// - Throws: `plan.system` when the plan does not say what it must, or the prefix could reach a neighbour.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, of: .s3)
        let name = try settings.required("bucket")
        location = try ObjectLocation(settings)
        let arn = "arn:\(AWSPartition(region: try settings.required("region")).name):s3:::\(name)"
        declared = try settings.paced(
            ConnectorDeclaration(
                abilities: [.count, .verify, .versions], budget: RateBudget(burst: 50, perSecond: 50),
                grants: [
                    .init(["s3:ListBucketVersions", "s3:ListBucketMultipartUploads"], on: arn),
                    .init(
                        [
                            "s3:DeleteObject", "s3:DeleteObjectVersion", "s3:AbortMultipartUpload",
                            "s3:GetObjectVersion", "s3:GetObjectRetention", "s3:GetObjectLegalHold",
                        ], on: "\(arn)/\(location.beginning)*"),
                ],
                remarks: [
                    ReceiptNote(about: system.name, note: "Copies that the bucket replicates elsewhere were not read.")
                ]))
        place = try NamedPlace(settings, location.setting, empty: location.emptiness, world: world)
        bucket = try S3Bucket(settings, budget: declared.budget, world: world)
    }

    public func prove() async throws -> String? {
        var isEmpty = true
        for kind in [S3Entry.Kind.version, .upload] {
            let page = try await bucket.list(kind, below: location.beginning, limit: 1)
            if !page.entries.isEmpty { isEmpty = false }
        }
        try await place.prove(siblings, end: end)
        let unlisted = bucket.unlisted
        return "the bucket \(bucket.name) lists its \(unlisted.listed) for this key\(unlisted.doubt)"
            + (isEmpty ? location.doubt : "")
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        var count = 0
        try await each(request.names) { entries in
            count += entries.count
            return .goOn
        }
        try await conclude(count, request)
        return count
    }

    /// Nothing counts only in the right place; something shows that it is.
    func conclude(_ found: Int, _ request: ConnectorRequest) async throws {
        guard found == 0 else { return place.sawSomething() }
        try await place.require(request.names, request.record, siblings, end: end)
    }

    /// The names beside the subject's.
    private func siblings(after name: String?) async throws -> NameSample {
        let marker = try name.map { S3Marker(key: try location.prefix(of: $0, in: bucket.system), id: nil) }
        let page = try await bucket.list(
            .version, below: location.beginning, after: marker, limit: 100, delimiter: location.delimiter)
        var sample = location.sample(of: page.folders + page.entries.map(\.key), isWhole: page.next == nil)
        guard name == nil, sample.isEmpty else { return sample }
        sample.isAllEmpty = try await isEmpty()
        return sample
    }

    private var end: NamedPlace.End? { if location.end == nil { nil } else { reachesAny } }

    /// Whether the first objects of all, or of some names, are where the prefix leads.
    private func reachesAny(_ names: [String]) async throws -> Bool {
        let first = try await bucket.list(.version, below: location.beginning)
        if first.entries.contains(where: { location.leads(to: $0.key) }) { return true }
        guard first.next != nil else { return false }
        for name in names {
            let prefix = try location.prefix(of: name, in: bucket.system)
            if try await !bucket.list(.version, below: prefix, limit: 1).entries.isEmpty { return true }
        }
        return false
    }

    private func isEmpty() async throws -> Bool {
        for kind in [S3Entry.Kind.version, .upload] {
            let page = try await bucket.list(kind, below: "", limit: 1)
            guard page.entries.isEmpty, page.next == nil else { return false }
        }
        return true
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        var left = 0
        try await each(request.names) { entries in
            left += entries.count
            return left > 0 ? .stop : .goOn
        }
        try await conclude(left, request)
        return left == 0 ? .gone : .left(left)
    }

    /// One page of one name, and after its last page of versions the first of its uploads in progress. Locked or
    /// refused objects stay, and everything else is deleted before that is reported.
    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        var place = try Place(cursor: request.cursor, system: bucket.system)
        let (prefixes, refused) = try request.places { try location.prefix(of: $0, in: bucket.system) }
        guard place.name < prefixes.count else {
            if let refused { throw refused }
            return .nothingThere
        }
        let prefix = prefixes[place.name]
        var erased = try await erasePage(below: prefix, &place)
        if place.isAtUploads, place.marker == nil { erased += try await erasePage(below: prefix, &place) }
        if erased > 0 { self.place.sawSomething() }
        if place.name < prefixes.count { return .more(erased, cursor: try place.text()) }
        if place.kept.isEmpty {
            if let refused { throw refused }
            try await conclude(erased, request)
            return erased > 0 ? .erased(erased) : .nothingThere
        }
        if place.kept.isAllDenied {
            let right = bucket.unlisted.versions == nil ? "s3:DeleteObjectVersion" : "s3:DeleteObject"
            throw ConnectorFault.credentials(bucket.system, needs: "\(right), s3:AbortMultipartUpload")
        }
        let (why, remedy) = place.kept.words
        // Starts again after a release: the objects kept then are read again.
        throw ConnectorFault.refused(bucket.system, why, remedy: remedy).anew
    }

    private func erasePage(below prefix: String, _ place: inout Place) async throws -> Int {
        let kind: S3Entry.Kind = place.isAtUploads ? .upload : .version
        let page = try await bucket.list(kind, below: prefix, after: place.marker)
        let (erased, kept) = try await S3Deletion(bucket: bucket).delete(own(page.entries, prefix))
        place.kept.add(kept)
        place.marker = page.next
        if page.next == nil {
            if place.isAtUploads { place.name += 1 }
            place.isAtUploads.toggle()
        }
        return erased
    }

    // MARK: The subject's objects

    private enum Walk { case goOn, stop }

    func own(_ entries: [S3Entry], _ prefix: String) -> [S3Entry] {
        guard location.isExact else { return entries }
        return entries.filter { $0.key.isByteEqual(to: prefix) }
    }

    private func each(_ names: [String], _ body: ([S3Entry]) -> Walk) async throws {
        for name in names {
            let prefix = try location.prefix(of: name, in: bucket.system)
            for kind in [S3Entry.Kind.version, .upload] {
                var marker: S3Marker?
                repeat {
                    let page = try await bucket.list(kind, below: prefix, after: marker)
                    guard body(own(page.entries, prefix)) == .goOn else { return }
                    marker = page.next
                } while marker != nil
            }
        }
    }

    /// The beginning of the next page, and the objects kept so far.
    private struct Place: ConnectorCursor {
        var name = 0
        var isAtUploads = false
        var marker: S3Marker?
        var kept = S3Kept()

        var isPlausible: Bool { name >= 0 && kept.isPlausible }

        init() {}

        /// Reads the cursors of earlier releases too, which knew neither uploads nor holds.
        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            name = try members.decode(Int.self, forKey: .name)
            isAtUploads = try members.decodeIfPresent(Bool.self, forKey: .isAtUploads) ?? false
            marker = try members.decodeIfPresent(S3Marker.self, forKey: .marker)
            kept = try members.decodeIfPresent(S3Kept.self, forKey: .kept) ?? S3Kept()
        }
    }
}
