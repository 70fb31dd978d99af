// SPDX-License-Identifier: Apache-2.0

import Farewell

/// One bucket, and its calls.
struct S3Bucket: Sendable {
    let name: String
    /// Whether this is Amazon's own S3, and not a compatible server.
    let isAmazon: Bool
    /// The account that must own the bucket; `nil` if the plan does not say.
    let owner: String?
    private let aws: AWSCaller
    private let base: String

    init(_ settings: SystemSettings, budget: RateBudget, world: ConnectorWorld) throws {
        name = try settings.required("bucket")
        owner = settings["owner"]
        isAmazon = settings["endpoint"] == nil
        // The certificate of the virtual host covers one label, so a dotted name goes into the path
        // (https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html).
        let isInPath = !isAmazon || name.containsByte(of: ".")
        base = isInPath ? "/\(name)" : "/"
        aws = try AWSCaller(
            settings, service: "s3", host: (isInPath ? "" : "\(name).") + "s3.{region}.{suffix}", budget: budget,
            world: world)
    }

    var system: String { aws.system }
    var unusedName: String { aws.unusedName }

    func pause(_ length: Duration) async throws { try await aws.pause(length) }

    // MARK: Lists

    /// A page of the list below a prefix.
    ///
    /// - Parameter delimiter: The sign up to which keys are listed as one.
    func list(
        _ kind: S3Entry.Kind, below prefix: String, after marker: S3Marker? = nil, limit: Int = 1_000,
        delimiter: String? = nil
    ) async throws -> S3Listing {
        let isVersions = kind == .version
        var query = [
            (isVersions ? "max-keys" : "max-uploads", "\(limit)"), ("prefix", prefix),
            (isVersions ? "versions" : "uploads", ""),
        ]
        if let delimiter { query.append(("delimiter", delimiter)) }
        if let marker {
            query.append(("key-marker", marker.key))
            if let id = marker.id { query.append((isVersions ? "version-id-marker" : "upload-id-marker", id)) }
        }
        let encoding = [("encoding-type", "url")]
        let reply = try await listed(kind, encoding + query)
        let question = S3Listing.Question(
            kind: kind, bucket: name, prefix: prefix, isAmazon: isAmazon, system: system)
        // A server without multipart uploads reports that, or lists versions for any request: no upload is in progress.
        guard reply.status != 501 else { return S3Listing(entries: [], next: nil) }
        let root = try XMLText.read(reply.body, from: system)
        if !isVersions, !isAmazon, root.name == "ListVersionsResult" { return S3Listing(entries: [], next: nil) }
        if !isAmazon, S3Listing.isUnclear(root) {
            // Only if the same list can be read without the parameter, because a key may contain characters that XML
            // cannot.
            let plain = try await listed(kind, query)
            if plain.status == 200, let root = try? XMLText.read(plain.body, from: system) {
                return try listing(root, question, after: marker)
            }
        }
        return try listing(root, question, after: marker)
    }

    private func listing(
        _ root: XMLElement, _ question: S3Listing.Question, after marker: S3Marker?
    ) throws -> S3Listing {
        let listing = try S3Listing(root, question)
        guard listing.next == nil || listing.next != marker else { throw ConnectorFault.samePage(system) }
        return listing
    }

    private func listed(_ kind: S3Entry.Kind, _ query: [(String, String)]) async throws -> SystemReply {
        let isVersions = kind == .version
        return try await send(
            "GET", query: query, answers: isVersions || isAmazon ? [] : [501],
            permission: isVersions ? "s3:ListBucketVersions" : "s3:ListBucketMultipartUploads", limit: 4 << 20)
    }

    // MARK: Calls

    /// - Parameter answers: Statuses that the caller handles.
    func send(
        _ method: String, key: String = "", query: [(String, String)], headers: [(String, String)] = [],
        body: [UInt8] = [], answers: Set<Int> = [], permission: String, limit: Int = 1 << 20
    ) async throws -> SystemReply {
        let path = key.isEmpty ? base : (base == "/" ? base : base + "/") + key
        var call = SystemCall(
            method, aws.address, path, query: query.map { (name: $0.0, value: $0.1) },
            headers: headers.map { (name: $0.0, value: $0.1) }, body: body, answers: answers, permission: permission)
        if let owner { call.headers.append(("x-amz-expected-bucket-owner", owner)) }
        call.limit = limit
        call.isPathSigned = true
        call.responses = .s3
        call.reading = { Self.words(of: $0) }
        return try await aws.send(call)
    }

    func fault(_ reply: SystemReply, needs permission: String) -> ConnectorFault {
        let told = Self.words(of: reply)
        return ResponseTable.s3.fault(
            reply.status, code: told.code, of: system, needs: permission, detail: told.detail)
    }

    /// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html#RESTErrorResponses
    static func words(of reply: SystemReply) -> ErrorWords {
        let error = try? XMLText.read(reply.body, from: "")
        let region = reply.headers["x-amz-bucket-region"] ?? error?["Region"]?.text
        let isRegion = region.map { $0.utf8.count < 40 && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } } ?? false
        return ErrorWords(code: AWSCaller.code(error?["Code"]?.text ?? ""), detail: isRegion ? region : nil)
    }
}
