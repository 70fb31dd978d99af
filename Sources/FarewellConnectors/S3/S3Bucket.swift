// SPDX-License-Identifier: Apache-2.0

import Farewell

/// One bucket, and its calls.
struct S3Bucket: Sendable {
    let name: String
    /// Whether this is Amazon's own S3, and not a compatible server.
    let isAmazon: Bool
    /// The account that must own the bucket; `nil` if the plan does not say.
    let owner: String?
    /// Whether the account of the credentials pays for the calls, and not that of the bucket.
    private let requesterPays: Bool
    private let aws: AWSCaller
    private let base: String
    /// The lists of another service than Amazon's, and when they were last tried.
    let lists = Guarded(Lists())
    let uptime: @Sendable () -> Double

    struct Lists: Sendable {
        var unlisted = S3Unlisted()
        /// When the service last showed that it lists no versions; `nil` if it has not.
        var provedAt: Double?
    }

    init(_ settings: SystemSettings, budget: RateBudget, world: ConnectorWorld) throws {
        name = try settings.required("bucket")
        owner = settings["owner"]
        requesterPays = try settings.word("payer", of: ["owner", "requester"]) == "requester"
        uptime = world.uptime
        let isInPath = settings["endpoint"] != nil || Self.needsPath(name)
        aws = try AWSCaller(
            settings, service: "s3", host: (isInPath ? "" : "\(name).") + "s3.{region}.{suffix}",
            responses: .s3, budget: budget, world: world)
        // Another service may be below a path, such as `/storage/v1/s3` of Supabase. An address that ends with the
        // bucket names it already.
        let above = aws.address.base
        base = isInPath && !above.hasByteSuffix("/\(name)") ? "\(above)/\(name)" : above.isEmpty ? "/" : above
        isAmazon = AWSPartition.isHost(aws.address.hostName)
        // https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-express-differences.html
        guard !isAmazon || !name.hasByteSuffix("--x-s3") else {
            throw settings.fault(
                "names a directory bucket (S3 Express One Zone), which has hosts, sessions and lists of its own",
                remedy: "Erase its objects by a system of the kind webhook.")
        }
    }

    /// Whether a bucket is addressed by its path, as botocore does it: the certificate of the virtual host covers one
    /// label, so no name with a dot; and a host has neither underscores nor capitals, which older buckets may have.
    ///
    /// https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
    private static func needsPath(_ name: String) -> Bool {
        let hyphen = UInt8(ascii: "-")
        let isName = name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }
        let isLabel =
            name.utf8.allSatisfy { $0.isASCIISmallLetter || $0.isASCIIDigit || $0 == hyphen }
            && name.utf8.first != hyphen && name.utf8.last != hyphen
        return isName && !isLabel
    }

    var system: String { aws.system }
    var unusedName: String { aws.unusedName }

    /// The kinds of entries that the service does not list, as far as its answers have shown.
    var unlisted: S3Unlisted { lists.withLock { $0.unlisted } }

    func pause(_ length: Duration) async throws { try await aws.pause(length) }

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
        // Requests for lists and objects take it
        // (https://docs.aws.amazon.com/AmazonS3/latest/userguide/ObjectsinRequesterPaysBuckets.html); the only other
        // one does not (https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketVersioning.html).
        if requesterPays, !query.contains(where: { $0.0 == "versioning" }) {
            call.headers.append(("x-amz-request-payer", "requester"))
        }
        call.limit = limit
        call.isPathSigned = true
        call.responses = .s3
        call.reading = { Self.words(of: $0) }
        return try await aws.send(call)
    }

    func fault(_ reply: SystemReply, needs permission: String) -> ConnectorFault {
        let told = Self.words(of: reply)
        return ResponseTable.s3.fault(
            reply.status, code: told.code, message: told.message, of: system, needs: permission, detail: told.detail)
    }

    /// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html#RESTErrorResponses
    static func words(of reply: SystemReply) -> ErrorWords {
        let error = try? XMLText.read(reply.body, from: "")
        let region = reply.headers["x-amz-bucket-region"] ?? error?["Region"]?.text
        let isRegion = region.map { $0.utf8.count < 40 && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } } ?? false
        return ErrorWords(
            code: AWSCaller.code(error?["Code"]?.text ?? ""), message: error?["Message"]?.text ?? "",
            detail: isRegion ? region : nil)
    }

    /// Whether a service of another vendor does not know the request.
    func isUnsupported(_ reply: SystemReply) -> Bool {
        let line = ResponseTable.s3.line(reply.status, code: Self.words(of: reply).code)
        guard !isAmazon, case .unsupported = line.outcome else { return false }
        return true
    }
}
