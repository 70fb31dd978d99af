// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Supabase Storage by its API, in pages: rows of `storage.objects` deleted by SQL would leave the files.
///
/// Settings: `endpoint` (up to and without `/object`), `bucket`, `prefix` (`users/{person}/`); secrets: `key`. No route
/// of the service lists files by owner, so those outside the subject's folder are the items that the app's database
/// lists (`owned`: `storage.objects`); the service deletes them like the others.
///
/// A list answers `200 []` for a bucket that is not there and to a key that row security shows nothing
/// (`routes/object/listObjects.ts` and `storage.search` in github.com/supabase/storage). So "nothing there" counts only
/// where the bucket itself was read or one of its entries was seen, and the key is not one that sees less.
public struct SupabaseStorageConnector: Connector {
    let storage: SupabaseFolders
    private let prefix: (before: String, after: String)
    private let place: PlaceProof
    private let names: NamedPlace
    private let secrets: SystemSecrets
    private let host: String
    public let declaration: ConnectorDeclaration
    private static let usual = ConnectorDeclaration(
        abilities: [.count, .verify], budget: RateBudget(burst: 20, perSecond: 20),
        permissions: ["service_role: storage buckets read, objects list, delete"],
        remarks: [
            // https://supabase.com/docs/guides/storage/uploads/s3-uploads and …/resumable-uploads
            ReceiptNote(
                about: "unfinished uploads",
                note:
                    "Storage does not list uploads in progress; it ends them after 24 hours."
            ),
            ReceiptNote(
                about: "buckets",
                note: "A bucket that the user created names them as owner, unless the plan clears storage.buckets."),
        ])
    private static let page = 1_000

