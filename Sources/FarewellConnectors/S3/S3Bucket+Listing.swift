// SPDX-License-Identifier: Apache-2.0

import Farewell

extension S3Bucket {
    /// Seconds for which a service that lists no versions is not asked for them again.
    private static let lifetime = 60.0

    /// The requested page of a list.
    private struct Page: Sendable {
        var prefix: String
        var marker: S3Marker?
        var limit: Int
        var delimiter: String?
    }

    private enum Answer: Sendable {
        /// - Parameter isWhole: Whether the service lists everything below a prefix.
        case listing(S3Listing, isWhole: Bool)
        /// The service does not know the list.
        ///
        /// - Parameter isCertain: Not for an empty list of objects: it may be an odd form of an empty list of versions.
        case unlisted(isCertain: Bool)
    }

    /// A page of the list below a prefix. Where a service other than Amazon's lists no versions, `version` means the
    /// objects themselves.
    ///
    /// - Parameter delimiter: The sign up to which keys are listed as one.
    func list(
        _ kind: S3Entry.Kind, below prefix: String, after marker: S3Marker? = nil, limit: Int = 1_000,
        delimiter: String? = nil
    ) async throws -> S3Listing {
        let page = Page(prefix: prefix, marker: marker, limit: limit, delimiter: delimiter)
        if kind == .version, !isAmazon, let provedAt = lists.withLock({ $0.provedAt }),
            uptime() - provedAt < Self.lifetime
        {
            return try await objects(page)
        }
        switch try await answer(kind, page) {
        case .listing(let listing, let isWhole):
            lists.withLock { lists in
                if kind == .upload {
                    lists.unlisted.uploads = !isWhole
                } else {
                    (lists.unlisted.versions, lists.provedAt) = (nil, nil)
                }
            }
            return listing
        case .unlisted where kind == .upload:
            lists.withLock { $0.unlisted.uploads = true }
            return S3Listing(entries: [], next: nil)
        case .unlisted(let isCertain):
            let versions = try await versions()
            let now = uptime()
            lists.withLock { lists in
                lists.unlisted.versions = versions
                lists.provedAt = isCertain ? now : nil
            }
            return try await objects(page)
        }
    }

    private func objects(_ page: Page) async throws -> S3Listing {
        guard case .listing(let listing, _) = try await answer(.object, page) else {
            throw ConnectorFault.garbled(system, "no list of objects")
        }
        return listing
    }

    /// Whether the bucket keeps versions that the service does not list.
    ///
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketVersioning.html
    ///
    /// - Throws: `ConnectorFault.refused` if it does: a deletion would only hide the objects.
    private func versions() async throws -> S3Unlisted.Versions {
        guard
            let reply = try await ask([("versioning", "")], permission: "s3:GetBucketVersioning", isOptional: true),
            let root = try? XMLText.read(reply.body, from: system), root.name == "VersioningConfiguration"
        else { return .unknown }
        switch root["Status"]?.text {
        case nil, "": return .notKept
        case "Suspended": return .unknown
        default:
            throw ConnectorFault.refused(
                system, "the bucket keeps versions of objects, and the service does not list them",
                remedy: "Suspend versioning of the bucket and delete its earlier versions with the service's own "
                    + "tools; then release the erasure.")
        }
    }

    // MARK: Answers

    private func answer(_ kind: S3Entry.Kind, _ page: Page) async throws -> Answer {
        guard let reply = try await ask(kind, page, isEncoded: true) else { return .unlisted(isCertain: true) }
        let root = try XMLText.read(reply.body, from: system)
        if !isAmazon, let isCertain = Self.ignores(kind, root) { return .unlisted(isCertain: isCertain) }
        let question = S3Listing.Question(
            kind: kind, bucket: name, prefix: page.prefix, isAmazon: isAmazon, system: system)
        let isWhole = kind != .upload || !Self.listsByName(reply, page)
        if !isAmazon, S3Listing.isUnclear(root) {
            // Only if the same list can be read without the parameter, because a key may contain characters that XML
            // cannot.
            if let plain = try await ask(kind, page, isEncoded: false),
                let root = try? XMLText.read(plain.body, from: system)
            {
                return .listing(try listing(root, question, after: page.marker), isWhole: isWhole)
            }
        }
        return .listing(try listing(root, question, after: page.marker), isWhole: isWhole)
    }

    /// Whether a service has ignored the parameter that asks for versions or uploads, and lists something else; `nil`
    /// if it has not. A list of objects that contains versions is one of versions.
    private static func ignores(_ kind: S3Entry.Kind, _ root: XMLElement) -> Bool? {
        switch (kind, root.name) {
        case (.upload, "ListVersionsResult"), (.upload, "ListBucketResult"): return true
        case (.version, "ListBucketResult"):
            guard root["Version"] == nil, root["DeleteMarker"] == nil else { return nil }
            return root["Contents"] != nil
        default: return nil
        }
    }

    /// Whether the service lists uploads only below an object's whole name, as MinIO does.
    ///
    /// https://docs.min.io/community/minio-object-store/reference/s3-api-compatibility.html
    private static func listsByName(_ reply: SystemReply, _ page: Page) -> Bool {
        let isName = !page.prefix.isEmpty && !page.prefix.hasByteSuffix("/")
        return !isName && reply.headers["server"]?.hasBytePrefix("MinIO") == true
    }

    private func listing(
        _ root: XMLElement, _ question: S3Listing.Question, after marker: S3Marker?
    ) throws -> S3Listing {
        let listing = try S3Listing(root, question)
        guard listing.next == nil || listing.next != marker else { throw ConnectorFault.samePage(system) }
        return listing
    }

    private func ask(_ kind: S3Entry.Kind, _ page: Page, isEncoded: Bool) async throws -> SystemReply? {
        var query = isEncoded ? [("encoding-type", "url")] : []
        query.append((kind == .upload ? "max-uploads" : "max-keys", "\(page.limit)"))
        query.append(("prefix", page.prefix))
        if let delimiter = page.delimiter { query.append(("delimiter", delimiter)) }
        switch kind {
        case .version:
            query.append(("versions", ""))
            if let marker = page.marker {
                query.append(("key-marker", marker.key))
                if let id = marker.id { query.append(("version-id-marker", id)) }
            }
            return try await ask(query, permission: "s3:ListBucketVersions", isOptional: true)
        case .object:
            query.append(("list-type", "2"))
            // Not the service's token: the cursor of a run must hold longer than that.
            if let marker = page.marker { query.append(("start-after", marker.key)) }
            return try await ask(query, permission: "s3:ListBucket", isOptional: false)
        case .upload:
            query.append(("uploads", ""))
            if let marker = page.marker {
                query.append(("key-marker", marker.key))
                if let id = marker.id { query.append(("upload-id-marker", id)) }
            }
            return try await ask(query, permission: "s3:ListBucketMultipartUploads", isOptional: true)
        }
    }

    /// - Parameter isOptional: Whether a service other than Amazon's may not know the request.
    /// - Returns: `nil` if it does not.
    private func ask(
        _ query: [(String, String)], permission: String, isOptional: Bool
    ) async throws -> SystemReply? {
        if isOptional, !isAmazon {
            let reply = try await send(
                "GET", query: query, answers: [400, 405, 501], permission: permission, limit: 4 << 20)
            if (200..<300).contains(reply.status) { return reply }
            if isUnsupported(reply) { return nil }
            // Asked once more for the fault, after which refused credentials are renewed.
        }
        return try await send("GET", query: query, permission: permission, limit: 4 << 20)
    }
}
