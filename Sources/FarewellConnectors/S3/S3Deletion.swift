// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import Foundation

/// Deletes versions of objects in batches, and one by one what a batch cannot express or would not take.
///
/// Objects of a service that lists no versions are deleted without one.
///
/// XML 1.0 has no form for most control characters, so a batch with such a key is `MalformedXML` as a whole
/// (github.com/boto/boto3/issues/2005, github.com/aws/aws-sdk/issues/271); `DELETE` of the single version takes it.
struct S3Deletion: Sendable {
    let bucket: S3Bucket

    /// Why an entry is still there.
    private enum Fate: Sendable { case gone, again, held, locked(String), refused(String) }

    /// - Returns: The number of deleted objects, and the kept ones with their reasons.
    func delete(_ entries: [S3Entry]) async throws -> (erased: Int, kept: S3Kept) {
        let versions = entries.filter { $0.kind != .upload }
        let plain = versions.filter { MarkupText.canHold($0.key) }
        let refused = plain.isEmpty ? [] : try await deleteTogether(plain)
        let strange = versions.filter { !MarkupText.canHold($0.key) }
        let alone = refused + strange + entries.filter { $0.kind == .upload }
        var kept = S3Kept()
        for (number, entry) in alone.enumerated() {
            switch try await deletePatiently(entry) {
            case .gone, .again: break
            case .held: kept.held += 1
            case .locked(let day):
                kept.locked += 1
                kept.lockedUntil = max(kept.lockedUntil ?? day, day)
            case .refused(let code):
                kept.refused[code, default: 0] += 1
                // None was deleted and nothing holds the first: the key lacks the right, and single deletions would
                // show the same.
                guard number == 0, refused.count == entries.count, kept.isAllDenied else { continue }
                kept.refused[code] = entries.count
                return (0, kept)
            }
        }
        return (entries.count - kept.held - kept.locked - kept.refused.values.reduce(0, +), kept)
    }

    // MARK: Together

    /// - Returns: Those that are to be deleted one by one.
    private func deleteTogether(_ entries: [S3Entry]) async throws -> [S3Entry] {
        var open = entries
        var alone: [S3Entry] = []
        var attempts = StalledAttempts()
        while !open.isEmpty {
            let errors: [(entry: S3Entry, code: String)]
            do {
                errors = try await deleteOnce(open)
            } catch let fault as ConnectorFault where fault.isRefusal {
                // One of them spoils the whole batch.
                return alone + open
            }
            var again: [S3Entry] = []
            for (entry, code) in errors {
                switch ResponseTable.s3.line(200, code: code).outcome {
                case .absent: break
                case .again, .later: again.append(entry)
                default: alone.append(entry)
                }
            }
            guard let pause = attempts.pause(hasProgress: again.count < open.count) else { return alone + again }
            if !again.isEmpty { try await bucket.pause(pause) }
            open = again
        }
        return alone
    }

    private func deleteOnce(_ entries: [S3Entry]) async throws -> [(entry: S3Entry, code: String)] {
        let objects = entries.map { entry in
            let version = entry.kind == .version ? "<VersionId>\(MarkupText.escaped(entry.id))</VersionId>" : ""
            return "<Object><Key>\(MarkupText.escaped(entry.key))</Key>\(version)</Object>"
        }
        let body = Array(
            ("<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" + objects.joined()
                + "<Quiet>true</Quiet></Delete>").utf8)
        let digest = Data(Insecure.MD5.hash(data: body)).base64EncodedString()
        let reply = try await bucket.send(
            "POST", query: [("delete", "")],
            headers: [("content-type", "application/xml"), ("content-md5", digest)], body: body,
            permission: entries[0].deletingRight, limit: 4 << 20)
        let root = try XMLText.read(reply.body, from: bucket.system)
        guard root.name == "DeleteResult" else { throw ConnectorFault.garbled(bucket.system, "no result of deleting") }
        let errors = try root.all(named: "Error").map { error in
            guard let key = error["Key"]?.text, let code = error["Code"]?.text else {
                throw ConnectorFault.garbled(bucket.system, "an error without its object")
            }
            return ObjectError(key: key, id: error["VersionId"]?.text ?? "", code: AWSCaller.code(code))
        }
        guard errors.allSatisfy({ error in entries.contains(where: error.isAbout) }) else {
            throw ConnectorFault.garbled(bucket.system, "an error of another object")
        }
        return entries.compactMap { entry in errors.first { $0.isAbout(entry) }.map { (entry: entry, code: $0.code) } }
    }

    /// An object that a batch left.
    private struct ObjectError: Sendable {
        let key: String
        /// Empty if it names no version; then it may be about any version of the key.
        let id: String
        let code: String

        func isAbout(_ entry: S3Entry) -> Bool {
            entry.key.isByteEqual(to: key) && (entry.kind != .version || id.isEmpty || entry.id.isByteEqual(to: id))
        }
    }

    // MARK: Alone

    private func deletePatiently(_ entry: S3Entry) async throws -> Fate {
        var attempts = StalledAttempts()
        while true {
            let fate = try await deleteAlone(entry)
            guard case .again = fate else { return fate }
            guard let pause = attempts.pause(hasProgress: false) else {
                throw ConnectorFault.passing(bucket.system, "some objects could not be deleted")
            }
            try await bucket.pause(pause)
        }
    }

    private func deleteAlone(_ entry: S3Entry) async throws -> Fate {
        let reply = try await bucket.send(
            "DELETE", key: entry.key, query: entry.selector, answers: [400, 403, 404, 405, 409],
            permission: entry.deletingRight)
        guard reply.status >= 300 else {
            // Success has no body; a page comes from another server.
            guard reply.body.isEmpty || reply.headers["content-type"]?.lowercased().contains("html") != true else {
                throw ConnectorFault.garbled(bucket.system, "it is a page")
            }
            return .gone
        }
        let told = S3Bucket.words(of: reply)
        switch ResponseTable.s3.line(reply.status, code: told.code, message: told.message).outcome {
        case .absent: return .gone
        case .again, .later: return .again
        case .misconfigured: throw bucket.fault(reply, needs: entry.deletingRight)
        case .credentials where told.code.isEmpty: throw bucket.fault(reply, needs: entry.deletingRight)
        default: break
        }
        let lock = entry.kind == .upload ? nil : try await lock(on: entry)
        return lock ?? .refused(told.code.isEmpty ? "status \(reply.status)" : told.code)
    }

    /// The lock of a version; `nil` if there is none, or it may not be read.
    ///
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
    private func lock(on entry: S3Entry) async throws -> Fate? {
        let reply = try await bucket.send(
            "HEAD", key: entry.key, query: entry.selector, answers: [400, 403, 404, 405],
            permission: "s3:GetObjectRetention")
        if reply.headers["x-amz-object-lock-legal-hold"]?.uppercased() == "ON" { return .held }
        guard let day = reply.headers["x-amz-object-lock-retain-until-date"]?.prefix(10), day.utf8.count == 10,
            day.utf8.allSatisfy({ "0123456789-".utf8.contains($0) })
        else { return nil }
        return .locked(String(day))
    }
}
