// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import Foundation

/// Amazon S3 and what speaks like it: every version and every delete marker below the person's prefix.
///
/// Settings: `region`, `bucket`, `prefix` (`users/{person}/`; it ends with a slash, so that nobody's name begins with
/// another's) or `keys: exact` (the person's names are keys themselves), `endpoint` (then the bucket goes into the
/// path).
public struct S3Connector: Connector {
    private let aws: AWSCaller
    private let base: String
    private let location: Location
    public let declaration: ConnectorDeclaration

    private enum Location: Sendable {
        case prefix(before: String, after: String)
        case exact

        /// What every key begins with.
        var beginning: String {
            if case .prefix(let before, _) = self { before } else { "" }
        }
    }

    /// - Throws: `plan.system` when the plan does not say what it must, or the prefix could reach a neighbour.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(
            system, knows: ["region", "bucket", "prefix", "keys", "endpoint"], secrets: AWSCaller.secrets)
        let bucket = try settings.required("bucket")
        if settings["keys"] == nil {
            let (before, after) = try settings.prefix()
            location = .prefix(before: before, after: after)
        } else {
            _ = try settings.word("keys", of: ["exact"])
            location = .exact
        }
        declaration = try settings.paced(
            ConnectorDeclaration(
                abilities: [.count, .verify, .versions], budget: RateBudget(burst: 50, perSecond: 50),
                grants: [
                    .init(["s3:ListBucketVersions"], on: "arn:aws:s3:::\(bucket)"),
                    .init(
                        ["s3:DeleteObject", "s3:DeleteObjectVersion", "s3:GetObjectVersion", "s3:GetObjectRetention"],
                        on: "arn:aws:s3:::\(bucket)/\(location.beginning)*"),
                ],
                remarks: [
                    ReceiptNote(about: system.name, note: "Copies that the bucket replicates elsewhere were not read.")
                ]))
        let isOwnHost = settings["endpoint"] == nil
        base = isOwnHost ? "/" : "/\(bucket)"
        aws = try AWSCaller(
            settings, service: "s3", host: "\(bucket).s3.{region}.amazonaws.com", budget: declaration.budget,
            world: world)
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        var count = 0
        try await each(request.names) { versions in
            count += versions.count
            return .goOn
        }
        return count
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        var left = 0
        try await each(request.names) { versions in
            left += versions.count
            return left > 0 ? .stop : .goOn
        }
        return left == 0 ? .gone : .left(left)
    }

    /// One page of one name. What is locked stays, and everything else goes before that is said.
    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        var place = try Place(cursor: request.cursor, system: aws.system)
        guard place.name < request.names.count else { return .nothingThere }
        let page = try await list(try prefix(of: request.names[place.name]), after: place.marker)
        let (erased, locked) = try await delete(page.versions)
        place.lockedUntil = [place.lockedUntil, locked].compactMap(\.self).max()
        place.marker = page.next
        if page.next == nil { place.name += 1 }
        if place.name < request.names.count { return .more(erased, cursor: try place.text()) }
        if let until = place.lockedUntil {
            throw ConnectorFault.refused(
                aws.system, "objects are locked until \(until)",
                remedy: "Release the erasure after that day, or lift the lock.")
        }
        return erased > 0 ? .erased(erased) : .nothingThere
    }

    // MARK: Listing

    struct Version: Sendable, Hashable {
        var key: String
        var id: String
    }

    private struct Page: Sendable {
        var versions: [Version]
        var next: Marker?
    }

    struct Marker: Sendable, Hashable, Codable {
        var key: String
        var version: String?
    }

    private enum Walk { case goOn, stop }

    /// A name with a slash would be a folder of somebody whose name is what stands before it.
    private func prefix(of name: String) throws -> String {
        switch location {
        case .exact: return name
        case .prefix(let before, let after):
            guard !name.contains("/") else {
                throw ConnectorFault.refused(aws.system, "what names the person there has a slash in it")
            }
            return before + name + after
        }
    }

    private func each(_ names: [String], _ body: ([Version]) -> Walk) async throws {
        for name in names {
            let prefix = try prefix(of: name)
            var marker: Marker?
            repeat {
                let page = try await list(prefix, after: marker)
                guard body(page.versions) == .goOn else { return }
                marker = page.next
            } while marker != nil
        }
    }

    private func list(_ prefix: String, after marker: Marker?) async throws -> Page {
        var query = [("encoding-type", "url"), ("max-keys", "1000"), ("prefix", prefix), ("versions", "")]
        if let marker { query.append(("key-marker", marker.key)) }
        if let version = marker?.version { query.append(("version-id-marker", version)) }
        let reply = try await send("GET", query: query, permission: "s3:ListBucketVersions", limit: 4 << 20)
        let root = try XMLText.read(reply.body, from: aws.system)
        guard root.name == "ListVersionsResult", let isTruncated = root["IsTruncated"]?.text else {
            throw ConnectorFault.garbled(aws.system, "no list of versions")
        }
        let found = root.all(named: "Version") + root.all(named: "DeleteMarker")
        var versions: [Version] = []
        for element in found {
            guard let key = element["Key"]?.text.removingPercentEncoding?.boundedIdentifier,
                let id = element["VersionId"]?.text, key.hasPrefix(prefix)
            else { throw ConnectorFault.garbled(aws.system, "a list of something else") }
            if case .exact = location, key != prefix { continue }
            versions.append(Version(key: key.utf8.count > 0 ? key : prefix, id: id))
        }
        guard isTruncated == "true" else { return Page(versions: versions, next: nil) }
        guard let key = root["NextKeyMarker"]?.text.removingPercentEncoding?.boundedIdentifier else {
            throw ConnectorFault.garbled(aws.system, "a list without its end")
        }
        let version = root["NextVersionIdMarker"]?.text
        return Page(
            versions: versions, next: Marker(key: key, version: version?.isEmpty == false ? version : nil))
    }

    // MARK: Deleting

    /// Deletes these versions; those that the bucket had trouble with are tried again.
    ///
    /// - Returns: How many are gone, and until when the last of those is locked that are not.
    private func delete(_ versions: [Version]) async throws -> (erased: Int, lockedUntil: String?) {
        var open = versions
        var locked: [String] = []
        var tries = 0
        while !open.isEmpty {
            let errors = try await deleteOnce(open)
            var again: [Version] = []
            for error in errors {
                switch error.code {
                case "NoSuchKey", "NoSuchVersion": break
                case "InternalError", "SlowDown", "ServiceUnavailable", "RequestTimeout", "OperationAborted":
                    again.append(error.version)
                default:
                    guard let until = try await lock(on: error.version) else {
                        throw AWSCaller.fault(
                            error.code, status: 200, system: aws.system, permission: "s3:DeleteObjectVersion")
                    }
                    locked.append(until)
                }
            }
            tries = again.count < open.count ? 0 : tries + 1
            guard tries < 5 else { throw ConnectorFault.passing(aws.system, "some objects could not be deleted") }
            if !again.isEmpty { try await aws.pause(0.05 * Double(1 << tries)) }
            open = again
        }
        return (versions.count - locked.count, locked.max())
    }

    private func deleteOnce(_ versions: [Version]) async throws -> [(version: Version, code: String)] {
        let objects = versions.map {
            "<Object><Key>\(Self.escaped($0.key))</Key><VersionId>\(Self.escaped($0.id))</VersionId></Object>"
        }
        let list = objects.joined()
        let body = Array(
            "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(list)<Quiet>true</Quiet></Delete>".utf8)
        let digest = Data(Insecure.MD5.hash(data: body)).base64EncodedString()
        let reply = try await send(
            "POST", query: [("delete", "")],
            headers: [("content-type", "application/xml"), ("content-md5", digest)], body: body,
            permission: "s3:DeleteObjectVersion", limit: 4 << 20)
        let root = try XMLText.read(reply.body, from: aws.system)
        guard root.name == "DeleteResult" else { throw ConnectorFault.garbled(aws.system, "no result of deleting") }
        return try root.all(named: "Error").map { error in
            guard let key = error["Key"]?.text, let code = error["Code"]?.text else {
                throw ConnectorFault.garbled(aws.system, "an error without its object")
            }
            let id = error["VersionId"]?.text
            guard let version = versions.first(where: { $0.key == key && (id == nil || $0.id == id) }) else {
                throw ConnectorFault.garbled(aws.system, "an error of something else")
            }
            return (version, AWSCaller.code(code))
        }
    }

    /// The day until which a version is locked; `nil` when it is not.
    private func lock(on version: Version) async throws -> String? {
        let reply = try await send(
            "HEAD", key: version.key, query: [("versionId", version.id)], answers: [400, 404, 405],
            permission: "s3:GetObjectRetention")
        guard let day = reply.headers["x-amz-object-lock-retain-until-date"]?.prefix(10), day.utf8.count == 10,
            day.utf8.allSatisfy({ "0123456789-".utf8.contains($0) })
        else { return nil }
        return String(day)
    }

    private func send(
        _ method: String, key: String = "", query: [(String, String)], headers: [(String, String)] = [],
        body: [UInt8] = [], answers: Set<Int> = [], permission: String, limit: Int = 1 << 20
    ) async throws -> SystemReply {
        let path = key.isEmpty ? base : (base.hasSuffix("/") ? base : base + "/") + key
        var call = SystemCall(
            method, aws.address, path, query: query.map { (name: $0.0, value: $0.1) },
            headers: headers.map { (name: $0.0, value: $0.1) }, body: body,
            answers: answers.union([400, 403, 404, 409]),
            permission: permission)
        call.limit = limit
        let reply = try await aws.send(call)
        guard reply.status >= 300, !answers.contains(reply.status) else { return reply }
        let code = (try? XMLText.read(reply.body, from: aws.system))?["Code"]?.text ?? ""
        throw AWSCaller.fault(
            AWSCaller.code(code), status: reply.status, system: aws.system, permission: permission)
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case _ where scalar.value < 0x20: escaped += "&#\(scalar.value);"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Where the next page begins, and what stayed so far.
    private struct Place: Sendable, Codable {
        var name = 0
        var marker: Marker?
        var lockedUntil: String?

        init(cursor: String?, system: String) throws {
            guard let cursor else { return }
            guard let place = try? JSONDecoder().decode(Place.self, from: Data(cursor.utf8)), place.name >= 0 else {
                throw ConnectorFault.garbled(system, "the cursor is not one of ours")
            }
            self = place
        }

        func text() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
}