    /// - Throws: `plan.system` when the plan does not say what it must, or the prefix could reach a neighbour.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, of: .supabaseStorage)
        declaration = try settings.paced(Self.usual)
        prefix = try settings.prefix()
        let rest = try RESTCaller.supabase(
            settings, budget: declaration.budget, world: world, responses: .supabaseStorage,
            reading: ResponseTable.supabaseStorageWords)
        storage = SupabaseFolders(rest: rest, bucket: try settings.required("bucket"))
        place = PlaceProof(world)
        names = try NamedPlace(
            settings, "prefix", empty: "nothing is below the beginning of the prefix, and the bucket is not empty",
            isListed: system.owned != nil, world: world)
        secrets = SystemSecrets(system, world: world)
        host = try SystemAddress(try settings.required("endpoint"), system: system.name).hostName
    }

    private var rest: RESTCaller { storage.rest }

    // MARK: The place

    public func prove() async throws -> String? {
        try requireSeeingKey()
        try await storage.requireBucket()
        let found = try await names.prove(siblings, end: end)
        let doubt =
            !found.names.isEmpty
            ? "" : above.isEmpty ? "; it is empty" : "; nothing is below \(above)/, so check the setting prefix"
        return "the bucket \(storage.bucket) exists, and this key can read it" + doubt
    }

    /// Before anything is counted, deleted or said to be gone. A team can switch versioning on at any time.
    private func requireUnversioned() async throws {
        try requireSeeingKey()
        try await storage.requireBucket()
        place.sawSomething()
    }

    /// The folder above the subject's.
    private var above: String { prefix.before.slashParts.filter { !$0.isEmpty }.joined(separator: "/") }

    /// The folders beside the subject's. The list has no mark behind a name, and can begin at its end.
    private func siblings(after name: String?) async throws -> NameSample {
        var sample = try await storage.sample(of: above, fromEnd: name != nil)
        guard name == nil, sample.isEmpty else { return sample }
        sample.isAllEmpty = above.isEmpty ? true : try await storage.sample(of: "", fromEnd: false).isEmpty
        return sample
    }

    private var end: NamedPlace.End? {
        if prefix.after.utf8.contains(where: { $0 != UInt8(ascii: "/") }) { reachesAny } else { nil }
    }

    /// Whether anything is in the folder of one of some names.
    private func reachesAny(_ names: [String]) async throws -> Bool {
        let folders = names.compactMap { try? folder(of: $0) }
        for folder in folders where try await !storage.sample(of: folder, fromEnd: false).isEmpty { return true }
        return false
    }

    /// An entry that was seen shows the bucket as well as the bucket itself does.
    func requirePlace(for request: ConnectorRequest) async throws {
        try requireSeeingKey()
        if !place.hasSeenSomething { try await place.require { try await storage.requireBucket() } }
        try await names.require(request.names, request.record, siblings, end: end)
    }

    private func requireSeeingKey() throws {
        guard let objection = SupabaseKey(try secrets.required("key"), host: host).objection else { return }
        throw ConnectorFault.unproved(
            rest.system, objection, remedy: "Give the secret `key` of the role service_role, then release the erasure.")
    }

    // MARK: Counting, erasing, reading back

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        try await requireUnversioned()
        var count = 0
        var paths: Set<ExactText> = []
        for name in request.names {
            let found = try await found(name)
            // The erasure would end with the same fault, after it has deleted the files.
            guard found.unread == 0 else { throw left(0, found.nameless, found.closed, remedy: Self.removal) }
            guard let own = try await storage.countOwn(found.files, of: try folder(of: name)) else { return nil }
            count += own
            paths.formUnion(found.files.map { ExactText($0.path) })
        }
        count += items(of: request, besides: paths).count
        if count == 0 { try await requirePlace(for: request) }
        return count
    }

    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        try await requireUnversioned()
        var erased = 0
        var stayed = 0
        var (nameless, closed) = (0, 0)
        var paths: Set<ExactText> = []
        var refusal: ConnectorFault?
        for name in request.names {
            let found: SupabaseFolders.Found
            do {
                found = try await self.found(name)
            } catch let fault as ConnectorFault where fault.isRefusal {
                // A name that has no folder keeps none of the others.
                refusal = refusal ?? fault
                continue
            }
            nameless += found.nameless
            closed += found.closed
            paths.formUnion(found.files.map { ExactText($0.path) })
            let (gone, refused) = try await delete(found.files, key: request.key)
            erased += gone
            stayed += refused
        }
        let others = items(of: request, besides: paths).map { SupabaseFolders.File(path: $0, id: "") }
        let (gone, refused) = try await delete(others, key: "\(request.key)/owned")
        erased += gone
        stayed += refused
        guard stayed + nameless + closed == 0 else {
            throw left(
                stayed, nameless, closed, remedy: Self.removal + " The person's other files in the bucket are deleted.")
        }
        if let refusal { throw refusal }
        if erased == 0 { try await requirePlace(for: request) }
        return erased > 0 ? .erased(erased) : .nothingThere
    }

    private func delete(
        _ files: [SupabaseFolders.File], key: String
    ) async throws -> (gone: Int, refused: Int) {
        var gone = 0
        var refused = 0
        for start in stride(from: 0, to: files.count, by: Self.page) {
            let some = Array(files[start..<min(start + Self.page, files.count)])
            refused += try await itemByItem(some) { files in
                gone += try await storage.delete(files, key: "\(key)/\(start)")
            }.count
        }
        return (gone, refused)
    }

    /// The items that the folders do not list.
    func items(of request: ConnectorRequest, besides paths: Set<ExactText>) -> [String] {
        request.items.filter { !$0.isEmpty && !paths.contains(ExactText($0)) }
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        try await requireUnversioned()
        for name in request.names {
            let found = try await found(name)
            if found.unread > 0 { return .left(found.unread) }
            if try await storage.hasOwn(found.files) { return .left(1) }
        }
        // An item that the database still lists exists, or its row outlived the file; both must be deleted.
        guard request.items.isEmpty else { return .left(request.items.count) }
        try await requirePlace(for: request)
        return .gone
    }

    private static let removal =
        "Remove those files in the dashboard or by the S3 protocol, then release the erasure."

    private func left(_ stayed: Int, _ nameless: Int, _ closed: Int, remedy: String) -> ConnectorFault {
        var why: [String] = []
        if stayed > 0 { why.append("it refuses \(stayed.counted("file")), even when tried alone") }
        if nameless > 0 {
            why.append(
                nameless == 1
                    ? "1 folder has no name (two slashes in a row), and it does not list its contents"
                    : "\(nameless) folders have no name (two slashes in a row), and it does not list their contents")
        }
        if closed > 0 {
            let place = closed == 1 ? "it is too deep" : "they are too deep"
            why.append("it does not list \(closed.counted("folder")), or \(place)")
        }
        return .refused(rest.system, why.joined(separator: "; "), remedy: remedy)
    }

    func found(_ name: String) async throws -> SupabaseFolders.Found {
        let found = try await storage.files(below: try folder(of: name))
        if !found.files.isEmpty || found.unread > 0 {
            place.sawSomething()
            names.sawSomething()
        }
        return found
    }

    private func folder(of name: String) throws -> String {
        (prefix.before + (try rest.part(name)) + prefix.after).slashParts.filter { !$0.isEmpty }
            .joined(separator: "/")
    }
}
